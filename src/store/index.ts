/** The store's door: everything that rooms above may use. */
export type { Db } from './db.js';
export { openStore } from './store.js';
export type { Store, StoreOptions } from './store.js';
export { bootStore, confirmDamage, readBlocks, rescueStore } from './boot.js';
export type { BootReport } from './opening.js';
export { trueFile } from './true-file.js';
export { isGivenUp } from './opening.js';
export { acquireLock, lockHolder } from './lock.js';
export { isProcessAlive, publishFile, publishParts, sweepTemps } from './publish.js';
export { faultKind } from './fault.js';
export { commitBatches, entriesOfSessions, planReach, restoreEntries, sessionEntries } from './entries.js';
export { loadBadLines, loadCheckpoints, saveCheckpoints, sourceStats, unknownRecords } from './sources.js';
export type { SourceStats } from './sources.js';
export {
  countPending,
  extractAgain,
  knownSessions,
  moveYields,
  passOverSession,
  pendingSessions,
  sessionsOfProjects,
  setSessionProjects,
  takeUpSessions,
  touchedFiles,
} from './sessions.js';
export type { PendingSession } from './sessions.js';
export {
  activeDays,
  filesOfProject,
  loadFolders,
  loadProjects,
  projectClock,
  projectSpans,
  saveFolders,
  saveProjects,
} from './projects.js';
export {
  countHoles,
  learnHolesAnew,
  loadTierChecks,
  loadTierFaults,
  saveTierChecks,
  saveTierFaults,
  trimTierFaults,
} from './tiers.js';
export type { TierCheck, TierFault } from './tiers.js';
export { loadExtraction, replaceExtractions } from './extraction.js';
export { countLeft, leftOfIds, leftOfSessions, lengthsOf, putTextsBack, tiersOfLeft } from './left-texts.js';
export type { LeftText, LeftTier } from './left-texts.js';
export type { ExtractionMark, Yield } from './extraction.js';
export { loadEpisodes, loadRelations, projectMaterial } from './material.js';
export type { StoredMaterial } from './material.js';
export { addEdit, addNewEdits, callsNaming, loadEdits, moveEdits, openFileEdits, setEditAuthors } from './edits.js';
export type { FileEdit } from './edits.js';
export { addTransitions, lessonByPrefix, loadLessons, saveLessons } from './lessons.js';
export type { Transition } from './lessons.js';
export {
  closeKilledRuns,
  endRun,
  failuresInRow,
  lastRuns,
  plannedRetries,
  type PlannedRetry,
  startRun,
  trimRuns,
} from './job-runs.js';
export type { RunOutcome } from './job-runs.js';
export type { EntryFilter } from './search-words.js';
export { entriesById, entryIds, entryNeighbours, fillTexts, searchExact, searchWords } from './search-words.js';
export type { EntryHit } from './search-words.js';
export { searchArchive } from './archive-search.js';
export {
  countMissing,
  hasVectors,
  dropForeignVectors,
  lessonVectors,
  missingVectors,
  passagesOf,
  saveVectors,
  searchVectors,
} from './vectors.js';
export type { MissingVector, VectorRow } from './vectors.js';
export { addUses } from './citations.js';
export type { Use } from './citations.js';
export { addLlmCall, finishLlmCall, llmFailures, llmTotals, timeoutsOf, tokensSince } from './llm-calls.js';
export type { LlmCall } from './llm-calls.js';
export { noteCall, notedCalls, parseCalls } from './llm-calls.js';
export { openQuestions, saveAnswer } from './asked.js';
export type { Question } from './asked.js';
export { addProposals, loadOffered, loadProposals, markConsolidated, openProject, saveOffered } from './asked.js';
export type { ProjectPurpose } from './asked.js';
export {
  archivedTextDays,
  dropTexts,
  dropTiers,
  dueTiers,
  leftOfTiers,
  loadTiers,
  saveTiers,
  textIdsOfTiers,
  textStats,
  tierHeads,
  tiersWithText,
} from './tiers.js';
export type { DueTier, InTier, TextDay, Tier, TierHead, TierKey } from './tiers.js';
export { cutTexts } from './mend.js';
export type { CutTexts } from './mend.js';
export { bytesOfTerms, sliceKeys, textsOf } from './texts.js';
export type { TextKey } from './texts.js';
export { askArchive, badName, shelveUnlessGzip } from './archive.js';
export { findLackOfSpace } from './reserve.js';
export { storeBytes, storeCounts } from './learnt.js';
export { dropMeta, metaValue, setMeta } from './meta.js';
export {
  agentSessions,
  extractedSessions,
  loadEntities,
  loadRelationSessions,
  newestProjects,
  sessionByPrefix,
  sessionHead,
} from './learnt.js';
export { donePeriods } from './job-runs.js';
export { queryStore } from './query.js';
export type { Answer } from './duckdb.js';
export { findCitations, newestEntry } from './citations.js';
export { isHalfAir, isLoose, storeFilling, storePacking } from './rebuild.js';
export { countPurged, findPurged, someTexts, stillSaid, whereHeld } from './purge-find.js';
export type { Found, PurgeTarget } from './purge-find.js';
export { dropStrays, emptiedBy, removePurged } from './purge-remove.js';
export type { Removed } from './purge-remove.js';
export { addPurged, loadPurged, purgedLog } from './purged.js';
export { projectsOfLogs, unlearntSince } from './health.js';
export type { Unlearnt } from './health.js';
export { failingJobs, leftSessions } from './health.js';
export type { FailingJob, LeftSession } from './health.js';
