/**
 * Makes an adapter of an agent's vocabulary: its records become events, and the engine makes entries
 * of them. The engine owns what is the same for all agents: ids of parts, the person's words, tags
 * and pasted text, marks of subagents, open calls, who wrote a result, and when facts are news.
 */
import type { Adapter, LogName, Origin, Outcome, RawEntry, SessionFacts } from '../types.js';
import type { Step, Usage } from '../types.js';
import { rawEntryOf } from './calls.js';
import { dropBinary, isObject, type Json, object, textHash } from './fields.js';
import { addCall, askCall, type Base, endCall, type OpenCall } from './open-calls.js';
import { readSaid, type Said, saidEntries } from './typed.js';

interface Placed {
  /** Id of the record or the block; absent: the record has none. */
  id?: string | null;
  time?: string | null;
  /** Working folder, if not the session's. */
  cwd?: string | null;
}

/** What a record of a log says. */
export type Event =
  | ({ is: 'session' } & Partial<SessionFacts>)
  | ({ is: 'prompt'; text: string; by?: Origin; said?: Said[]; child?: boolean } & Placed)
  | ({ is: 'answer'; text: string; final?: boolean; mark?: string; child?: boolean } & Placed)
  | ({ is: 'thought'; text: string } & Placed)
  | ({ is: 'notice'; text?: string; mark?: 'interrupt' | 'compaction' } & Placed)
  | ({ is: 'call'; call: string | null; tool: string; input: unknown; child?: boolean } & Placed)
  | ({ is: 'result'; text: string; ok: boolean | null; exit?: number | null } & Placed & {
        call: string | null;
        tool?: string | null;
        outcome?: Outcome | null;
        origin?: Origin;
        /** The call, where the log has it beside its result; null: it is unknown. */
        asked?: { tool: string; input: unknown } | null;
      })
  | ({ is: 'usage'; native: string | null } & Partial<Omit<Usage, 'native'>>)
  | { is: 'unknown'; type: unknown };

/** What the engine keeps between two records; `more` is the agent's own. */
export interface Kept<More> {
  facts: Place;
  /** Facts that no record has said, until the first ones are sent. */
  first: Partial<SessionFacts> | null;
  /** Hash of the facts that were sent last: a title or a remote is not kept. */
  sent: string;
  calls: OpenCall[];
  more: More;
}

type Place = Pick<SessionFacts, 'session' | 'cwd' | 'branch' | 'subagent'>;

export interface Agent<More> extends Omit<Adapter, 'start' | 'step'> {
  /** Tools of the agent itself; any other belongs to an MCP server or a plugin. */
  ownTools: string | RegExp;
  /** Names of tags as for `readSaid`. */
  tags: string;
  /** What the log's name and the files beside it say. */
  begin?(name: LogName): Partial<SessionFacts>;
  more: More;
  /** The events of a record, and what the agent itself keeps. */
  read(record: Json, kept: Kept<More>): Event[] | { events: Event[]; more: More };
}

const NOTICES = {
  interrupt: 'The user interrupted the turn.',
  compaction: 'The conversation was compacted.',
};

/** A value of JSON in a small file; an empty object if it is not there, or half written. */
export function parse(json: unknown): Json {
  if (typeof json !== 'string') return object(json);
  try {
    return object(JSON.parse(json));
  } catch {
    return {};
  }
}

export function agent<More>(it: Agent<More>): Adapter<Kept<More>> {
  const { ownTools, tags, begin, more, read, ...adapter } = it;
  const own = new Set(typeof ownTools === 'string' ? ownTools.split(' ') : []);
  const isOwn = (tool: string): boolean =>
    typeof ownTools === 'string' ? own.has(tool) : ownTools.test(tool);
  return {
    ...adapter,
    start(name) {
      const first = begin?.(name) ?? {};
      return { facts: placeOf({ session: '', ...first }), first, sent: '', calls: [], more };
    },
    step(before, { value }): Step<Kept<More>> {
      if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
      const found = read(value, before);
      const { events, more: after } = Array.isArray(found)
        ? { events: found, more: before.more }
        : found;
      const step: Reading = { facts: before.facts, calls: before.calls, news: {} };
      const rawEntries: RawEntry[] = [];
      const usage: Usage[] = [];
      let unknown: string | undefined;
      for (const event of events) {
        if (event.is === 'session') enter(step, event);
        else if (event.is === 'usage') usage.push(...usageOf(event));
        else if (event.is === 'unknown')
          unknown = (typeof event.type === 'string' ? event.type : 'none').slice(0, 80);
        else rawEntries.push(...entriesOf(event, step, isOwn, tags));
      }
      const { facts, calls } = step;
      const news = { ...before.first, ...step.news };
      const sent = textHash(JSON.stringify([facts.session, step.news]));
      const isKnown = facts.session !== '';
      const isNew = before.first !== null || (Object.keys(news).length > 0 && sent !== before.sent);
      const isSent = isKnown && isNew;
      return {
        state: {
          facts,
          ...(isSent ? { first: null, sent } : { first: before.first, sent: before.sent }),
          ...{ calls, more: after },
        },
        rawEntries,
        ...(isSent ? { session: { ...news, session: facts.session } } : {}),
        ...(usage.length > 0 ? { usage } : {}),
        ...(unknown === undefined ? {} : { unknown }),
      };
    },
  };
}

interface Reading {
  facts: Place;
  calls: OpenCall[];
  news: Partial<SessionFacts>;
}

function placeOf({ session, cwd = null, branch = null, subagent = false }: SessionFacts): Place {
  return { session, cwd, branch, subagent };
}

/**
 * Later facts win over earlier ones, null overwrites nothing; rows of several sessions are mixed.
 */
function enter(step: Reading, { is: _, ...event }: Event & { is: 'session' }): void {
  const known = Object.entries(event).filter(([, value]) => value !== null && value !== undefined);
  const { session = step.facts.session } = event;
  const before = session === step.facts.session ? step.facts : { session };
  step.facts = placeOf({ ...before, session, ...Object.fromEntries(known) });
  step.news = { ...step.news, ...Object.fromEntries(known) };
}

function usageOf({ is: _, native, ...told }: Event & { is: 'usage' }): Usage[] {
  const counts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
  const usage = { ...counts, time: null, model: null, cost: null, ...told };
  const sum = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  return native === null || sum === 0 ? [] : [{ ...usage, native }];
}

function entriesOf(
  event: Exclude<Event, { is: 'session' | 'usage' | 'unknown' }>,
  step: Reading,
  isOwn: (tool: string) => boolean,
  tags: string,
): RawEntry[] {
  const { facts } = step;
  const native = event.id ?? null;
  const base: Base = {
    ...{ native, time: event.time ?? null, cwd: event.cwd ?? facts.cwd ?? null },
    branch: facts.branch ?? null,
    ...(native === null ? { bySession: true } : {}),
  };
  const isChild = 'child' in event && event.child !== undefined ? event.child : facts.subagent;
  const child = isChild ? ['subagent'] : [];
  switch (event.is) {
    case 'prompt': {
      const by = event.by ?? (isChild ? 'agent' : 'user');
      return saidEntries(base, event.said ?? readSaid(event.text, tags, by), child);
    }
    case 'answer':
    case 'thought': {
      const text = dropBinary(event.text.trim());
      if (text === '') return [];
      if (event.is === 'thought')
        return [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })];
      const marks = [...child, ...(event.mark ? [event.mark] : event.final ? ['final'] : [])];
      return [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks })];
    }
    case 'notice': {
      const text = event.text?.trim() || (event.mark ? NOTICES[event.mark] : '');
      const marks = event.mark ? [event.mark] : [];
      return text === ''
        ? []
        : [rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks })];
    }
    case 'call': {
      const { call, tool, input } = event;
      const asked = askCall({ ...base, marks: child }, { id: call, tool, input }, isOwn(tool));
      step.calls = addCall(step.calls, asked.open);
      return [asked.raw];
    }
    case 'result': {
      const { is: _, id: __, time: ___, cwd: ____, asked, ...rest } = event;
      const ending = { tool: asked?.tool ?? null, ...rest };
      if (asked === undefined) {
        const { raw, calls } = endCall(base, step.calls, ending, isOwn);
        step.calls = calls;
        return [raw];
      }
      if (asked === null) return [endCall(base, [], ending, isOwn).raw];
      const { raw, open } = askCall(base, { ...asked, id: event.call }, isOwn(asked.tool));
      const ended = endCall(base, [{ ...open, id: event.call! }], ending, isOwn).raw;
      return [{ ...ended, command: raw.command, files: raw.files }];
    }
  }
}

/** The id of a part of a record. */
export function partOf(id: string | null, part: string | number): string | null {
  return id === null ? null : `${id}:${part}`;
}
