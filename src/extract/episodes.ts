import type { Candidate, Entry, Episode } from '../types.js';
import { commitsOf } from './commands/habits.js';
import { type Change, type Run, callsOf, changesOf, runsOf, sessionRoots } from './commands/runs.js';
import { findRequest } from './episodes/request.js';
import { splitSentences } from './sentences/split.js';
import { type SessionInput, dayOf } from './session.js';
import type { Turn } from './user-turns.js';
import { fit, plain, polish, tighten } from './sentences/wording.js';

const MOST_FILES = 20;
const MOST_COMMANDS = 8;

/**
 * What the session did and how it ended, in the log's own sentences; null when nobody asked for anything.
 * @param turns what the person typed
 * @param candidates what the session yields: the best becomes the episode's lesson
 */
export function extractEpisode(session: SessionInput, turns: Turn[], candidates: Candidate[]): Episode | null {
  const entries = session.entries.filter((e) => !e.copied);
  const own = { ...session, entries };
  const calls = callsOf(own);
  const commits = commitsOf(calls);
  const request = findRequest(
    session,
    turns,
    commits.map((c) => c.subject),
  );
  const last = entries.filter((e) => e.time !== null).at(-1);
  if (request === null || last === undefined) return null;
  const runs = runsOf(own, calls);
  const changes = changesOf(entries, sessionRoots(own));
  const ending = readEnding({
    entries,
    turns: turns.filter((t) => t.entry.seq > request.turn.entry.seq),
    changes,
    runs,
    commits,
  });
  const solution =
    solutionOf(entries, ending.outcome === 'success' && ending.signal !== 'answered') ?? commits.at(-1)?.subject ?? null;
  return {
    agent: session.agent,
    session: session.session,
    title: request.title,
    summary: request.title.split(/\s+/).slice(0, 10).join(' '),
    day: dayOf(last),
    outcome: ending.outcome,
    signal: ending.signal,
    problem: problemOf(request.turn, request.title),
    solution: ending.outcome === 'abandoned' ? null : solution,
    lesson: lessonOf(candidates),
    files: [...new Set(changes.map((c) => c.file))].slice(0, MOST_FILES),
    commands: [...new Set(runs.filter((r) => r.verdict === 'ok' && !r.form.passing).map((r) => r.form.text))].slice(
      0,
      MOST_COMMANDS,
    ),
    commits: [...new Set(commits.map((c) => c.subject))].slice(0, 20),
    unfinished: ending.unfinished,
    nextStep: ending.unfinished ? nextStepOf(entries) : null,
  };
}

const TROUBLE =
  /\b(?:bug|error|fail\w*|broken|crash\w*|wrong|issue|problem|does(?:n['’]t| not)|can(?:['’]t|not)|missing|slow|stuck|why|regression|flaky|fehler|erreur|problème|ошибка)\b|报错|错误|问题|失败|バグ|エラー|오류/iu;
const DONE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:added|fixed|updated|changed|removed|replaced|refactored|implemented|moved|renamed|created|wired|rewrote|made|switched|merged|committed|released|the fix|the (?:root )?cause|created|extended|corrected|simplified|documented)\b/i;

/** Pasted output and bare paths: they do not word a problem. */
const OUTPUT = /^(?:make(?:\[\d+\])?: |npm (?:ERR|error)|\s*at \S+ ?\(|traceback\b|E {2,}|[❯$>%] |\S*[\\/]\S*$)|\*\*\*/iu;

function worded(text: string): string | null {
  const whole = fit(polish(tighten(plain(text))));
  return whole !== null && whole.length >= 15 ? whole : null;
}

/**
 * The sentence of the request that states the problem; else the request's own first sentence when it says more than the title.
 */
function problemOf(turn: Turn, title: string): string | null {
  const sentences = turn.sentences
    .slice(0, 12)
    .map((s) => s.text)
    .filter((s) => !OUTPUT.test(s.trim()));
  const all = sentences.map(worded).filter((s) => s !== null);
  const found =
    sentences
      .filter((s) => TROUBLE.test(s))
      .map(worded)
      .find((s): s is string => s !== null) ?? all.find((s) => s.length > title.length + 20);
  return found !== undefined && found.toLowerCase() !== title.toLowerCase() ? found : null;
}

/** A claim that it works now: only a tool's or the person's word makes it true. */
const CLAIM =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:fixed|corrected|the fix|the (?:root )?cause|resolved|solved)\b|\b(?:works?|working|passes|passing|green|complete|successfully)\b/i;

/**
 * What the last answers say was done.
 * @param confirmed a check, a commit or the person bore it out; without that, what claims success is left out
 */
function solutionOf(entries: Entry[], confirmed: boolean): string | null {
  const finals = entries.filter((e) => e.role === 'assistant' && e.origin === 'agent' && !e.copied && e.text.trim().length > 30);
  for (const entry of [...finals].reverse().slice(0, 4)) {
    const sentences = splitSentences(entry.text).map((s) => s.text);
    const found = sentences
      .filter((s) => DONE.test(s) && (confirmed || !CLAIM.test(s)))
      .map(worded)
      .find((s) => s !== null);
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

/** The best thing learnt in the session, when it is good. */
function lessonOf(candidates: Candidate[]): string | null {
  const good = candidates.filter(
    (c) => c.alone && c.evidence.supports && /^(?:gotcha|correction|decision)$/.test(c.kind) && c.worth >= 0.5,
  );
  return [...good].sort((a, b) => b.importance - a.importance || b.worth - a.worth || (a.key < b.key ? -1 : 1))[0]?.text ?? null;
}

/** How a session ended and what shows it. */
interface Ending {
  outcome: Episode['outcome'];
  signal: string;
  unfinished: boolean;
}

const PLEASED =
  /^(?:.{0,20}\b)?(?:thanks?|thank you|thx|perfect|great|awesome|excellent|lgtm|looks good|works(?: now| great| well| perfectly)?|nice|well done|good job|danke|merci|gracias|obrigado|super|谢谢|好的|可以了|完美|ありがとう|감사)\b/iu;
const DISPLEASED =
  /\b(?:still (?:broken|fail\w*|not|doesn|wrong|the same)|does(?:n['’]t| not) work|not working|didn['’]t work|wrong|broke|broken|revert|undo|that['’]s not|not what i)\b/iu;

const CHECKS = new Set(['test', 'check', 'build', 'lint', 'typecheck', 'run']);

interface Story {
  entries: Entry[];
  /** What the person typed after the request. */
  turns: Turn[];
  changes: Change[];
  runs: Run[];
  commits: { at: number; subject: string }[];
}

function lastCheck(story: Story): Run | undefined {
  const after = story.changes.at(-1)?.at ?? -1;
  const checks = story.runs.filter((r) => CHECKS.has(r.form.class) && r.verdict !== 'unknown');
  return checks.filter((r) => r.at > after).at(-1) ?? checks.at(-1);
}

function isStopped(entries: Entry[]): boolean {
  const last = entries.filter((e) => e.role !== 'system').at(-1);
  return entries.slice(-4).some((e) => e.marks.includes('interrupt')) && last?.role !== 'assistant';
}

/** Whether the log ends while the agent still works. */
function isOpen(entries: Entry[]): boolean {
  const last = entries.filter((e) => e.role !== 'system' && e.role !== 'thinking').at(-1);
  return (
    last !== undefined &&
    (last.role === 'tool_call' || last.role === 'tool_result' || (last.role === 'user' && last.origin === 'user'))
  );
}

/** Outcome from the strongest signal: the person's last word, a stop, the last commit, the last check. */
function readEnding(story: Story): Ending {
  const said = story.turns.at(-1);
  const commit = story.commits.at(-1);
  const edited = story.changes.at(-1)?.at ?? -1;
  const isSafe = commit !== undefined && commit.at > edited;
  // A stop alone means nothing to the next session, but with an open step there is work left.
  if (isStopped(story.entries) && !isSafe)
    return { outcome: 'abandoned', signal: 'the user stopped it', unfinished: edited >= 0 && nextStepOf(story.entries) !== null };
  if (said !== undefined && said.typed.length < 160 && DISPLEASED.test(said.typed))
    return { outcome: 'partial', signal: 'the user was not satisfied', unfinished: true };
  if (said !== undefined && said.typed.length < 120 && PLEASED.test(said.typed))
    return { outcome: 'success', signal: 'the user approved', unfinished: false };
  const check = lastCheck(story);
  if (isSafe) return { outcome: 'success', signal: 'committed', unfinished: false };
  if (isOpen(story.entries)) return { outcome: 'unknown', signal: 'the log ends in the middle', unfinished: edited >= 0 };
  if (check !== undefined && check.at > edited && edited >= 0) {
    const name = check.form.passing ? `a ${check.form.class} command` : `\`${check.form.text}\``;
    return check.verdict === 'ok'
      ? { outcome: 'success', signal: `${name} passed`, unfinished: false }
      : { outcome: 'partial', signal: `${name} failed`, unfinished: true };
  }
  if (edited >= 0) return { outcome: 'unknown', signal: 'changed without a check after it', unfinished: false };
  return story.entries.some((e) => e.role === 'assistant' && e.text.trim().length > 80)
    ? { outcome: 'success', signal: 'answered', unfinished: false }
    : { outcome: 'unknown', signal: 'no answer', unfinished: false };
}

/** The next open item of the last task list, or what the last answer names as next. */
function nextStepOf(entries: Entry[]): string | null {
  const todo = entries.filter((e) => e.marks.includes('todo') && e.role === 'tool_call' && /^\[\w*\] /m.test(e.text)).at(-1);
  const open = todo?.text
    .split('\n')
    .map((l) => /^\[(?:pending|in_progress|in-progress| )\] (.+)$/.exec(l)?.[1])
    .find((t) => t !== undefined);
  if (open !== undefined) return open.slice(0, 160);
  const last = entries.filter((e) => e.role === 'assistant' && e.origin === 'agent').at(-1)?.text ?? '';
  const named =
    /(?:^|\n)[#*\s]*(?:next steps?|remaining(?: work)?|still (?:to do|open)|to ?do|what['’]s left)[*:\s]*\n+\s*(?:[-*•]|\d+[.)])\s+(.{10,200})/i.exec(
      last,
    )?.[1];
  return named === undefined ? null : named.replace(/\*\*/g, '').trim();
}
