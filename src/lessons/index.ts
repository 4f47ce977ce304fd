/** Computes lessons from candidates. Pure: no clock, no I/O, no order of reading. */

export { projectClockOf, type ProjectClock } from './days.js';
export { changedFields, formatCrystal, renderCrystal, withFields } from './crystal/crystal.js';
export { ownWords, planCrystalEdits, withOwnWords, type OwnWords } from './crystal/edits.js';
export { adoptCrystal, foreignClaims, joinCrystals } from './crystal/merge.js';
export { purgeCrystal, type Purged } from './crystal/purge.js';
export { parseCrystal, rememberedEdits, rememberedLessons } from './crystal/parse.js';
export type { Crystal, CrystalEntity, CrystalRelation } from './crystal/shape.js';
export {
  distillProject,
  forgottenWordings,
  untainted,
  withheldOf,
  type Material,
} from './distill.js';
export { authorOf } from './edit-authors.js';
export {
  editBy,
  planAdd,
  planApart,
  planForget,
  planNever,
  planPin,
  planReword,
  planUndo,
} from './edit-plans.js';
export type { Withheld } from './taint/taint.js';
export { foldEdits, isOpenToAgents, newestEdit, uniteEdits } from './edits.js';
export { blankLesson } from './forming.js';
export { explain } from './explain.js';
export { lessonId } from './identity.js';
export { lessonAt } from './join.js';
export { uniteEvidence } from './order.js';
export { asLearnt } from './crystal/remembered.js';
export { repeatedByFiles } from './same.js';
