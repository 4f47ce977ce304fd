/**
 * Builds an adapter: the agent's definition turns records into events, and the engine turns events
 * into entries by common rules.
 */
import { PLACE_FIELDS } from '../types.js';
import type { Adapter, LogName, Origin, Outcome, RawEntry, SessionFacts } from '../types.js';
import type { Step, Usage } from '../types.js';
import { exitIn, isShellTool, rawEntryOf, readToolCall, type ToolCall } from './calls.js';
import { isPlainPath, plainCommand } from './kept.js';
import { textHash } from '../text/fingerprint.js';
import { count, dropBinary, isObject, type Json, short } from '../text/fields.js';
import { type Base, readPieces, type PromptPiece, promptEntries } from './typed.js';

/** Place of an event; missing fields come from the record's place. */
interface Placed extends Partial<Pick<RawEntry, (typeof PLACE_FIELDS)[number]>> {
  /** Id of the record or the block; null: the record has none. */
  id?: string | null;
  /** Name or number of the part within the record or block. */
  part?: string | number;
  time?: string | null;
  /** Working folder and branch, if not the session's. */
  cwd?: string | null;
  branch?: string | null;
  /** Whether the event belongs to a subagent; overrides the session's value. */
  child?: boolean;
}

/** What a record of a log can contain. */
export type Event =
  | ({ is: 'session'; session?: string | null } & Omit<Partial<SessionFacts>, 'session'>)
  /** Time of the record, without a zone. */
  | { is: 'time'; at: string | null }
  | ({ is: 'prompt'; text: string; by?: Origin; pieces?: PromptPiece[] } & Placed &
      Marked & {
        /** The call that the text answers or refuses; such a text contains no paste. */
        to?: Pick<RawEntry, 'tool' | 'call'>;
      })
  | ({ is: 'answer'; text: string; final?: boolean; exact?: boolean } & Placed & Marked)
  | ({ is: 'thought'; text: string } & Placed)
  /** `exact`: the spaces around the text belong to the text. */
  | ({ is: 'notice'; text?: string | null; mark?: Notice; exact?: boolean } & Placed & {
        by?: Origin;
        files?: string[];
      })
  | ({ is: 'call'; call: string | null; tool: string; input?: unknown } & Placed &
      Marked & {
        /** Used instead of the arguments. */
        asks?: ToolCall;
        text?: string;
        command?: string;
        by?: Origin;
        /** Stored with the call, since the id of its result begins with this. */
        group?: string | null;
        /** Stored with the call for the definition; null: the call is not stored. */
        more?: object | null;
      })
  /** Replaces the definition's data of an open call. */
  | { is: 'keep'; call: string; more: object }
  | ({ is: 'result'; text: string; ok: boolean | null } & Placed & {
        call: string | null;
        /** Id of the result's call, if another one; null: no call. */
        of?: string | null;
        /** Used instead of the call's command. */
        command?: string | null;
        /** Files in the result, in addition to the call's. */
        files?: string[];
        /** Calls that may have printed the result. */
        among?: string[];
        mark?: string | null;
        /** More results of the call may follow. */
        stays?: boolean;
        tool?: string | null;
        /** Absent: read from the text of a shell tool's result. */
        exit?: number | null;
        outcome?: Outcome | null;
        origin?: Origin;
        /** The call, if it is in the result's record; null: unknown. */
        asked?: { tool: string; input: unknown } | null;
      })
  | ({ is: 'usage'; native: string | null; time?: string | null } & {
      [Count in Exclude<keyof Usage, 'native' | 'time'>]?: unknown;
    })
  | { is: 'unknown'; type: unknown };

interface Marked {
  mark?: string | null;
}

type Notice = 'interrupt' | 'compaction' | 'rollback';

/** The state between two records; `more` belongs to the definition. */
export interface Kept<More> {
  facts: Place;
  /** Facts from the log's name, until they are sent with the session's first facts. */
  first: Partial<SessionFacts> | null;
  /** Hash of the last sent facts, since the state must not contain a title. */
  sent: string;
  calls: OpenCall[];
  more: More;
}

type Place = Pick<SessionFacts, 'session' | 'cwd' | 'branch' | 'subagent'>;

export interface Agent<More> extends Omit<Adapter, 'start' | 'step'> {
  /** The agent's own tools; others belong to an MCP server or a plugin. */
  ownTools: string | RegExp;
  /** Tools that run another agent; their results are that agent's text. */
  agentTools?: RegExp;
  /** The beginning of the result of a call that the person refused. */
  refused?: RegExp;
  /** Names of tags as for `readSaid`; null: there are none. */
  tags: string | null;
  /** Whether forks repeat messages without an id: all, only those with a time, or none (false). */
  repeats?: boolean | 'timed';
  /** Facts from the log's name and the files beside it. */
  begin?(name: LogName): Partial<SessionFacts> & { more?: More };
  more: More;
  /** Id and time of a record. */
  place?(record: Json, kept: Kept<More>): Placed;
  /** The events of a record, the new `more`, and the record's place if it depends on `more`. */
  read(record: Json, kept: Kept<More>): Event[] | { events: Event[]; more: More; at?: Placed };
}

const NOTICES: Record<string, string> = {
  interrupt: 'The user interrupted the turn.',
  compaction: 'The conversation was compacted.',
};

export function agent<More>(it: Agent<More>): Adapter<Kept<More>> {
  const { ownTools, agentTools, refused, tags, repeats, begin, more, place, read, ...rest } = it;
  const own = new Set(typeof ownTools === 'string' ? ownTools.split(' ') : []);
  const rules: Rules = {
    ...{ agentTools, refused, tags, repeats },
    isOwn: (tool) => (typeof ownTools === 'string' ? own.has(tool) : ownTools.test(tool)),
  };
  return {
    ...rest,
    start(name) {
      const { more: begun = more, ...facts } = begin?.(name) ?? {};
      const first = known(facts);
      return { facts: placeOf({ session: '', ...first }), first, sent: '', calls: [], more: begun };
    },
    step(before, { value }): Step<Kept<More>> {
      if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
      const found = read(value, before);
      const {
        events,
        more: after,
        at = place?.(value, before) ?? {},
      } = Array.isArray(found) ? { events: found, more: before.more } : found;
      const { facts, calls } = before;
      const step: Reading = { facts, calls, news: NO_NEWS, asked: null, ending: null };
      const rawEntries: RawEntry[] = [];
      const usage: Usage[] = [];
      const seen: Pick<Step<unknown>, 'at' | 'unknown'> = {};
      for (let n = 0; n < events.length; n++) {
        const event = events[n]!;
        const next = events[n + 1];
        step.ending = next?.is === 'result' && next.stays !== true ? next.call : null;
        if (event.is === 'session') enter(step, event);
        else if (event.is === 'time') seen.at = event.at;
        else if (event.is === 'usage') usage.push(...usageOf(event, at.time ?? null));
        else if (event.is === 'unknown')
          seen.unknown = (typeof event.type === 'string' ? event.type : 'none').slice(0, 80);
        else if (event.is === 'keep') step.calls = keepMore(step.calls, event);
        else rawEntries.push(...entriesOf(event, at, step, rules));
      }
      const newFacts =
        before.first === null && step.news === NO_NEWS ? null : factsOf(step, before);
      const { first, sent } = newFacts ?? before;
      const made: Step<Kept<More>> = {
        state: { facts: step.facts, first, sent, calls: step.calls, more: after },
        rawEntries,
      };
      if (newFacts !== null) made.session = newFacts.session;
      if (usage.length > 0) made.usage = usage;
      return Object.assign(made, seen);
    },
  };
}

/** New facts; null if there are none. */
function factsOf({ facts, news }: Reading, { first, sent: before }: Kept<unknown>) {
  const { session } = facts;
  if (session === '') return null;
  const sent = hashOf(session, news);
  if (first === null && sent === before) return null;
  return { first: null, sent, session: { ...first, ...news, session } };
}

let hashed = { session: '', news: {} as Json, hash: '' };

/** The hash of facts. The last one is cached, since the records of a session repeat their facts. */
function hashOf(session: string, news: Json): string {
  const isSame =
    session === hashed.session &&
    Object.keys(news).join() === Object.keys(hashed.news).join() &&
    Object.keys(news).every((key) => news[key] === hashed.news[key]);
  if (!isSame) hashed = { session, news, hash: textHash(JSON.stringify([session, news])) };
  return hashed.hash;
}

type Rules = { isOwn(tool: string): boolean } & {
  [Key in 'agentTools' | 'refused' | 'tags' | 'repeats']: Agent<unknown>[Key] | undefined;
};

const NO_NEWS: Partial<SessionFacts> = {};

interface Reading {
  facts: Place;
  calls: OpenCall[];
  news: Partial<SessionFacts>;
  /** The calls of this record, not yet shortened. */
  asked: Map<string | null, ReturnType<typeof askCall>> | null;
  /** The call whose result is the next event; not stored. */
  ending: string | null;
}

function placeOf({ session, cwd = null, branch = null, subagent = false }: SessionFacts): Place {
  return { session, cwd, branch, subagent };
}

/** Later facts may show that a person started a session that looked like a program's. */
function known(facts: Json): Partial<SessionFacts> {
  const found: Json = {};
  for (const key in facts)
    if (key !== 'is' && (facts[key] || (key === 'machine' && facts[key] === false)))
      found[key] = facts[key];
  return found;
}

/** Later facts replace earlier ones, except by null; rows of several sessions may alternate. */
function enter(step: Reading, event: Event & { is: 'session' }): void {
  const news = known(event);
  if (Object.keys(news).length === 0) return;
  const { session = step.facts.session } = news;
  const isOther = step.facts.session !== '' && session !== step.facts.session;
  const { cwd, branch, subagent }: Partial<Place> = isOther ? {} : step.facts;
  step.facts = {
    session,
    cwd: news.cwd ?? cwd ?? null,
    branch: news.branch ?? branch ?? null,
    subagent: news.subagent ?? subagent ?? false,
  };
  step.news = step.news === NO_NEWS ? news : Object.assign({}, step.news, news);
}

function usageOf(event: Event & { is: 'usage' }, at: string | null): Usage[] {
  const { native, time = at, cost } = event;
  const [input, cacheRead] = [count(event.input), count(event.cacheRead)];
  const [cacheWrite, output] = [count(event.cacheWrite), count(event.output)];
  if (native === null || input + cacheRead + cacheWrite + output === 0) return [];
  return [
    {
      native,
      time,
      model: short(event.model),
      input,
      cacheRead,
      cacheWrite,
      output,
      reasoning: count(event.reasoning),
      cost: typeof cost === 'number' && cost > 0 ? cost : null,
    },
  ];
}

type Spoken = Exclude<Event, { is: 'session' | 'time' | 'usage' | 'unknown' | 'keep' }>;

function entriesOf(event: Spoken, at: Placed, step: Reading, rules: Rules): RawEntry[] {
  const base = baseOf(event, at, step, rules);
  const ownChild = event.child ?? at.child;
  const isChild = ownChild ?? step.facts.subagent ?? false;
  const own = 'mark' in event && event.mark ? [event.mark] : [];
  const marks = isChild ? ['subagent', ...own] : own;
  // Thoughts, notices and results are marked as a subagent's only if the log itself marks them.
  const bare = ownChild === true ? marks : own;
  if (bare.length > 0) base.marks = bare;
  switch (event.is) {
    case 'prompt': {
      const by = event.by ?? (isChild ? 'agent' : 'user');
      const { text, to, pieces: pieces = to && [{ origin: by, text, marks: [] }] } = event;
      Object.assign(base, to);
      return promptEntries(base, pieces ?? readPieces(text, rules.tags ?? null, by), marks);
    }
    case 'answer':
    case 'thought': {
      const text = dropBinary(wordsOf(event));
      if (text === '') return [];
      if (event.is === 'thought')
        return [
          rawEntryOf(Object.assign(base, { role: 'thinking', origin: 'agent', text } as const)),
        ];
      if (event.final) marks.push('final');
      const answerFields = { role: 'assistant', origin: 'agent', text, marks } as const;
      return [rawEntryOf(Object.assign(base, answerFields))];
    }
    case 'notice': {
      const text = wordsOf(event) || (event.mark ? NOTICES[event.mark] : '');
      if (!text) return [];
      const { by = 'injected', files = [] } = event;
      const noticeFields = { role: 'system', origin: by, text, files, marks: bare } as const;
      return [rawEntryOf(Object.assign(base, noticeFields))];
    }
    case 'call': {
      const { call, tool, by = 'agent', group, text, command, more } = event;
      const input = command === undefined ? event.input : { command };
      const asks = event.asks ?? readToolCall(command === undefined ? tool : 'shell', input);
      const of = { id: call, tool, asks };
      const asked = askCall(Object.assign(base, { marks }), of, rules.isOwn(tool));
      const { raw, open } = asked;
      if (group !== undefined) open.group = group;
      if (more) open.more = more;
      step.asked = (step.asked ?? new Map()).set(call, asked);
      if (call !== null && more !== null && call !== step.ending)
        step.calls = addCall(step.calls, open);
      raw.origin = by;
      if (text !== undefined) raw.text = text;
      return [raw];
    }
    case 'result':
      return [resultOf(event, base, step, rules)];
  }
}

function wordsOf({ text, exact }: { text?: string | null; exact?: boolean }): string {
  return (exact && text?.trim() ? text : text?.trim()) ?? '';
}

function baseOf(event: Spoken, at: Placed, step: Reading, { repeats }: Rules): Base {
  const { facts } = step;
  const { id = at.id, part = at.part, time = at.time ?? null } = event;
  const { cwd = at.cwd, branch = at.branch ?? facts.branch ?? null } = event;
  const group = event.is === 'result' ? openOf(step, event.call)?.group : undefined;
  const whole = group === undefined ? (id ?? null) : group;
  const native = whole === null || part === undefined ? whole : `${whole}:${part}`;
  const base: Base = { native, time, cwd: cwd ?? facts.cwd ?? null, branch };
  const isNamed = native !== null || repeats === true || (repeats === 'timed' && time !== null);
  if (!isNamed || repeats === false) base.bySession = true;
  for (const field of PLACE_FIELDS) {
    const value = event[field] ?? at[field];
    if (value !== undefined && value !== false) Object.assign(base, { [field]: value });
  }
  return base;
}

/** The call with this id, from this record or from an earlier one. */
function openOf({ asked, calls }: Reading, call: string | null): OpenCall | undefined {
  return asked?.get(call)?.open ?? calls.find(({ id }) => id === call);
}

function resultOf(
  event: Event & { is: 'result' },
  base: Base,
  step: Reading,
  { isOwn, agentTools, refused }: Rules,
): RawEntry {
  const { call, ok, asked, of = call, among } = event;
  const fresh = asked
    ? askCall(
        base,
        { tool: asked.tool, asks: readToolCall(asked.tool, asked.input), id: call },
        isOwn(asked.tool),
      )
    : step.asked?.get(call);
  const open =
    fresh?.open ?? (asked === null ? undefined : step.calls.find((each) => each.id === call));
  if (event.stays !== true) step.calls = step.calls.filter(({ id }) => id !== call);
  const tool = event.tool ?? (open?.tool || null);
  const text = dropBinary(event.text);
  const isShell = tool === null || isShellTool(tool);
  const exit = event.exit ?? (event.exit === undefined && isShell ? exitIn(text) : null);
  const isFailed = ok === false || (exit !== null && exit !== 0);
  const ended: Outcome | null =
    ok !== true && refused?.test(text)
      ? 'rejected'
      : isFailed
        ? 'failed'
        : ok === null && exit === null
          ? null
          : 'ok';
  const isAgent = tool !== null && agentTools?.test(tool) === true;
  const origin = isAgent ? 'agent' : originOf(open, tool !== null && isOwn(tool));
  const asks = fresh?.raw ?? open;
  const { command = asks?.command ?? null, files: named = [] } = event;
  const files = asks?.files ?? [];
  const raw = rawEntryOf(
    Object.assign(base, {
      role: 'tool_result',
      origin: event.origin ?? origin,
      text,
      tool,
      call: of,
      exit,
      command,
      files: named.length === 0 ? files : [...new Set([...files, ...named])],
      outcome: event.outcome ?? ended,
    } as const),
  );
  if (among) raw.among = among;
  return raw;
}

/** Part of the state. Contains no text that may be a secret, since the state is stored unmasked. */
export interface OpenCall {
  id: string;
  tool: string;
  command: string | null;
  files: string[];
  /** The call's result comes from outside this machine. */
  web: boolean;
  /** Beginning of its result's id. */
  group?: string | null;
  /** The definition's data of the call. */
  more?: object;
}

/** A plausible tool name; the field of a damaged record may contain other text. */
const NAME = /^[\w.:/@-]{1,100}$/;

const MAX_CALLS = 24;
const CALLS_BYTES = 7 * 1024;

/** Adds a call and drops the oldest ones, to keep the state small. */
function addCall(
  calls: readonly OpenCall[],
  { id, tool, command, files, web, group, more }: OpenCall,
): OpenCall[] {
  const small: OpenCall = {
    id: id.slice(0, 200),
    tool: NAME.test(tool) ? tool : '',
    command: plainCommand(command),
    files: files.filter(isPlainPath).slice(0, 8),
    web,
  };
  if (group !== undefined) small.group = group;
  if (more !== undefined) small.more = more;
  const kept = [...calls.filter((open) => open.id !== small.id), small].slice(-MAX_CALLS);
  let bytes = kept.reduce((sum, open) => sum + sizeOf(open), 0);
  while (kept.length > 1 && bytes > CALLS_BYTES) bytes -= sizeOf(kept.shift()!);
  return kept;
}

/** Estimates the length of a value's JSON, which is faster than creating it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (!(value instanceof Object)) return 6;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Json)[key]);
  return size;
}

function keepMore(calls: readonly OpenCall[], { call, more }: Event & { is: 'keep' }): OpenCall[] {
  const open = calls.find(({ id }) => id === call);
  return open ? addCall(calls, { ...open, more }) : [...calls];
}

/**
 * The raw entry of a call, and the open call for the state.
 * @param isOwn whether the tool is the agent's own; others belong to an MCP server or a plugin,
 * whose results are external
 */
function askCall(
  base: Base,
  { id, tool, asks }: { id: string | null; tool: string; asks: ToolCall },
  isOwn: boolean,
): { raw: RawEntry; open: OpenCall } {
  const { text, command, files, web, marks } = asks;
  const external = web || !isOwn || files.some((file) => /^https?:/.test(file));
  const asked = {
    role: 'tool_call',
    origin: 'agent',
    text: dropBinary(text),
    tool,
    call: id,
    command,
    files,
    marks: [...(base.marks ?? []), ...marks],
  } as const;
  const raw = rawEntryOf(Object.assign({}, base, asked));
  return { raw, open: { id: id ?? '', tool, command, files, web: external } };
}

/**
 * Origin of a result, if not another agent. Only results of the agent's own tools on this machine
 * are local; unknown without the call.
 */
export function originOf(call: Pick<OpenCall, 'web'> | null | undefined, isOwn: boolean): Origin {
  return call && isOwn && !call.web ? 'tool' : 'external';
}
