export { redactRawEntries, redactFacts } from './raw-fields.js';
export { reduceMarks } from './redactor.js';
export { createRedactor, dropStructure, type Redactor } from './redactor.js';
export { spellingsOf } from './raw-fields.js';
export { redactState } from './redactor.js';
export { planStorage, secretFilesShown, storable, type StorageRules } from './storage.js';
