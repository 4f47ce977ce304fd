/** What memory_search, memory_show and memory_lessons answer; server.ts registers them. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { byWeight, lessonsSeenIn } from '../commands/lessons/read.js';
import { show } from '../commands/show.js';
import { neutralise } from '../context/index.js';
import { answerMoment } from '../recall/moments/answer.js';
import { WEAK } from '../recall/hits.js';
import { WEAK_SHOWN } from '../recall/nearness.js';
import { search } from '../recall/search.js';
import { isShown, type Hit, type Lesson, type LessonKind, type SearchOptions } from '../types.js';
import { cutTo, MOST_TOKENS, say, sayItems } from './answer.js';
import { type Memory, projectOf } from './memory.js';
import { beginRecall, type Recalled, withGiven } from './recalled.js';
import { usage } from '../errors.js';
import { dayFrom } from '../text/days.js';

export const SCOPES = ['all', 'lessons', 'messages', 'episodes', 'notes'] as const;

/** Scope of the tool to what the search calls it. */
const KIND_OF: Record<(typeof SCOPES)[number], string | null> = {
  all: null,
  lessons: 'lesson',
  messages: 'entry',
  episodes: 'episode',
  notes: 'note',
};

export interface Wanted {
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
  const { hits, weak } = await search(memory.app.recall!, options);
  const said = hits.slice(0, weak ? WEAK_SHOWN : hits.length).map(sayHit);
  return sayItems(
    weak ? [WEAK.trim(), ...said] : said,
    `nothing is known about "${wanted.query}"`,
    'narrow the query',
  );
}

function dayIn({ io }: Memory, text: string | undefined): string | null {
  const day = text === undefined ? null : dayFrom(text, io.clock.now());
  if (text !== undefined && day === null)
    throw usage(`${text} is no day`, 'write 2026-11-20, today, yesterday, 7d or 2w');
  return day;
}

function sayHit(hit: Hit): string {
  const id = hit.type === 'entry' ? ` · id ${hit.id.slice(0, 12)}` : '';
  const asked = hit.question === null ? '' : `  asked: ${hit.question}\n`;
  const more = hit.similar.length === 0 ? '' : ` · ${hit.similar.length} more say nearly the same`;
  return `[${hit.type}${hit.role === null ? '' : ` ${hit.role}`}] ${hit.text}\n${asked}  ${hit.citation}${id}${more}`;
}

/** What matters for a task and was not given yet. */
export async function recallFor(
  memory: Memory,
  task: string,
  before: Recalled,
): Promise<{ result: CallToolResult; recalled: Recalled }> {
  const begun = beginRecall(before, task);
  const asked = {
    type: 'prompt' as const,
    text: task,
    output: null,
    session: null,
    given: begun.given,
  };
  const { text, items } = await answerMoment(memory.app.recall!, await projectOf(memory), asked);
  const shown = items.map(({ id }) => id);
  const nothing =
    begun.given.size > 0
      ? 'nothing more is known about this task'
      : 'nothing is known about this task';
  return { result: say(text === '' ? nothing : text.trimEnd()), recalled: withGiven(begun, shown) };
}

export async function showOne(memory: Memory, id: string, around: number): Promise<CallToolResult> {
  return say(
    cutTo((await show(memory.app, id.replace(/^\^/, '').toLowerCase(), around)).text, MOST_TOKENS),
  );
}

export async function listLessons(
  memory: Memory,
  kind: LessonKind | null,
  limit: number,
): Promise<CallToolResult> {
  const project = await projectOf(memory);
  const lessons = (await memory.app.store.read((db) => lessonsSeenIn(db, project?.id ?? null)))
    .filter((lesson) => isShown(lesson) && (kind === null || lesson.kind === kind))
    .sort(byWeight);
  const rows = lessons.slice(0, limit).map(sayLesson);
  return sayItems(rows, 'no lesson is known here', 'ask for one kind');
}

function sayLesson({ id, kind, text, saidBy, status, pinned }: Lesson): string {
  const marks = [
    saidBy === 'user' ? 'the user said' : '',
    pinned ? 'pinned' : '',
    status === 'conflict' ? 'contradicted' : '',
  ].filter(Boolean);
  return `${kind}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}: ${neutralise(text)} ^${id.slice(0, 8)}`;
}
