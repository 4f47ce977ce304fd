/** A command that failed in one session, and the same with one option, setting or tool changed that works in a later one. */

import { differenceBetween, type Difference, type Spelled } from '../../text/command-change.js';
import { errorSpan } from '../../text/error-span.js';
import { TRIED_TAG, type Candidate, type Evidence } from '../../types.js';
import { compareText, sortedSet } from '../order.js';
import { groupOf } from '../sessions.js';

/** Longest text of a lesson. */
const MAX_TEXT = 200;
/** Words that a runner may put before the command, e.g. `uv run`. */
const BEHIND = 3;

/** How one session's last try of a command ended. */
interface Try extends Spelled {
  spelling: string;
  folder: string;
  time: string;
  ok: boolean;
  /** Signature of the failure, '' when it says nothing. */
  error: string;
  /** The failure says that the program itself is not there. */
  absent: boolean;
  group: string;
  mentions: readonly string[];
  candidate: Candidate;
}

function isTry({ tags }: Candidate): boolean {
  return tags.includes(TRIED_TAG);
}

/** Tries that cannot be placed in time prove nothing about later. */
function tryOf(candidate: Candidate, groups: ReadonlyMap<string, string>): Try | null {
  const { text, subject, value, tags, evidence, mentions } = candidate;
  if (!isTry(candidate) || subject === null || value === null || value === '') return null;
  const spelling = text.slice(1, -1);
  const words = spelling.split(' ');
  const at = words.findIndex((word) => !/^\w+=/.test(word));
  const ok = tags.includes('ok');
  return {
    spelling,
    env: words.slice(0, at),
    words: words.slice(at),
    folder: subject,
    time: value,
    ok,
    error: ok ? '' : evidence.quote,
    absent: tags.includes('absent program'),
    group: groupOf(groups, evidence),
    mentions,
    candidate,
  };
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
function standsIn(word: string, error: string): boolean {
  return new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`, 'i').test(error);
}
function isQuoted(word: string, error: string): boolean {
  return new RegExp(`["'\`‘“]${escaped(word)}["'\`’”]`).test(error);
}

/**
 * Whether an error names what was changed: an option with its dashes, a setting, a value in quotes, or the program that takes
 * over.
 */
function isNamed(error: string, failed: Try, { gone, come }: Difference): boolean {
  if (failed.absent) return come.length > 0 && gone.includes(failed.words[0]!);
  const part = (word: string): boolean => {
    if (word.startsWith('-')) return standsIn(word.replace(/=.*$/, ''), error.replace(/(?<![\w-])-(?=\w{2})/g, '--'));
    const setting = /^(\w+)=/.exec(word)?.[1];
    return setting === undefined ? isQuoted(word, error) : standsIn(setting, error);
  };
  if (gone.includes(failed.words[0]!)) return come[0] !== undefined && come[0] !== failed.words[0] && standsIn(come[0], error);
  return [...gone, ...come].some(part);
}

function countGroups(tries: readonly Try[]): number {
  return new Set(tries.map(({ group }) => group)).size;
}

/**
 * Proof when the error names nothing: it failed in two sessions, and the other form passed before the last of them and after.
 */
function isProvedByTurns(failures: readonly Try[], passes: readonly Try[], last: string): boolean {
  return countGroups(failures) >= 2 && passes.some(({ time }) => time < last);
}

interface Pair extends Difference {
  failures: Try[];
  pass: Try;
  passes: number;
  isNamed: boolean;
}

function pairOf(failures: Try[], passes: readonly Try[], others: readonly Try[]): Pair | null {
  const failed = failures.at(-1)!;
  const own = new Set(failures.map(({ group }) => group));
  const later = passes.filter(({ time, group }) => time > failed.time && !own.has(group));
  const pass = later.at(-1);
  const change = pass === undefined ? null : differenceBetween(failed, pass);
  if (pass === undefined || change === null || others.some(({ time }) => time > pass.time)) return null;
  const named = isNamed(failed.error, failed, change);
  return named || isProvedByTurns(failures, passes, failed.time)
    ? { ...change, failures, pass, passes: passes.length, isNamed: named }
    : null;
}

function sizeOf({ gone, come }: Pair): number {
  return gone.length + come.length;
}
function byFit(a: Pair, b: Pair): number {
  return Number(b.isNamed) - Number(a.isNamed) || sizeOf(a) - sizeOf(b) || b.passes - a.passes || compareText(a.to, b.to);
}

/** Key of tries by place and words, so that a failure is compared only with what could have been changed from it. */
function placeOf(one: Try, words: string): string {
  return `${one.folder}\0${words}`;
}
function rest(words: readonly string[], from: number): string {
  return words.slice(from).join(' ');
}

/** Options with their values may have come before the word that says what the program does. */
const FIRST_WORDS = 6;
function isPlain(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-');
}

function keysOf(one: Try): string[] {
  const [program, ...others] = one.words;
  const behind = Array.from({ length: BEHIND }, (_, n) => n + 1).filter((n) => one.words.length - n >= 2);
  const keys = ['program', ...others.slice(0, FIRST_WORDS).filter(isPlain)].map((word) => `option ${program!} ${word}`);
  return sortedSet([...keys, `rest ${rest(one.words, 1)}`, ...behind.map((n) => `whole ${rest(one.words, n)}`)]).map((key) =>
    placeOf(one, key),
  );
}
function wantedBy(one: Try): string[] {
  return [
    `option ${one.words[0]!} ${isPlain(one.words[1]) ? one.words[1]! : 'program'}`,
    `rest ${rest(one.words, 1)}`,
    `whole ${rest(one.words, 0)}`,
  ].map((key) => placeOf(one, key));
}

function grouped(tries: readonly Try[], keysFor: (one: Try) => readonly string[]): Map<string, Try[]> {
  const found = new Map<string, Try[]>();
  for (const one of tries)
    for (const key of keysFor(one)) {
      const same = found.get(key);
      if (same === undefined) found.set(key, [one]);
      else same.push(one);
    }
  return found;
}

function compareTries(a: Try, b: Try): number {
  return (
    compareText(a.time, b.time) ||
    compareText(a.group, b.group) ||
    compareText(JSON.stringify(a.candidate), JSON.stringify(b.candidate))
  );
}

/** One event per failure and one of the success; together they are the lesson. */
function candidatesOf(pair: Pair): Candidate[] {
  const failed = pair.failures.at(-1)!;
  const text = `\`${pair.from}\` fails here with ${errorSpan(failed.error, 80)}: \`${pair.to}\` works.`;
  if (text.length > MAX_TEXT) return [];
  const mentions = sortedSet([...failed.mentions, ...pair.pass.mentions]);
  const of = (one: Try, quote: string): Candidate => {
    const evidence: Evidence = { ...one.candidate.evidence, supports: true, quote };
    return {
      ...one.candidate,
      text,
      key: `changed:${pair.from}:${pair.to}`,
      importance: 2,
      alone: true,
      worth: pair.isNamed ? 0.5 : 0.4,
      evidence,
      mentions,
      tags: ['changed', 'cure'],
      subject: `instead of ${pair.from}`,
      value: pair.to,
    };
  };
  return [...pair.failures.map((one) => of(one, one.error)), of(pair.pass, pair.pass.spelling)];
}

/**
 * Failures of one session that another cured. Between two sessions anything may have been mended, unseen: the form must fail
 * wherever it was tried, the changed one must be the last that passed, and the error must name what was changed, or both must
 * have taken turns.
 * @param groups `agent\0session` -> that of its group: a fork is no other session
 */
export function changedAcrossSessions(candidates: readonly Candidate[], groups: ReadonlyMap<string, string>): Candidate[] {
  const tries = candidates.flatMap((candidate) => tryOf(candidate, groups) ?? []).sort(compareTries);
  const passed = tries.filter(({ ok }) => ok);
  const works = new Set(passed.map(({ spelling }) => spelling));
  const told = new Set(candidates.filter((c) => !isTry(c) && c.evidence.supports).map(({ subject }) => subject));
  const failures = grouped(
    tries.filter(({ ok, error, spelling }) => !ok && error !== '' && !works.has(spelling)),
    (one) => [placeOf(one, one.spelling)],
  );
  const failing = grouped(
    tries.filter(({ ok }) => !ok),
    (one) => [placeOf(one, one.spelling)],
  );
  const near = grouped(passed, keysOf);
  const best = new Map<string, Pair>();
  for (const all of failures.values()) {
    const last = all.at(-1)!;
    const same = all.filter(({ error }) => error === last.error);
    const bySpelling = grouped(
      sortedSet(wantedBy(last)).flatMap((key) => near.get(key) ?? []),
      (one) => [placeOf(one, one.spelling)],
    );
    const pairs = [...bySpelling].flatMap(
      ([key, passes]) => pairOf(same, [...new Set(passes)].sort(compareTries), failing.get(key) ?? []) ?? [],
    );
    const found = pairs.sort(byFit)[0];
    if (found === undefined || told.has(`instead of ${found.from}`)) continue;
    const before = best.get(found.from);
    if (before === undefined || byFit(found, before) < 0) best.set(found.from, found);
  }
  return [...best.values()].flatMap(candidatesOf);
}
