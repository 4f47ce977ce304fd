export { redactFacts, redactRawEntries, redactState, spellingsOf } from './raw-fields.js';
export { createRedactor, dropStructure, reduceMarks, type Redactor } from './redactor.js';
export { planStorage, secretFilesShown, storable, type StorageRules } from './storage.js';
