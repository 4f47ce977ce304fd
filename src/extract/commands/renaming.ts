/** What a failure says is missing, and which words of a later command stand in its place. */
import type { Candidate } from '../../types.js';
import type { Verdict } from '../outcome.js';
import type { SessionInput } from '../session.js';
import type { Step } from '../shell/steps.js';
import { observed } from './candidate.js';
import { asksForItself } from './classify.js';
import type { Call } from './runs.js';

interface Missing {
  word: string;
  kind: 'program' | 'module' | 'option' | 'name';
}

interface Renaming {
  from: string;
  to: string;
  /** The names differ by a letter or two. */
  near: boolean;
}

const PROGRAM =
  /command not found: ([\w./+-]+)|(?:^|[\s:])([\w./+-]*[A-Za-z][\w./+-]*): (?:command )?not found(?!: ?[\w./+-])|'([\w.+-]+)' is not recognized as an internal|([\w.+-]+): No such file or directory|Failed to spawn: `([\w.+-]+)`|could not determine executable to run|executable file not found.*"([\w.+-]+)"|exec: "([\w.+-]+)"/;
const MODULE = /No module named ['"]?([\w.]+)|Cannot find (?:module|package) ['"]([\w@./-]+)/;
const OPTION =
  /(?:unknown|unrecognized|unexpected|invalid|unsupported|no such)(?: shorthand)? (?:option|flag|argument|arguments|switch)s?:? ['"`]?(-{1,2}[\w-]+)|flag provided but not defined: (-[\w-]+)|unknown (?:shorthand )?flag:? (?:'\w' in )?(-{1,2}[\w-]+)/i;
const NAME =
  /(?:missing script|no rule to make target|unrecognized subcommand|unknown (?:command|task|target|subcommand|recipe|script)|no (?:such )?(?:task|target|command|recipe|script)(?: named)?|does not contain recipe|invalid choice|command not found)[:]?\s+['"`‘]?([\w:./@-]+)['"`’]?|(?:task|target|recipe|command|script|subcommand) ['"`]?([\w:./@-]+)['"`]? (?:not found|does not exist|is not defined|unknown)|['"`]([\w:-]+)['"`] is not (?:a|an) .{0,30}(?:command|task|subcommand)/i;

function bare(word: string): string {
  return word.replace(/^.*\//, '');
}

function firstGroup(hit: RegExpExecArray | null): string | null {
  return hit?.slice(1).find((g) => g !== undefined) ?? null;
}

/** The word of a command that its output names as missing, or null. */
export function missingWord(words: string[], output: string): Missing | null {
  for (const line of output.split('\n').slice(0, 120)) {
    if (line.length > 400) continue;
    const option = firstGroup(OPTION.exec(line));
    if (option !== null && words.some((w) => w === option || w.startsWith(`${option}=`))) return { word: option, kind: 'option' };
    const module = firstGroup(MODULE.exec(line));
    if (module !== null && words.some((w) => bare(w) === module.split('.')[0] || w === module))
      return { word: module, kind: 'module' };
    const program = firstGroup(PROGRAM.exec(line));
    if (program !== null && bare(program) === bare(words[0] ?? '')) return { word: words[0] ?? '', kind: 'program' };
    const name = firstGroup(NAME.exec(line));
    if (name !== null && words.slice(1).includes(name)) return { word: name, kind: 'name' };
  }
  return null;
}

/** Letters to change between two words, at most 3. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 3;
}

const SHOWN = /^[\w./:@+=-]{1,50}$/;
const LOOKING =
  /^(?:which|type|command|whereis|ls|cat|echo|grep|rg|find|test|file|stat|man|apt|apt-get|brew|dnf|npm|pip|pip3|cargo|sudo|export|source|cd|head|tail|git)$/;

/**
 * The same program behind a prefix or by its path: `uv run pytest` for `pytest`, `./gradlew` for `gradle`, `python3` for
 * `python`.
 */
function prefixed(from: string[], to: string[]): Renaming | null {
  const program = bare(from[0] ?? '');
  // `mise x tool -- tool`: only what stands behind the dashes runs.
  const dashes = to.indexOf('--') + 1;
  const least = dashes > 0 && dashes < 6 && bare(to[dashes] ?? '') === program ? dashes : 0;
  const at = to.findIndex((w, i) => i >= least && i < 6 && bare(w) === program && (i > 0 || w !== from[0]));
  if (
    at === 0 ||
    (at > 0 && !LOOKING.test(to[0] ?? '') && /^(?:run|exec|-m|x|dlx|tool|\S*env\S*|exec|--)$|^-/.test(to[at - 1] ?? '')) ||
    (at === 1 && /^(?:npx|bunx|uvx|pnpm|yarn|mise|fvm|sudo|wine|xvfb-run)$/.test(to[0] ?? ''))
  ) {
    return { from: from[0] ?? '', to: to.slice(0, at + 1).join(' '), near: false };
  }
  const head = bare(to[0] ?? '');
  const isNear =
    head !== program &&
    !LOOKING.test(head) &&
    (head.replace(/[\d.]+$/, '') === program.replace(/[\d.]+$/, '') || `${program}w` === head);
  return isNear && sameRest(from, to) ? { from: from[0] ?? '', to: to[0] ?? '', near: true } : null;
}

function sameRest(from: string[], to: string[]): boolean {
  return from[1] === undefined || to[1] === from[1] || from.slice(1).some((w) => w.length > 2 && to.includes(w));
}

/** The same words up to the one that is missing, and another word in its place. */
function renamedAt(from: string[], to: string[], missing: string): Renaming | null {
  const at = from.indexOf(missing);
  const next = to[at];
  if (at < 1 || next === undefined || next === missing || !/^[a-z]/i.test(next) || from.slice(0, at).some((w, i) => w !== to[i]))
    return null;
  const near =
    distance(missing, next) <= 2 ||
    missing.replace(/[-_:]/g, '') === next.replace(/[-_:]/g, '') ||
    next.startsWith(missing) ||
    missing.startsWith(next);
  const rest = from.slice(at + 1).filter((w) => !w.startsWith('-'));
  if (!near && !(rest.length > 0 && rest.every((w) => to.includes(w)))) return null;
  return { from: from.slice(0, at + 1).join(' '), to: to.slice(0, at + 1).join(' '), near };
}

/** The same command without the option that is not accepted. */
function withoutOption(from: string[], to: string[], option: string): Renaming | null {
  const head = from.filter((w) => w !== option && !w.startsWith(`${option}=`) && !w.startsWith('-')).slice(0, 2);
  if (to.includes(option) || head.length === 0 || head.some((w, i) => to[i] !== w)) return null;
  const rest = from.filter((w) => w !== option && !w.startsWith(`${option}=`));
  return rest.length === to.length && rest.every((w) => to.includes(w))
    ? { from: [...head, option].join(' '), to: head.join(' '), near: false }
    : null;
}

/** What replaced the missing part, when the later command is the same one in another form. */
function renamed(from: string[], to: string[], missing: Missing): Renaming | null {
  const found =
    missing.kind === 'name'
      ? renamedAt(from, to, missing.word)
      : missing.kind === 'option'
        ? withoutOption(from, to, missing.word)
        : prefixed(from, to);
  if (found === null || found.from === found.to || found.from === '') return null;
  return [...found.from.split(' '), ...found.to.split(' ')].every(
    (w) => SHOWN.test(w) && !/^\/(?:tmp|home|Users|root|var|usr|opt)\//.test(w),
  )
    ? found
    : null;
}

/** A replacement stands at most this many entries after the failure. */
const REACH = 13;

interface Tried {
  at: number;
  call: Call;
  step: Step;
  verdict: Verdict;
}

/** Steps that anyone may repeat: no scripts, nothing outside the project. */
function triesOf(calls: Call[]): Tried[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      const shown =
        !step.scripted && step.words.length > 0 && call.folders[i] !== null && step.words.slice(0, 4).every((w) => w.length < 80);
      return shown ? [{ at: call.at, call, step, verdict: call.verdicts[i] ?? 'unknown' }] : [];
    }),
  );
}

/** Why the first form fails; the rest of tool text is never shown. */
function reasonOf(found: Renaming, missing: { word: string; kind: string }): string {
  if (missing.kind === 'program') return `\`${missing.word}\` by itself is not found`;
  if (missing.kind === 'module') return `without it \`${missing.word}\` is not found`;
  if (missing.kind === 'option') return `\`${missing.word}\` is not accepted`;
  return found.near ? 'the other name does not exist' : `there is no \`${missing.word}\``;
}

function startsWith(words: string[], head: string): boolean {
  return words.join(' ') === head || words.join(' ').startsWith(`${head} `);
}

/** Whether the form worked anywhere in the session: then nothing replaces it. */
function everWorked(tries: Tried[], found: Renaming): boolean {
  return tries.some((t) => t.verdict === 'ok' && startsWith(t.step.words, found.from));
}

function toCandidate(
  session: SessionInput,
  tries: Tried[],
  found: Renaming,
  missing: { word: string; kind: string },
  to: Tried,
): Candidate {
  const failures = tries.filter((t) => t.verdict === 'failed' && startsWith(t.step.words, found.from)).length;
  return observed(session, {
    kind: 'correction',
    text: `Use \`${found.to}\` instead of \`${found.from}\`: ${reasonOf(found, missing)}.`,
    key: `instead:${found.from}`,
    importance: failures >= 3 ? 4 : 3,
    alone: true,
    worth: 0.66 + Math.min(0.1, 0.03 * failures),
    entry: to.call.entry,
    quote: to.call.entry.command ?? found.to,
    tags: ['replaced'],
    subject: `instead of ${found.from}`,
    value: found.to,
    commands: [found.to, to.step.words.join(' ')],
  });
}

/** Corrections from a form whose program, name, module or option is missing here to the form that worked soon after. */
export function replacedCommands(session: SessionInput, calls: Call[]): Candidate[] {
  const tries = triesOf(calls);
  const found = new Map<string, Candidate>();
  for (const [i, from] of tries.entries()) {
    if (from.verdict === 'ok' || from.call.result === null) continue;
    const missing = missingWord(from.step.words, from.call.result.text);
    if (missing === null) continue;
    for (const to of tries.slice(i + 1)) {
      if (to.at - from.at > REACH) break;
      if (to.verdict !== 'ok' || to.call === from.call || asksForItself(to.step.words)) continue;
      const pair = renamed(from.step.words, to.step.words, missing);
      if (pair === null || everWorked(tries, pair)) continue;
      found.set(pair.from, toCandidate(session, tries, pair, missing, to));
      break;
    }
  }
  return [...found.values()];
}
