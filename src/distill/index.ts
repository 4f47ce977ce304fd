/** From candidates to lessons: merge, judge, remember. Pure: no clock, no I/O, no order of reading. */

export { confidenceAt, halfLifeOf, weighEvidence, FADED_BELOW, HALF_LIFE_DAYS } from './confidence.js';
export { renderCrystal, uniteEntities, uniteRelations, type CrystalInput } from './crystal.js';
export { planCrystalEdits } from './crystal-edits.js';
export { joinCrystals } from './crystal-import.js';
export { mergeCrystals } from './crystal-merge.js';
export { purgeCrystal, type Purged, type PurgedCrystal } from './crystal-purge.js';
export { formatCrystal } from './crystal-text.js';
export { ownWords, withOwnWords, type OwnWords } from './crystal-words.js';
export { parseCrystal, rememberedEdits, rememberedLessons, type ParsedCrystal } from './crystal-parse.js';
export type { Crystal, CrystalEntity, CrystalLesson, CrystalRelation, Tombstone } from './crystal-shape.js';
export { planDetailEdits, type DetailFile as EditedDetail } from './detail-edits.js';
export { distillProject, type Distilled, type Material } from './distill.js';
export { planAdd, planForget, planPin, planReword, planUndo } from './edit-plans.js';
export { foldEdits, newestEdit, uniteEdits, PERSON, type Standing } from './edits.js';
export { explain } from './explain.js';
export { foldAborted } from './fold-episodes.js';
export { lessonId } from './identity.js';
export { compareWithInstructions, type Compared } from './instructions.js';
export { likeGroups } from './like-groups.js';
export { sessionKey } from './remembered.js';
export { lessonAt, statusOf } from './status.js';
