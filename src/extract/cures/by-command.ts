import { errorSpan } from '../../text/error-span.js';
import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import type { Run } from '../commands/runs.js';
import type { SessionInput } from '../session.js';
import { type Cured, sharedTerms } from './failures.js';

/** Commands that change the state that others rely on. */
const CHANGING = new Set(['install', 'build', 'generate', 'db', 'clean', 'infra']);

/** A service or server that was started: in the background, or by a container's `up`. */
function isStarting({ form, step, call }: Run): boolean {
  return (
    form.class === 'run' &&
    (step.joint === '&' ||
      /^(?:docker|docker-compose|podman)$/.test(step.words[0] ?? '') ||
      /\brunning in (?:the )?background\b/i.test((call.result?.text ?? '').slice(0, 200)))
  );
}

/** Errors of a missing or stale state: what a command in between can cure. */
export const STATE =
  /not found|cannot find|no module|no such file|missing|does not exist|could not (?:find|resolve|connect|read)|not installed|out of date|outdated|stale|ECONNREFUSED|refused|unresolved|not built|not generated|run .{0,40}(?:install|build|generate|migrate)|undefined reference|ENOENT|404|lockfile|frozen/i;

function cureOf(cured: Cured): Run | null {
  if (cured.changes.length > 0 || !STATE.test(cured.error)) return null;
  const changing = cured.between.filter((r) => (CHANGING.has(r.form.class) || isStarting(r)) && !r.form.passing);
  const distinct = new Map(changing.map((r) => [r.form.text, r]));
  if (distinct.size === 1) return changing[0] ?? null;
  const tied = [...distinct.values()].filter((r) => sharedTerms(r.form.text, cured.error).length > 0);
  return tied.length === 1 ? (tied[0] ?? null) : null;
}

/** One point per command and error: how it was cured, whichever session found the cure. */
export function cureKey(command: string, error: string): string {
  return `cure:${command}:${error}`;
}

/** "X fails with E until Y has run": a state that a command puts right. */
export function curedByCommand(session: SessionInput, cured: Cured): Candidate | null {
  const cure = cureOf(cured);
  if (cure === null || cured.worked.form.passing) return null;
  const room = 150 - cured.text.length - cure.form.text.length;
  if (room < 30) return null;
  return observed(session, {
    kind: 'gotcha',
    text: `\`${cured.text}\` fails with ${errorSpan(cured.error, Math.min(90, room))} until \`${cure.form.text}\` has run.`,
    key: cureKey(cured.text, cured.error),
    importance: cured.failed.length >= 3 ? 4 : 3,
    alone: true,
    worth: 0.62 + Math.min(0.15, 0.05 * cured.failed.length),
    entry: cured.worked.call.entry,
    quote: cured.error,
    tags: ['cure'],
    commands: [cured.text, cure.form.text],
  });
}

/** Files that set up the work; an edit of other files cures a bug, and bugs stay cured. */
const SETUP =
  /(?:^|\/)(?:[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|properties|gradle|kts|csproj|props|nix|cmake|lock)|(?:package|tsconfig[\w.-]*|composer|deno|biome|turbo|nx|jsr|angular|\.?\w+rc)\.jsonc?|[\w.-]*\.?config\.[cm]?[jt]s|(?:Make|Docker|Gem|Pip|Proc|Brew|just|Rake|Task)file[\w.-]*|go\.(?:mod|work)|requirements[\w.-]*\.txt|setup\.py|conftest\.py|\.env\.\w+|\.\w+ignore|\.\w+rc)$/i;

/**
 * "X failed with E; an edit of F cured it": told when one file of the set-up was changed in between and its change shares a term
 * with the error.
 */
export function curedByEdit(session: SessionInput, cured: Cured): Candidate | null {
  const files = [...new Set(cured.changes.map((c) => c.file))];
  const [file] = files;
  if (file === undefined || files.length > 1 || !SETUP.test(file) || cured.worked.form.passing) return null;
  const changed = cured.changes.map((c) => c.entry.text.split('\n').slice(1).join('\n')).join('\n');
  if (sharedTerms(changed, cured.error).length === 0) return null;
  const room = 140 - cured.text.length - file.length;
  if (room < 30) return null;
  return observed(session, {
    kind: 'gotcha',
    text: `\`${cured.text}\` failed with ${errorSpan(cured.error, Math.min(90, room))}: an edit of \`${file}\` cured it.`,
    key: cureKey(cured.text, cured.error),
    importance: cured.failed.length >= 3 ? 4 : 3,
    alone: true,
    worth: 0.5 + Math.min(0.1, 0.05 * cured.failed.length),
    entry: cured.worked.call.entry,
    quote: cured.error,
    trust: 0.5,
    tags: ['cure', 'edit'],
    files: [file],
    commands: [cured.text],
  });
}
