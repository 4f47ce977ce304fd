/** The answer at a moment, as a hook and `recall --as-hook` show it. */
import { countTokens } from '../../text/tokens.js';
import { readLinks } from '../../links/registry.js';
import type { Db } from '../../store/index.js';
import type { Project } from '../../types.js';
import { readContext } from '../context-file.js';
import { type Recall, noteUses } from '../recall.js';
import { knownIn, recallSoon, sayItem } from './at-moment.js';
import type { KeptRows } from './kept-rows.js';
import { isForHook, type GivenBefore, type MomentType, type RecallItem } from './moment.js';

export interface MomentAsked {
  type: MomentType;
  text: string;
  output: string | null;
  /** The session of the moment; null: none. */
  session: string | null;
}

/** Whether the search of texts is fast enough. */
export interface Pace {
  mayRank(): boolean;
  ranked(isInTime: boolean): void;
}

interface MomentAnswer {
  type: MomentType;
  /** Slug; null: every project. */
  project: string | null;
  /** Usually '', which prints nothing. */
  text: string;
  /** Tokens of `text`: at most 200, for a prompt 400. */
  tokens: number;
  items: RecallItem[];
}

/** Answers a moment of a project (null: every project) in a new session, and notes the use. */
export async function answerMoment(
  recall: Recall,
  project: Project | null,
  asked: MomentAsked,
): Promise<MomentAnswer> {
  const isLinked =
    project !== null && readLinks(recall.paths.links).some(({ slug }) => slug === project.slug);
  const page = isLinked ? readContext(recall.paths, project).text : '';
  const moment = { ...asked, project: project?.id ?? null };
  const before = { given: new Set<string>(), page };
  const items = await recall.store.read(async (db) =>
    recallSoon(await knownIn(db, moment), moment, before, () => true),
  );
  const answer = answerOf(asked.type, project, items);
  noteShown(recall, answer);
  return answer;
}

/**
 * Like `answerMoment`, for a hook (see `recallSoon`). While the database cannot be read, it answers
 * from rows in memory. The caller passes what the session was shown, and notes the use later.
 * @param pace asked before the search of texts, if facts and lessons give nothing
 * @param late aborted when the answer is due
 */
export async function answerSoon(
  rows: KeptRows,
  project: Project,
  moment: MomentAsked,
  before: GivenBefore,
  { pace, late }: { pace: Pace; late: AbortSignal },
): Promise<MomentAnswer> {
  const lessons = await rows.lessons(project.id, late);
  if (lessons === null) return answerOf(moment.type, project, []);
  const shown = lessons.filter((lesson) => isForHook(lesson, moment.type));
  const stored = { lessons: shown, folders: () => Promise.resolve(project.folders) };
  const about = { ...moment, project: project.id };
  const from = (db: Db | null): Promise<RecallItem[]> => {
    let isRanking = false;
    const mayRank = (): boolean => (isRanking = pace.mayRank());
    return recallSoon({ ...stored, db }, about, before, mayRank).finally(
      () => isRanking && pace.ranked(!late.aborted),
    );
  };
  const items = (await rows.soon(late, from)) ?? (await from(null));
  return answerOf(moment.type, project, items);
}

function answerOf(type: MomentType, project: Project | null, items: RecallItem[]): MomentAnswer {
  const text = items.map(sayItem).join('\n');
  return { type, project: project?.slug ?? null, text, tokens: countTokens(text), items };
}

/** Notes the items of an answer as used. */
export function noteShown(
  recall: Pick<Recall, 'paths' | 'clock'>,
  { items, project }: MomentAnswer,
): void {
  noteUses(
    recall,
    'recall',
    items.map(({ kind, id }) => ({ type: kind === 'entry' ? 'entry' : 'lesson', id, project })),
  );
}
