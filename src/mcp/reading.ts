/** Answers of memory_search, memory_recall and memory_show. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { answerQuestion, WIDER } from '../recall/answer/answer.js';
import { WEAK } from '../recall/hits.js';
import { WEAK_SHOWN, search } from '../recall/search.js';
import { type Hit, type SearchOptions, isShown, type LessonKind } from '../types.js';
import { cutTo, MOST_TOKENS, say, sayItems, type Memory, projectOf } from './answer.js';
import type { MomentType } from '../recall/moments/moment.js';
import { usage, AppError, EXIT } from '../errors.js';
import { dayFrom } from '../text/days.js';
import { show } from '../recall/show.js';
import { isOpenToAgents, planAdd, planForget } from '../lessons/index.js';
import { keyOfText } from '../text/fingerprint.js';
import { maskText } from '../jobs/upkeep/mask.js';
import { loadLessons } from '../store/index.js';
import { oneLesson } from '../recall/lessons.js';
import { carryOut, makeEdit } from '../work.js';

export const SCOPES = ['all', 'lessons', 'messages', 'episodes', 'notes'] as const;

/** Maps a scope of the tool to a kind of the search. */
const KIND_OF: Record<(typeof SCOPES)[number], string | null> = {
  all: null,
  lessons: 'lesson',
  messages: 'entry',
  episodes: 'episode',
  notes: 'note',
};

interface Wanted {
  query: string;
  scope: (typeof SCOPES)[number];
  limit: number;
  everywhere: boolean;
  since?: string | undefined;
  until?: string | undefined;
}

export async function searchMemory(memory: Memory, wanted: Wanted): Promise<CallToolResult> {
  const project = wanted.everywhere ? null : await projectOf(memory);
  const options: SearchOptions = {
    query: wanted.query,
    project: project?.id ?? null,
    limit: wanted.limit,
    mode: 'hybrid',
    agent: null,
    kind: KIND_OF[wanted.scope],
    role: null,
    since: dayIn(memory, wanted.since),
    until: dayIn(memory, wanted.until),
  };
  const { hits, weak } = await search(memory.app, options);
  const found = hits.slice(0, weak ? WEAK_SHOWN : hits.length).map(sayHit);
  return sayItems(
    weak ? [WEAK.trim(), ...found] : found,
    `nothing is known about "${wanted.query}"`,
    'narrow the query',
  );
}

function dayIn({ io }: Memory, text: string | undefined): string | null {
  const day = text === undefined ? null : dayFrom(text, io.clock.now());
  if (text !== undefined && day === null)
    throw usage(`${text} is not a day`, 'write 2026-11-20, today, yesterday, 7d or 2w');
  return day;
}

function sayHit(hit: Hit): string {
  const id = hit.type === 'entry' ? ` · id ${hit.id.slice(0, 12)}` : '';
  const asked = hit.question === null ? '' : `  asked: ${hit.question}\n`;
  const more = hit.similar.length === 0 ? '' : ` · ${hit.similar.length} more say nearly the same`;
  return `[${hit.type}${hit.role === null ? '' : ` ${hit.role}`}] ${hit.passage}\n${asked}  ${hit.citation}${id}${more}`;
}

interface Asked {
  text: string;
  type?: MomentType | undefined;
  output?: string | undefined;
}

export async function recallMemory(
  memory: Memory,
  { type, text, output }: Asked,
): Promise<CallToolResult> {
  const asked = { type: type ?? null, text, output: output ?? null };
  const project = await projectOf(memory);
  const answer = await answerQuestion(memory.app, project, asked);
  return say(answer.text.replace(WIDER, 'or call memory_search with `everywhere`'));
}

export async function showOne(memory: Memory, id: string, around: number): Promise<CallToolResult> {
  return say(
    cutTo((await show(memory.app, id.replace(/^\^/, '').toLowerCase(), around)).text, MOST_TOKENS),
  );
}

// memory_remember and memory_forget: their edits have the agent as author.

interface Remembered {
  text: string;
  kind: LessonKind;
  everywhere: boolean;
}

/**
 * Adds a lesson with an agent's low trust, which is checked for taint; a known sentence adds none.
 */
export async function remember(
  memory: Memory,
  { text, kind, everywhere }: Remembered,
): Promise<CallToolResult> {
  const project = everywhere ? null : await projectOf(memory);
  if (!everywhere && project === null)
    throw new AppError('NO_PROJECT', 'this folder is not a known project', {
      hint: 'it is known once a session in it was read; `everywhere` takes what is true of the person in every project',
      exitCode: EXIT.usage,
    });
  const words = (await maskText(memory.app, text)).trim();
  const owners = project === null ? [null] : [project.id, null];
  const lessons = await memory.app.store.read((db) =>
    Promise.all(owners.map((owner) => loadLessons(db, { owner }))),
  );
  const known = lessons
    .flat()
    .find((each) => isShown(each) && keyOfText(each.text) === keyOfText(words));
  if (known !== undefined) return say(`known already: ${known.text} ^${known.id.slice(0, 8)}`);
  const owner = project?.id ?? null;
  const plan = planAdd(owner, kind, words, memory.app.clock.now().toISOString());
  const { verb, note } = await makeEdit(memory.app, memory.io, { plan, owner, verb: 'remembered' });
  return verb === 'withheld'
    ? say(`noted, but withheld: ${note}`)
    : say(
        `remembered as what an agent says: ${words} ^${plan.lesson.slice(0, 8)}${note === null ? '' : `\n${note}`}`,
      );
}

/** Forgets an agent's lesson or a fact; for a person's lesson, names the command for the person. */
export async function forget(memory: Memory, meant: string): Promise<CallToolResult> {
  const lesson = await oneLesson(memory.app, meant);
  if (!isOpenToAgents(lesson, 'forget'))
    return say(
      `not forgotten: the user said or pinned "${lesson.text}". Propose it to them; they can type ` +
        `\`dripstone lessons forget ${lesson.id.slice(0, 8)}\` in a terminal of their own`,
    );
  await memory.app.store.release();
  const edit = planForget(lesson.id, memory.app.clock.now().toISOString());
  await carryOut(memory.io, { kind: 'edit', edit, owner: lesson.project });
  return say(`forgotten: ${lesson.text}`);
}
