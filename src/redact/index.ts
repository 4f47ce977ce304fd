export { redactDrafts, redactFacts } from './draft-fields.js';
export { reduceMarks } from './redactor.js';
export { createRedactor, dropStructure, type Redactor } from './redactor.js';
export { isSecretPath } from './storage.js';
export { spellingsOf } from './draft-fields.js';
export { redactState } from './redactor.js';
export { planStorage, secretFilesShown, storable, type StorageRules } from './storage.js';
