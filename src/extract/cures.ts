import type { Candidate, Entry } from '../types.js';
import { errorSpan } from '../text/error-span.js';
import { observed } from './commands/candidate.js';
import { type Run, changesOf, callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { curesIn, isTelling, type Cured, sharedTerms, saidBetween } from './cures/failures.js';
import { flakyCommands } from './cures/flaky.js';
import { lintRules } from './cures/lint-rules.js';
import type { JudgedInput, SessionInput } from './session.js';
import { explain, judge, type Said } from '../judge/index.js';
import { isOfTheMoment, surroundingsOf, type Surroundings } from './sentences/surroundings.js';
import { LEAST_WORTH } from './sentences/conclusions.js';
import { splitSentences } from './sentences/split.js';
import { reasonTag, foreignRuns, repeatsForeign, type ForeignRuns, keyOf } from './sentences/statement.js';
import { entityKeys } from './sentences/entities.js';
import { fit, plain, polish, tighten } from './sentences/wording.js';
import { dangles } from './sentences/subject.js';

/**
 * Failures with their cures: another command, a cause that the agent stated, an edit of the set-up, flaky runs; errors that
 * recur; and lint rules with their replacement.
 */
export function extractCures(session: JudgedInput): Candidate[] {
  const calls = callsOf(session);
  const runs = runsOf(session, calls);
  const changes = changesOf(session.entries, sessionRoots(session));
  const explained = explainCures(session);
  const cures = curesIn(runs, changes).map(
    (cured) => curedByCommand(session, cured) ?? explained(cured) ?? curedByEdit(session, cured),
  );
  return [
    ...cures.filter((c) => c !== null),
    ...flakyCommands(session, calls, runs, changes),
    ...uncuredErrors(session, runs),
    ...lintRules(session, runs, changes),
  ];
}

/** A tool prints the paths of its own files; such an error names something of the set-up, not of the code under work. */
const SETUP =
  /EACCES|EPERM|permission denied|timed? ?out|heap out of memory|out of memory|address already in use|EADDRINUSE|certificate|unauthori[sz]ed|forbidden|rate limit|version|daemon|socket|lock/i;

/**
 * Errors of the set-up that this session met and did not cure: no lesson by themselves, but worth knowing when a second session
 * meets them. They share their key with a cure found elsewhere, whose words then stand.
 */
function uncuredErrors(session: SessionInput, runs: Run[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const run of runs) {
    const error = run.call.result?.error;
    if (run.verdict !== 'failed' || run.form.passing || !isTelling(error) || !(STATE.test(error) || SETUP.test(error))) continue;
    if (runs.some((r) => r.at > run.at && r.form.key === run.form.key && r.verdict === 'ok')) continue;
    const room = 150 - run.form.text.length;
    if (room < 40) continue;
    found.set(
      cureKey(run.form.text, error),
      observed(session, {
        kind: 'gotcha',
        text: `\`${run.form.text}\` keeps failing here with ${errorSpan(error, Math.min(100, room))}; no cure was found yet.`,
        key: cureKey(run.form.text, error),
        importance: 3,
        alone: false,
        worth: 0.4,
        entry: run.call.entry,
        quote: error,
        trust: 0.4,
        tags: ['recurring'],
        commands: [run.form.text],
      }),
    );
  }
  return [...found.values()];
}

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
const STATE =
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
function cureKey(command: string, error: string): string {
  return `cure:${command}:${error}`;
}

/** "X fails with E until Y has run": a state that a command puts right. */
function curedByCommand(session: SessionInput, cured: Cured): Candidate | null {
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
const SETUP_FILE =
  /(?:^|\/)(?:[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|properties|gradle|kts|csproj|props|nix|cmake|lock)|(?:package|tsconfig[\w.-]*|composer|deno|biome|turbo|nx|jsr|angular|\.?\w+rc)\.jsonc?|[\w.-]*\.?config\.[cm]?[jt]s|(?:Make|Docker|Gem|Pip|Proc|Brew|just|Rake|Task)file[\w.-]*|go\.(?:mod|work)|requirements[\w.-]*\.txt|setup\.py|conftest\.py|\.env\.\w+|\.\w+ignore|\.\w+rc)$/i;

/**
 * "X failed with E; an edit of F cured it": told when one file of the set-up was changed in between and its change shares a term
 * with the error.
 */
function curedByEdit(session: SessionInput, cured: Cured): Candidate | null {
  const files = [...new Set(cured.changes.map((c) => c.file))];
  const [file] = files;
  if (file === undefined || files.length > 1 || !SETUP_FILE.test(file) || cured.worked.form.passing) return null;
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

const SHORTEST = 40;
/** Names and terms of the error that tie a sentence to it. */
const LEAST_SHARED = 2;
/** The agent may state the cause within so many entries after the success. */
const BEHIND = 6;

interface Explanation {
  entry: Entry;
  text: string;
  worth: number;
  said: Said;
}

/** What is read of the whole session, once for all its cures. */
interface View {
  session: JudgedInput;
  foreign: ForeignRuns;
  around: ReadonlyMap<string, Surroundings>;
}

function explanationOf({ session, foreign, around }: View, cured: Cured): Explanation | null {
  const first = cured.failed[0]?.at ?? 0;
  const lines = (cured.failed.at(-1)?.call.result?.text ?? '')
    .split('\n')
    .filter((l) => /error|cannot|not|fail|expected/i.test(l));
  const error = `${cured.error} ${lines.slice(0, 6).join(' ').slice(0, 1200)}`;
  const found: Explanation[] = [];
  for (const entry of saidBetween(session.entries, first, Math.min(cured.worked.at + BEHIND, session.entries.length))) {
    const sentences = splitSentences(entry.text);
    sentences.forEach((sentence, position) => {
      const text = fit(polish(tighten(plain(sentence.text))));
      if (text === null || text.length < SHORTEST || dangles(text) || isOfTheMoment(text) || /[:：?？]$/u.test(text)) return;
      const shared = sharedTerms(text, error).length + (sharedTerms(text, cured.error).length > 0 ? 1 : 0);
      if (shared < LEAST_SHARED || entityKeys(text).size < 2 || repeatsForeign(text, entry.seq, foreign)) return;
      const said: Said = { ...around.get(entry.id)!, role: 'assistant', text: sentence.text, position, of: sentences.length };
      const { worth } = judge(session.judge, said);
      if (worth >= LEAST_WORTH) found.push({ entry, text, worth, said });
    });
  }
  return found.sort((a, b) => b.worth - a.worth || a.entry.seq - b.entry.seq)[0] ?? null;
}

/**
 * For each cure the agent's own sentence between failure and cure that shares terms with the error and that the judge holds most
 * worth keeping.
 */
function explainCures(session: JudgedInput): (cured: Cured) => Candidate | null {
  let view: View | null = null;
  return (cured) => {
    if (cured.changes.length === 0 && cured.between.length === 0) return null;
    view ??= { session, foreign: foreignRuns(session.entries), around: surroundingsOf(session.entries) };
    const one = explanationOf(view, cured);
    return one === null ? null : candidateOf(session, cured, one);
  };
}

function candidateOf(session: JudgedInput, cured: Cured, one: Explanation): Candidate {
  return {
    ...observed(session, {
      kind: 'gotcha',
      text: one.text,
      key: keyOf(one.text),
      importance: cured.failed.length >= 3 ? 4 : 3,
      alone: true,
      worth: one.worth,
      entry: one.entry,
      quote: one.text,
      trust: 0.4,
      tags: ['cure', 'explained', reasonTag(one.worth, explain(session.judge, one.said))],
      files: [...new Set(cured.changes.map((c) => c.file))].slice(0, 4),
      commands: [],
    }),
    saidBy: 'agent',
  };
}
