import type { Entry, Episode } from '../../types.js';
import type { Change } from '../commands/edits.js';
import type { Run } from '../commands/runs.js';
import type { Turn } from '../user-turns.js';

/** How a session ended and what shows it. */
export interface Ending {
  outcome: Episode['outcome'];
  signal: string;
  unfinished: boolean;
}

const PLEASED =
  /^(?:.{0,20}\b)?(?:thanks?|thank you|thx|perfect|great|awesome|excellent|lgtm|looks good|works(?: now| great| well| perfectly)?|nice|well done|good job|danke|merci|gracias|obrigado|super|谢谢|好的|可以了|完美|ありがとう|감사)\b/iu;
const DISPLEASED =
  /\b(?:still (?:broken|fail\w*|not|doesn|wrong|the same)|does(?:n['’]t| not) work|not working|didn['’]t work|wrong|broke|broken|revert|undo|that['’]s not|not what i)\b/iu;

const CHECKS = new Set(['test', 'check', 'build', 'lint', 'typecheck', 'run']);

export interface Story {
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

const isStopped = (entries: Entry[]): boolean => {
  const last = entries.filter((e) => e.role !== 'system').at(-1);
  return entries.slice(-4).some((e) => e.marks.includes('interrupt')) && last?.role !== 'assistant';
};

/** Whether the log ends while the agent still works. */
function isOpen(entries: Entry[]): boolean {
  const last = entries.filter((e) => e.role !== 'system' && e.role !== 'thinking').at(-1);
  return (
    last !== undefined &&
    (last.role === 'tool_call' || last.role === 'tool_result' || (last.role === 'user' && last.origin === 'user'))
  );
}

/** Outcome from the strongest signal: the person's last word, a stop, the last commit, the last check. */
export function readEnding(story: Story): Ending {
  const said = story.turns.at(-1);
  const commit = story.commits.at(-1);
  const edited = story.changes.at(-1)?.at ?? -1;
  const isSafe = commit !== undefined && commit.at > edited;
  // A stop alone tells the next session nothing; with an open step there is work left.
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
export function nextStepOf(entries: Entry[]): string | null {
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
