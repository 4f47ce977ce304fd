/** What memory_search, memory_recall and memory_show answer. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { answerQuestion, WIDER } from '../recall/answer/answer.js';
import { WEAK } from '../recall/hits.js';
import { WEAK_SHOWN } from '../recall/nearness.js';
import { search } from '../recall/search.js';
import { type Hit, type SearchOptions } from '../types.js';
import { cutTo, MOST_TOKENS, say, sayItems } from './answer.js';
import { type Memory, projectOf } from './memory.js';
import type { MomentType } from '../recall/moments/moment.js';
import { usage } from '../errors.js';
import { dayFrom } from '../text/days.js';
import { show } from '../recall/show.js';

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
  const answer = await answerQuestion(memory.app.recall!, project, asked);
  return say(answer.text.replace(WIDER, 'or call memory_search with `everywhere`'));
}

export async function showOne(memory: Memory, id: string, around: number): Promise<CallToolResult> {
  return say(
    cutTo((await show(memory.app, id.replace(/^\^/, '').toLowerCase(), around)).text, MOST_TOKENS),
  );
}
