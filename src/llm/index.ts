export { findPrograms, findServers, type FoundServer } from './find.js';
export { PROGRAMS, SERVERS, type KnownProgram } from './known.js';
export { ModelError, type LanguageModel, type ModelAnswer, type ModelFailure } from './model.js';
export { openModel, type ModelSettings } from './open.js';
