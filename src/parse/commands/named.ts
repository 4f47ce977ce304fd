/** What a git command names: the subject of a commit, or a branch that it makes. */
import type { Call } from './runs.js';

/**
 * Subject of `git commit -m ...` (also as a here-document), or the branch of `checkout -b` and
 * `switch -c`; else null.
 */
export function namedBy(words: readonly string[]): string | null {
  if (words[0] !== 'git') return null;
  return words.includes('commit') ? commitSubject(words) : newBranch(words);
}

function newBranch(words: readonly string[]): string | null {
  const sign =
    words[1] === 'checkout' ? /^-[bB]$/ : words[1] === 'switch' ? /^(?:-[cC]|--create)$/ : null;
  const at = sign === null ? -1 : words.findIndex((word) => sign.test(word));
  const name = at > 0 ? words[at + 1] : undefined;
  return name !== undefined && /^[\w./-]{1,100}$/.test(name) ? name : null;
}

/** The first line of a commit's message; null when it stands elsewhere. */
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

/** Commits of the calls that did not fail: place in the session, and subject. */
export function commitsOf(calls: readonly Call[]): { at: number; subject: string }[] {
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
