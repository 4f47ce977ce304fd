export { findPrograms, findServers, isOnPath, programIn, type FoundServer } from './find.js';
export { type KnownProgram } from './find.js';
export { hostOf, isOnThisMachine } from './http.js';
export { ModelError, type LanguageModel, type ModelAnswer } from './model.js';
export { MONTHLY_DAYS, planAsk, restUntil, spendingSince, type AskPlan } from './spending.js';
export { openModel } from './open.js';
