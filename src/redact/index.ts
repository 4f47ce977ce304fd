export { redactDrafts, redactFacts } from './draft-fields.js';
export { reduceMarks } from './mark.js';
export { createRedactor, dropStructure, type Redactor } from './redactor.js';
export { isSecretPath } from './secret-path.js';
export { spellingsOf } from './spellings.js';
export { redactState } from './state.js';
export { planStorage, secretFilesShown, storable, type StorageRules } from './storage.js';
