/** Tools that teach: memory_remember and memory_forget. What an agent says through them is the agent's. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { makeEdit } from '../commands/lessons/lessons.js';
import { oneLesson } from '../commands/lessons/read.js';
import { isOpenToAgents, planAdd, planForget } from '../distill/index.js';
import { AppError, EXIT } from '../errors.js';
import { saysStanding } from '../extract/index.js';
import { readJudgeWeights } from '../jobs/learning/judge-weights.js';
import { maskText } from '../jobs/upkeep/mask.js';
import { recallFrom } from '../recall/recall.js';
import { search } from '../recall/search.js';
import { entriesById } from '../store/index.js';
import type { Caller, LessonKind } from '../types.js';
import { say } from './answer.js';
import { type Memory, needStore, projectOf } from './memory.js';

/** Prompts with the same words that are looked at. */
const MOST_LOOKED = 20;
/** A lesson is a sentence. */
export const MOST_CHARS = 300;

export interface Remembered {
  text: string;
  kind: LessonKind;
  everywhere: boolean;
}

/**
 * Adds a lesson: the agent's, at its low trust and under taint like all that agents say, unless the text is, word for word, a
 * sentence that the person typed and that says it holds on.
 */
export async function remember(memory: Memory, { text, kind, everywhere }: Remembered): Promise<CallToolResult> {
  needStore(memory);
  const project = everywhere ? null : await projectOf(memory);
  if (!everywhere && project === null)
    throw new AppError('NO_PROJECT', 'this folder is no project that is known', {
      hint: 'it is known once a session in it was read; `everywhere` takes what is true of the person in every project',
      exitCode: EXIT.usage,
    });
  const words = (await maskText(memory.app, text)).trim();
  const isPersons = await personSaid(memory, words, project?.id ?? null);
  const caller: Caller = isPersons ? { kind: 'person' } : memory.io.caller();
  const plan = planAdd(project?.id ?? null, kind, words, memory.app.clock.now().toISOString());
  await memory.app.store.release();
  const lesson = await makeEdit(memory.io, plan, project?.id ?? null, caller);
  if (lesson === null || lesson.status === 'forgotten')
    return say('noted, but withheld: the person forgot it, or a tool or page named a part of it before anybody here did');
  const whose = isPersons ? "as the person's own word" : 'as what an agent says';
  return say(`remembered ${whose}: ${lesson.text} ^${plan.lesson.slice(0, 8)}`);
}

/** Whether these words are a whole sentence that the person typed, here or (for what holds everywhere) anywhere, and stand. */
async function personSaid({ app }: Memory, words: string, project: string | null): Promise<boolean> {
  if (!saysStanding(readJudgeWeights(), words)) return false;
  const where = { project, agent: null, since: null, until: null, limit: MOST_LOOKED };
  const { hits } = await search(recallFrom(app), { ...where, query: words, mode: 'exact', role: 'user', kind: 'entry' });
  const found = await app.store.read((db) =>
    entriesById(
      db,
      hits.map(({ id }) => id),
    ),
  );
  return found.some(({ origin, text }) => origin === 'user' && isSentenceOf(words, text));
}

/** A question is no wish. */
const END = /^[^\S\n]*(?:[.!。！\n]|$)/u;
const BEGIN = /(?:^|[.!?。！？:\n]\s*|[-*]\s+)$/u;

/** Whether words stand in a text as a sentence of their own: "use npm" is none of "never use npm". */
export function isSentenceOf(words: string, text: string): boolean {
  const bare = words.replace(/[.!。！]+$/u, '');
  for (let at = text.indexOf(bare); at >= 0; at = text.indexOf(bare, at + 1))
    if (BEGIN.test(text.slice(0, at)) && END.test(text.slice(at + bare.length))) return true;
  return false;
}

/** Forgets what agents said or tools showed; of a person's word it only says how the person can. */
export async function forget(memory: Memory, meant: string): Promise<CallToolResult> {
  needStore(memory);
  const lesson = await oneLesson(memory.app, meant);
  if (!isOpenToAgents(lesson, 'forget'))
    return say(
      `not forgotten: the user said or pinned "${lesson.text}". Propose it to them; they can type ` +
        `\`dripstone lessons forget ${lesson.id.slice(0, 8)}\` in a terminal of their own`,
    );
  await memory.app.store.release();
  await makeEdit(memory.io, planForget(lesson.id, memory.app.clock.now().toISOString()), lesson.project, memory.io.caller());
  return say(`forgotten: ${lesson.text}`);
}
