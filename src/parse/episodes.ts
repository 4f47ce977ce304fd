/** The task and the end of a session, from its entries alone. */
import { verbatim } from '../text/verbatim.js';
import type { Entry, Episode } from '../types.js';
import { type Call, type Change, changesOf, sessionRoots } from './calls.js';
import { splitSentences } from './sentences.js';
import { type SessionInput, dayOf, type Turn } from './session.js';

const MOST_FILES = 20;
const MOST_COMMANDS = 8;
const MOST_COMMITS = 20;
const TITLE_CHARS = 100;
const SUMMARY_WORDS = 10;
/** A shorter first message ("hi", "continue") says nothing about the work. */
const LEAST_TITLE = 12;

/** A step that does not only read, in its general form. */
type Run = { at: number; verdict: Call['verdicts'][number] } & Pick<
  NonNullable<Call['forms'][number]>,
  'text' | 'class' | 'temporary'
>;

/**
 * The episode of a session; null without a request of a person. Entries must be in order.
 * @param session without entries copied from another session
 */
export function extractEpisode(
  session: SessionInput,
  calls: readonly Call[],
  turns: readonly Turn[],
): Episode | null {
  const { entries } = session;
  const last = entries.filter(({ time }) => time !== null).at(-1);
  const title = titleOf(session, turns);
  if (title === null || last === undefined) return null;
  const changes = changesOf(entries, sessionRoots(session));
  const commits = commitsOf(calls);
  const runs = calls.flatMap(({ at, forms, verdicts }) =>
    forms.flatMap((form, n): Run[] =>
      form === null ? [] : [{ ...form, at, verdict: verdicts[n]! }],
    ),
  );
  const ending = endingOf(entries, changes, runs, commits.at(-1)?.at ?? -1);
  const worked = runs.filter(({ verdict, temporary }) => verdict === 'ok' && !temporary);
  return {
    agent: session.agent,
    session: session.session,
    title,
    summary: title.split(/\s+/).slice(0, SUMMARY_WORDS).join(' '),
    day: dayOf(last),
    ...ending,
    ...{ problem: null, solution: null, lesson: null },
    files: firstOf(changes, ({ file }) => file, MOST_FILES),
    commands: firstOf(worked, ({ text }) => text, MOST_COMMANDS),
    commits: firstOf(commits, ({ subject }) => subject, MOST_COMMITS),
    next_step: ending.unfinished ? openTask(entries) : null,
  };
}

function firstOf<T>(items: readonly T[], nameOf: (item: T) => string, most: number): string[] {
  return [...new Set(items.map(nameOf))].slice(0, most);
}

/**
 * The agent's own title, an accepted plan's heading, or the first request without links and tags.
 */
function titleOf({ facts, entries }: SessionInput, turns: readonly Turn[]): string | null {
  const requests = turns
    .map(({ entry, typed }) => ({
      at: entry.seq,
      line: verbatim(splitSentences(withoutMarks(typed === '' ? entry.text : typed))[0] ?? ''),
    }))
    .filter(({ line }) => widthOf(line) >= LEAST_TITLE);
  // A request to remember something becomes a claim, so it is not the title.
  const asked = requests.find(({ line }) => !/^\W*remember\W*:/i.test(line)) ?? requests[0];
  const plan = entries.find(
    ({ role, marks, copied, text }) =>
      role === 'user' && marks.includes('plan') && !copied && headingOf(text) !== null,
  );
  const isPlanned = plan !== undefined && (asked === undefined || plan.seq < asked.at);
  const title = facts.title?.trim() || (isPlanned ? headingOf(plan.text) : asked?.line);
  return title ? shortened(title) : null;
}

/** A block that an agent's host adds to a request; HTML tags have no such names. */
const HOST_BLOCK = /<([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)(?:\s[^<>]*)?>[\s\S]*?<\/\1>/gi;

function withoutMarks(text: string): string {
  return text
    .replace(HOST_BLOCK, '\n')
    .replace(/!?\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(/<\/?[a-z][\w-]*(?:\s[^<>\n]{0,300})?>|\bhttps?:\/\/\S+|(?<![\w`])@[\w./~-]+/gi, ' ')
    .replace(/[ \t]{2,}/g, ' ');
}

function headingOf(text: string): string | null {
  const heading = /^#{1,3}[ \t]+(\S.*)$/m.exec(text)?.[1];
  return heading === undefined ? null : verbatim(heading);
}

/** Length; a Chinese, Japanese or Korean character counts double, since it carries more meaning. */
function widthOf(text: string): number {
  return (
    text.length +
    (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
      ?.length ?? 0)
  );
}

/** Cuts a long title between words, with an ellipsis. */
function shortened(text: string): string {
  if (text.length <= TITLE_CHARS) return text;
  const cut = text.slice(0, TITLE_CHARS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), TITLE_CHARS / 2))}…`;
}

type Ending = Pick<Episode, 'outcome' | 'signal' | 'unfinished'>;

const CHECKS: ReadonlySet<string> = new Set(['test', 'check', 'build', 'lint', 'typecheck', 'run']);

/** Decides by the strongest sign: a stop, the last commit, the last check after the last edit. */
function endingOf(
  entries: readonly Entry[],
  changes: readonly Change[],
  runs: readonly Run[],
  committed: number,
): Ending {
  const edited = changes.at(-1)?.at ?? -1;
  const isSafe = committed > edited;
  const unfinished = edited >= 0 && !isAnyAnswered(entries);
  if (isStopped(entries) && !isSafe)
    return { outcome: 'abandoned', signal: 'the user stopped it', unfinished };
  if (isSafe) return { outcome: 'success', signal: 'committed', unfinished: false };
  if (isOpen(entries))
    return { outcome: 'unknown', signal: 'the log ends in the middle', unfinished };
  const check = runs.filter((run) => CHECKS.has(run.class) && run.verdict !== 'unknown').at(-1);
  if (check !== undefined && check.at > edited && edited >= 0) {
    const name = check.temporary ? `a ${check.class} command` : `\`${check.text}\``;
    return check.verdict === 'ok'
      ? { outcome: 'success', signal: `${name} passed`, unfinished: false }
      : // An open item in the agent's task list counts more than its last words.
        { outcome: 'partial', signal: `${name} failed`, unfinished: openTask(entries) !== null };
  }
  if (edited >= 0)
    return { outcome: 'unknown', signal: 'changed without a check after it', unfinished: false };
  const isAnswered = entries.some(({ role }) => role === 'assistant');
  return isAnswered
    ? { outcome: 'success', signal: 'answered', unfinished: false }
    : { outcome: 'unknown', signal: 'no answer', unfinished: false };
}

function isStopped(entries: readonly Entry[]): boolean {
  const tail = entries.filter(({ role }) => role !== 'system').slice(-2);
  return tail.some(
    ({ marks, outcome }) => marks.includes('interrupt') || outcome === 'interrupted',
  );
}

/** Whether the session ends with a call, a result, or an unanswered prompt. */
function isOpen(entries: readonly Entry[]): boolean {
  const last = entries.filter(({ role }) => role !== 'system' && role !== 'thinking').at(-1);
  return (
    last !== undefined &&
    (last.role === 'tool_call' ||
      last.role === 'tool_result' ||
      (last.role === 'user' && last.origin === 'user'))
  );
}

/** Whether a request got a closing answer: agent text before the next prompt or the log's end. */
function isAnyAnswered(entries: readonly Entry[]): boolean {
  const spoken = entries.filter(({ role, origin, marks }) =>
    role === 'user'
      ? origin === 'user' || marks.includes('interrupt')
      : role !== 'system' && role !== 'thinking',
  );
  return spoken.some(({ role }, at) => {
    const next = spoken[at + 1];
    return (
      role === 'assistant' &&
      (next === undefined || (next.role === 'user' && !next.marks.includes('interrupt')))
    );
  });
}

const TASK_CHARS = 160;

/** The first open item of the last task list that the agent wrote. */
function openTask(entries: readonly Entry[]): string | null {
  const list = entries
    .filter((e) => e.marks.includes('todo') && e.role === 'tool_call' && /^\[\w*\] /m.test(e.text))
    .at(-1);
  const open = list?.text
    .split('\n')
    .flatMap((line) => /^\[(?:pending|in_progress|in-progress| )\] (.+)$/.exec(line)?.[1] ?? [])[0];
  return open?.slice(0, TASK_CHARS) ?? null;
}

/** The first line of a commit's message; null if the command does not contain it. */
function commitSubject(words: readonly string[]): string | null {
  const at = words.findIndex((word) => /^(?:-[a-z]*m|--message)$/.test(word));
  const inline = words.find((word) => word.startsWith('--message='))?.slice('--message='.length);
  const text = at < 0 ? inline : words[at + 1];
  if (text === undefined) return null;
  const body = /^\$\(cat <<-?\s*['"]?\w+['"]?\n([\s\S]*)/.exec(text)?.[1] ?? text;
  const subject =
    body
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? '';
  return subject === '' || subject.startsWith('$') ? null : subject.slice(0, 200);
}

/** Successful commits: place in the session, and subject. */
function commitsOf(calls: readonly Call[]): { at: number; subject: string }[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      const isDone =
        call.result?.outcome === 'ok' &&
        call.folders[i] !== null &&
        call.verdicts[i] !== 'failed' &&
        !step.scripted;
      const subject =
        isDone && step.words[0] === 'git' && step.words.includes('commit')
          ? commitSubject(step.words)
          : null;
      return subject === null ? [] : [{ at: call.at, subject }];
    }),
  );
}
