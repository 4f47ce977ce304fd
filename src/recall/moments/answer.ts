/** The answer at a moment, as commands, MCP and the daemon give it. */
import { countTokens } from '../../context/index.js';
import { readLinks } from '../../links/registry.js';
import type { Db } from '../../store/index.js';
import type { Project } from '../../types.js';
import { readContext } from '../context-file.js';
import { queryVector } from '../query-vector.js';
import type { Recall } from '../recall.js';
import { noteUses } from '../uses.js';
import { recallAt, recallSoon, sayItem } from './at-moment.js';
import type { HeldRows } from './held.js';
import type { Heard, MomentType, RecallItem } from './moment.js';

export interface MomentAsked {
  type: MomentType;
  text: string;
  output: string | null;
  /** Whose moment it is; null: of no session. */
  session: string | null;
  /** What that session was told before. */
  given: ReadonlySet<string>;
}

export interface MomentAnswer {
  type: MomentType;
  /** Slug; null: every project. */
  project: string | null;
  /** `hybrid`: the meaning of a prompt helped to find lessons; else words and names alone. */
  mode: 'hybrid' | 'keyword';
  /** '' is silence, the usual answer. */
  text: string;
  /** o200k tokens of `text`, at most 200. */
  tokens: number;
  items: RecallItem[];
}

/** Answers a moment of a project (null: every project) and notes what was told. */
export async function answerMoment(
  recall: Recall,
  project: Project | null,
  asked: MomentAsked,
): Promise<MomentAnswer> {
  const { given, ...moment } = asked;
  const isLinked =
    project !== null && readLinks(recall.paths.links).some(({ slug }) => slug === project.slug);
  const page = isLinked ? readContext(recall.paths, project).text : '';
  const vector = moment.type === 'prompt' ? await queryVector(recall, moment.text) : null;
  const wanted = { ...moment, project: project?.id ?? null };
  const items = await recall.store.read((db) => recallAt(db, wanted, { given, page }, vector));
  const answer = {
    ...answerOf(moment.type, project, items),
    mode: vector === null ? ('keyword' as const) : ('hybrid' as const),
  };
  noteTold(recall, answer);
  return answer;
}

/**
 * As `answerMoment`, for a hook: see `recallSoon`; while the database is not to be had, from what
 * is held. The caller knows what the session has before it, and notes later what was told.
 * @param mayRank asked when rows prove nothing, just before what was said is looked for
 * @param isWanted false once nobody waits for the answer
 */
export async function answerSoon(
  rows: HeldRows,
  project: Project,
  moment: Omit<MomentAsked, 'given'>,
  heard: Heard,
  { mayRank, isWanted }: { mayRank(): boolean; isWanted(): boolean },
): Promise<MomentAnswer> {
  const held = {
    lessons: await rows.lessons(project.id),
    folders: () => Promise.resolve(project.folders),
  };
  const about = { ...moment, project: project.id };
  const from = (db: Db | null): Promise<RecallItem[]> =>
    isWanted() ? recallSoon({ ...held, db }, about, heard, mayRank) : Promise.resolve([]);
  const items = (await rows.soon(from)) ?? (await from(null));
  return answerOf(moment.type, project, items);
}

export function answerOf(
  type: MomentType,
  project: Project | null,
  items: RecallItem[],
): MomentAnswer {
  const text = items.map(sayItem).join('\n');
  return {
    type,
    project: project?.slug ?? null,
    mode: 'keyword',
    text,
    tokens: countTokens(text),
    items,
  };
}

/** Notes the items of an answer as used. */
export function noteTold(
  recall: Pick<Recall, 'paths' | 'clock'>,
  { items, project }: MomentAnswer,
): void {
  noteUses(
    recall,
    'recall',
    items.map(({ kind, id }) => ({ type: kind === 'entry' ? 'entry' : 'lesson', id, project })),
  );
}
