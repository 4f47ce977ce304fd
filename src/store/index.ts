/** The store's interface: everything that modules above may use. */
export { grouped, type Db } from './db.js';
export {
  addReceipts,
  bestReceipt,
  countReceipts,
  followedSince,
  receiptsSince,
  type Followed,
  type Receipt,
  type ToldItem,
} from './search/receipts.js';
export { editorsOf, shownOfFiles } from './history.js';
export {
  aftermathOf,
  changedSince,
  failuresLike,
  SAME_ERRORS,
  failuresOf,
  promptsNaming,
  sessionRows,
  type Aftermath,
  type EarlierFailure,
  type NextStep,
  type SessionRow,
} from './search/moments.js';
export { openStore } from './store.js';
export type { Store } from './store.js';
export { STORE_VERSION } from './schema.js';
export { renewed } from './repair/opening.js';
export { bootStore, readBlocks } from './repair/boot.js';
export type { BootReport } from './repair/opening.js';
export { trueFile } from './repair/true-file.js';
export { isGivenUp } from './repair/opening.js';
export { acquireLock, lockHolder } from './lock.js';
export { hashOf, isProcessAlive, publishFile, publishParts, sweepTemps } from './publish.js';
export { faultKind, isStoreLost } from './repair/fault.js';
export {
  commitBatches,
  entriesOfSessions,
  restoreEntries,
  sessionEntries,
} from './rows/entries.js';
export { loadBadLines, loadCheckpoints, logsOfSessions, sourceStats } from './rows/sources.js';
export {
  agentsRead,
  countPending,
  extractAgain,
  knownSessions,
  moveYields,
  passOverSession,
  pendingSessions,
  pendingTimes,
  sessionsOfProjects,
  setSessionProjects,
  takeUpAllSessions,
  takeUpPassed,
  touchedFiles,
} from './rows/sessions.js';
export type { PendingSession } from './rows/sessions.js';
export {
  activeDays,
  daysOf,
  loadFolders,
  loadProjects,
  projectNames,
  projectClock,
  projectClocks,
  projectSizes,
  projectSessions,
  saveFolders,
  saveProjects,
} from './rows/projects.js';
export { replaceExtractions } from './rows/extraction.js';
export type { Yield } from './rows/extraction.js';
export { allFactEvents, askFacts, saveFactEvents } from './facts.js';
export {
  isQuicklyJudged,
  loadRepeats,
  type AnswerRow,
  type CallRow,
  type RepeatRow,
  type Repeats,
} from './repeats.js';
export {
  brokenRules,
  metBefore,
  offeredGuards,
  storedRules,
  type Met,
  type StoredRule,
} from './rules.js';
export {
  noteReviewed,
  noteWish,
  offeredWishes,
  storedWishes,
  waitingFor,
  type Wish,
} from './reviewed.js';
export {
  branchesOf,
  editedFiles,
  forkGroups,
  lastAnswers,
  loadEpisodes,
  materialOf,
  typedText,
} from './rows/material.js';
export type { StoredMaterial } from './rows/material.js';
export {
  droppedNotes,
  notesLeftOut,
  timesOf,
  undoneSince,
  type StoredDropped,
  type Undone,
} from './rows/notes.js';
export {
  addEdit,
  addNewEdits,
  callsNaming,
  editsByOwner,
  loadEdits,
  copyEdits,
  editsOf,
  moveEdits,
  openFileEdits,
  setEditAuthors,
} from './rows/edits.js';
export type { FileEdit } from './rows/edits.js';
export {
  pageVersions,
  lessonByPrefix,
  loadLessons,
  reviewableLessons,
  saveLessons,
} from './rows/lessons.js';
export {
  closeKilledRuns,
  endRun,
  failuresInRow,
  lastRuns,
  plannedRetries,
  type PlannedRetry,
  startRun,
  trimRuns,
} from './rows/job-runs.js';
export type { RunOutcome } from './rows/job-runs.js';
export type { EntryFilter } from './search/entry-filter.js';
export {
  entriesById,
  entryIds,
  entryNeighbours,
  fillHits,
  fillPlaces,
  rankTogether,
  rankWords,
  searchExact,
} from './search/search-words.js';
export {
  lessonCosines,
  newestEvidence,
  textsContaining,
  type StoredText,
} from './search/lesson-texts.js';
export { compactStates, liveStates, openStates, readStates } from './search/token-states.js';
export type { Signs } from './search/token-states.js';
export { typedBefore } from './search/typed-before.js';
export type { EntryHit, RankedHit } from './search/search-words.js';
export {
  countMissing,
  missingVectors,
  nearEntries,
  passagesOf,
  saveVectors,
} from './search/vectors.js';
export {
  embedFault,
  hasVectors,
  setEmbedFault,
  settleLength,
  useModel,
  vectorModel,
  type VectorModel,
} from './search/vector-model.js';
export type { MissingVector, NearEntries, VectorRow } from './search/vectors.js';
export { sumUsage } from './usage.js';
export type { UsageKey, UsageSum } from './usage.js';
export { addUses } from './rows/uses.js';
export type { Use } from './rows/uses.js';
export {
  addLlmCall,
  finishLlmCall,
  lastRefusals,
  llmFailures,
  llmTotals,
  newestCall,
  timeoutsOf,
  tokensSince,
} from './rows/llm-calls.js';
export type { LlmCall } from './rows/llm-calls.js';
export { isNewRequest } from './rows/requests.js';
export { openQuestions, questionsNamed, saveAnswer, type OpenQuestion } from './rows/asked.js';
export type { Question } from './rows/asked.js';
export {
  forgetTiers,
  loadTiers,
  rowsOfTiers,
  saveTiers,
  tierDays,
  tierKeys,
} from './rows/tiers.js';
export type { Tier, TierDay, TierKey, TierRow } from './rows/tiers.js';
export { bytesOfTerms, sliceKeys, textsOf } from './rows/texts.js';
export type { TextKey } from './rows/texts.js';
export { askArchive, badName, keptBad } from './search/archive.js';
export { findLackOfSpace } from './repair/reserve.js';
export { storeBytes, storeCounts } from './rows/learnt.js';
export { metaValue, setMeta } from './rows/meta.js';
export { homeState, saveHomeState, type HomeState } from './rows/home-state.js';
export {
  loadDirtyProjects,
  markDirty,
  projectStates,
  saveProjectStates,
} from './rows/project-state.js';
export {
  forgetPassed,
  loadPassed,
  savePassed,
  type Passed,
  type PassedKey,
  type ProjectStep,
} from './rows/passed-over.js';
export {
  agentSessions,
  extractedSessions,
  namesAnything,
  relationsOf,
  newestProjects,
  sessionByPrefix,
  sessionHead,
} from './rows/learnt.js';
export { donePeriods } from './rows/job-runs.js';
export {
  placeInSession,
  sessionLine,
  sessionLines,
  sessionTitles,
  sessionWindow,
} from './search/session-lines.js';
export { queryStore } from './search/query.js';
export type { Answer } from './db.js';
export { isLoose, storePacking } from './repair/rebuild.js';
export { termsFound } from './search/rank-terms.js';
export { findPurged, someTexts, passagesLeft, columnsWith, rowsLeft } from './repair/purge-find.js';
export type { Found } from './repair/purge-find.js';
export { dropLessons, dropStrays, removePurged } from './repair/purge-remove.js';
export type { Removed } from './repair/purge-remove.js';
export {
  addPurged,
  dropMarkedEdits,
  knownMarks,
  loadPurged,
  isPurgeOpen,
  purgedEdit,
  purgedLog,
  purgedSession,
  setPurgeOpen,
} from './repair/purged.js';
export { failingJobs, leftSessions, unlearntSince } from './rows/health.js';
export { withPlaces } from './search/numbers.js';
