/** Renders hits for a person. Pure. */
import { visible } from '../errors.js';
import { shortPath } from '../links/line.js';
import type { EntryHit } from '../store/index.js';
import { passageAround } from './passage.js';
import type { Hit } from '../types.js';
import type { SearchAnswer } from './search.js';

export interface View {
  now: Date;
  userHome: string;
  /** Whether matches are highlighted. */
  colour: boolean;
}

/** The line above weak hits. */
export const WEAK = 'nothing near was found; weak matches:\n\n';

type Context = NonNullable<Hit['context']>;
const TURN_CHARS = 200;

/** The entries around a hit in its session. @param near the hit and its neighbours, in order */
export function contextOf(id: string, near: readonly EntryHit[]): Context {
  const own = near.findIndex((entry) => entry.id === id);
  if (own < 0) return [];
  const turns = near.map(({ id, role, time: at, text, path, line }, i) => ({
    ...{ place: i - own, id, role, at, text: passageAround(text, null, 400), path, line },
  }));
  return turns.filter(({ place }) => place !== 0);
}

/** Makes hidden signs in texts of others visible. */
export function renderAnswer({ hits, mode, weak }: SearchAnswer, view: View): string {
  if (hits.length === 0) return `nothing found (${mode} search)\n`;
  const rendered = hits.map((hit, place) => renderHit(hit, place, view));
  return `${weak ? WEAK : ''}${rendered.join('\n\n')}\n`;
}

function renderHit(hit: Hit, place: number, view: View): string {
  const past = hit.status === 'live' ? null : hit.status;
  const what = [past, hit.type, hit.role, hit.tool].filter((part) => part !== null).join(' ');
  const head = [
    `${place + 1}. [${what}] ${ageOf(timeOf(hit), view.now)}`,
    hit.project,
    shortId(hit),
  ].filter((part) => part !== null);
  const at = hit.path === null ? [] : [`${shortPath(hit.path, view.userHome)}:${hit.line}`];
  const asked = hit.question === null ? [] : [`> ${hit.question}`];
  const more =
    hit.similar.length === 0 ? [] : [`(and ${hit.similar.length} more that say nearly the same)`];
  const [first, ...rest] = [head.join(' · '), ...at, ...asked].map(visible);
  const [before, after] = [-1, 1].map((side) =>
    (hit.context ?? []).filter((turn) => turn.place * side > 0).map(renderTurn),
  );
  return [
    first,
    ...[...rest, ...before!, marked(hit, view.colour), ...after!, ...more].map(
      (line) => `   ${line}`,
    ),
  ].join('\n');
}

const SHORT_ID = 10;
const SHORT_LESSON = 8;
/** Long enough for ids that begin with the time, so that sessions of the same minute differ. */
const SHORT_SESSION = 13;

/** The argument for `show`: the beginning of the id; for an episode, of its session's id. */
function shortId({ type, id, session }: Hit): string | null {
  if (type === 'note') return null;
  if (type === 'episode') return session?.slice(0, SHORT_SESSION) ?? null;
  return id.slice(0, type === 'entry' ? SHORT_ID : SHORT_LESSON);
}

const MIDNIGHT = 'T00:00:00.000Z';

/** A hit without an entry has a day and no time: its `at` is midnight. */
function timeOf({ type, at }: Hit): string | null {
  return type !== 'entry' && at?.endsWith(MIDNIGHT) === true ? at.slice(0, -MIDNIGHT.length) : at;
}

function renderTurn({ place, role, text }: Context[number]): string {
  return visible(
    `${place > 0 ? '+' : ''}${place} ${role}: ${passageAround(text, null, TURN_CHARS)}`,
  );
}

function marked({ passage: text, matches }: Hit, colour: boolean): string {
  if (!colour) return visible(text);
  let [out, at] = ['', 0];
  for (const [start, end] of matches) {
    out += `${visible(text.slice(at, start))}\u001b[1;33m${visible(text.slice(start, end))}\u001b[0m`;
    at = end;
  }
  return out + visible(text.slice(at));
}

const UNITS: [name: string, seconds: number, until: number][] = [
  ['minute', 60, 3600],
  ['hour', 3600, 86_400],
  ['day', 86_400, 14 * 86_400],
  ['week', 7 * 86_400, 60 * 86_400],
  ['month', 30 * 86_400, 730 * 86_400],
  ['year', 365 * 86_400, Number.POSITIVE_INFINITY],
];

/**
 * `3 days ago`; a future day as itself. Pure.
 * @param at time, or a day (UTC), which is `today` until it ends
 */
function ageOf(at: string | null, now: Date): string {
  if (at === null) return 'at an unknown time';
  const isDay = at.length === 'YYYY-MM-DD'.length;
  const seconds =
    ((isDay ? Date.parse(now.toISOString().slice(0, 10)) : now.getTime()) - Date.parse(at)) / 1000;
  if (!(seconds >= 0)) return at.slice(0, 10);
  if (isDay && seconds < 2 * 86_400) return seconds === 0 ? 'today' : 'yesterday';
  const [name, length] = UNITS.find(([, , until]) => seconds < until)!;
  const count = Math.floor(seconds / length);
  return count === 0 ? 'just now' : `${count} ${name}${count === 1 ? '' : 's'} ago`;
}
