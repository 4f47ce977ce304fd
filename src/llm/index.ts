export { findPrograms, findServers, type FoundServer } from './find.js';
export { PROGRAMS, SERVERS, type KnownProgram } from './known.js';
export { ModelError, type LanguageModel, type ModelAnswer, type ModelFailure } from './model.js';
export { planAsk, restUntil, spendingSince, type AskPlan, type FailedCalls, type Spending } from './spending.js';
export { openModel, type ModelSettings } from './open.js';
