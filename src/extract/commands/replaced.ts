import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import type { Run } from './runs.js';
import { missingLine } from './steps-that-work.js';

/** A replacement stands at most this many entries after the failure. */
const REACH = 13;

/** Edits between two words, at most 3. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 3;
}

const bare = (word: string): string => word.replace(/^.*\//, '');

/** Words of a form without narrow placeholders, for comparing. */
const plain = (run: Run): string[] => run.form.words.filter((w) => !/^(?:[A-Z]+|\.\/PACKAGE)$/.test(w));

/** The same program behind a prefix, or by its path: `uv run pytest` for `pytest`, `./gradlew` for `gradle`. */
function isPrefixed(from: string[], to: string[]): boolean {
  const program = bare(from[0] ?? '');
  if (from.length === 0 || to.length === 0) return false;
  const at = to.findIndex((w, i) => i < 5 && (bare(w) === program || (i === 0 && w !== from[0] && bare(w).replace(/w$|\d$/, '') === program.replace(/\d$/, ''))));
  if (at < 0 || (at === 0 && to[0] === from[0])) return false;
  const sub = from[1];
  return sub === undefined || sub.startsWith('-') || to.slice(at + 1).includes(sub) || !/^[a-z]/.test(sub);
}

/** The same runner with a near-equal name: `make gen-docs` for `make gen-doc`. */
function isNearName(from: string[], to: string[]): boolean {
  if (from.length < 2 || from[0] !== to[0] || from.length !== to.length) return false;
  const differing = from.map((w, i) => [w, to[i] ?? ''] as const).filter(([a, b]) => a !== b);
  const [only] = differing;
  if (differing.length !== 1 || only === undefined || only[0].startsWith('-')) return false;
  const [a, b] = only;
  return a.length > 3 && (distance(a, b) <= 2 || a.replace(/[-_:]/g, '') === b.replace(/[-_:]/g, ''));
}

/** The same command without an option that the failure named. */
function isWithoutOption(from: string[], to: string[], line: string): boolean {
  const gone = from.filter((w) => w.startsWith('-') && !to.includes(w));
  return from[0] === to[0] && gone.length === 1 && line.includes(gone[0] ?? '\u0000') && to.every((w) => from.includes(w));
}

/** Why the first form fails, in few words; the rest of tool text is never shown. */
function reasonOf(run: Run, line: string): string {
  const word = bare(run.form.words[0] ?? '');
  if (/command not found|not recognized|No such file/i.test(line) && line.includes(word)) return `\`${word}\` alone is not found here`;
  const modul = /No module named ['"]?([\w.]+)|Cannot find module ['"]?([\w@./-]+)/.exec(line);
  if (modul !== null) return `outside of it \`${modul[1] ?? modul[2] ?? ''}\` is not found`;
  if (/missing script|no rule|no such task|not found|unknown/i.test(line)) return 'there is no such name';
  return 'it is not accepted here';
}

/** What the command is called in the lesson: the words that differ, without placeholders. */
const shownAs = (words: string[]): string => words.slice(0, 4).join(' ');

function pairOf(from: Run, to: Run, line: string): { from: string; to: string } | null {
  const [a, b] = [plain(from), plain(to)];
  if (isWithoutOption(a, b, line)) return { from: a.join(' '), to: b.join(' ') };
  if (isNearName(a, b)) return { from: shownAs(a), to: shownAs(b) };
  if (!isPrefixed(a, b)) return null;
  const program = bare(a[0] ?? '');
  const at = b.findIndex((w) => bare(w) === program);
  return { from: a[0] ?? '', to: b.slice(0, (at < 0 ? 0 : at) + 1).join(' ') };
}

/** Corrections from a form that is missing here and the form that worked soon after. */
export function replacedCommands(session: SessionInput, runs: Run[]): Candidate[] {
  const worked = new Set(runs.filter((r) => r.verdict === 'ok').map((r) => r.form.text));
  const found = new Map<string, Candidate>();
  for (const [i, from] of runs.entries()) {
    const line = from.verdict === 'failed' || from.verdict === 'unknown' ? missingLine(from) : null;
    if (line === null || worked.has(from.form.text) || from.step.scripted) continue;
    for (const to of runs.slice(i + 1)) {
      if (to.at - from.at > REACH) break;
      if (to.verdict !== 'ok' || to.form.text === from.form.text || to.step.scripted || to.form.words.some((w) => w.startsWith('/'))) continue;
      const pair = pairOf(from, to, line);
      if (pair === null || pair.from === pair.to || /[`$]/.test(pair.from + pair.to)) continue;
      const costly = runs.filter((r) => r.verdict === 'failed' && r.form.text === from.form.text).length >= 3;
      const key = `instead:${pair.from}`;
      found.set(key, observed(session, {
        kind: 'correction',
        text: `Use \`${pair.to}\` instead of \`${pair.from}\`: ${reasonOf(from, line)}.`,
        key,
        importance: costly ? 4 : 3,
        alone: true,
        worth: 0.7,
        entry: to.call.entry,
        quote: to.call.entry.command ?? pair.to,
        tags: ['replaced', `class:${to.form.class}`],
        subject: `instead of ${pair.from}`,
        value: pair.to,
        commands: [pair.to],
      }));
      break;
    }
  }
  return [...found.values()];
}
