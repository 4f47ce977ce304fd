import type { Candidate } from '../../types.js';
import { outputLines } from '../outcome.js';
import type { SessionInput } from '../session.js';
import { isPassing, placeIn } from '../shell/steps.js';
import { observed } from './candidate.js';
import type { Change } from './runs.js';
import { sessionRoots, type Call, type Run } from './runs.js';

/** A line in which a program tells of a file that it wrote. */
const WROTE =
  /^\W*(?:generated?|wrote|written|writing|rewrote|reformatted|formatted|fixed|updated|regenerated)(?: file| to)?:?\s+[`'"]?((?:\.?[\w@-]+\/)*[\w@.-]+\.[a-z]\w{0,7})[`'"]?(?=$|[\s,;.(])/i;
const COUNTED =
  /^\W*(?:[1-9]\d* files? (?:were |was |have been )?(?:reformatted|formatted|fixed|rewritten|changed|updated)\b|(?:fixed|formatted|reformatted|rewrote) [1-9]\d* (?:files?|errors?|problems?|issues?)\b|files were modified by this hook)/i;
/** Outputs of builds, which nobody edits. */
const PRODUCT =
  /(?:^|\/)(?:dist|build|out|target|coverage|node_modules|vendor|tmp|\.[\w-]+)\/|\.(?:log|map|snap|lock|png|zip|apk)$/i;
/** Commands that change files by themselves: with one in between nothing is known of the others. */
const MOVING =
  /(?:^|[;&|]\s*)(?:git (?:checkout|switch|merge|pull|stash|reset|apply|restore|rebase|cherry-pick|revert|commit|rm|mv)|mv|cp|rm|patch|tee|sed -i|perl -\S*i|python3?|node|npm install)\b|(?<![0-9&])>\s*[\w./]/;
const READS = /^(?:lint|check|typecheck|test|build|generate|docs?|task)$/;
const MOST_FILES = 3;

/** Files of the project that the run's own output says it wrote. */
function toldFiles(run: Run, roots: string[]): string[] {
  const named = outputLines(run.call.result?.text ?? '').flatMap((line) => WROTE.exec(line)?.[1] ?? []);
  const placed = named.flatMap(
    (name) => placeIn(roots, name.startsWith('/') || run.call.entry.cwd === null ? name : `${run.call.entry.cwd}/${name}`) ?? [],
  );
  return [...new Set(placed)].filter((file) => !PRODUCT.test(file) && !isPassing(file));
}

/** Files that `git status --short` shows as changed, or null for any other call. */
function changedFiles(call: Call): Set<string> | null {
  const [step] = call.steps;
  if (
    call.steps.length !== 1 ||
    step?.words[0] !== 'git' ||
    step.words[1] !== 'status' ||
    !step.words.some((w) => /^(?:--short|--porcelain\S*|-s\w*)$/.test(w)) ||
    call.verdicts[0] === 'failed' ||
    call.result === null
  )
    return null;
  return new Set(call.result.text.split('\n').flatMap((line) => /^(?:[ M]M|M ) (\S+)$/.exec(line)?.[1] ?? []));
}

/** Files that appeared between two looks at the working tree while only one command ran and no edit touched them, by that run. */
function shownFiles(calls: Call[], runs: Run[], changes: Change[]): Map<Run, string[]> {
  const found = new Map<Run, string[]>();
  const looks = calls.flatMap((call) => {
    const files = changedFiles(call);
    return files === null ? [] : [{ call, files }];
  });
  for (const [i, later] of looks.entries()) {
    const earlier = looks[i - 1];
    if (earlier === undefined || earlier.call.entry.cwd !== later.call.entry.cwd) continue;
    const within = (at: number): boolean => at > earlier.call.at && at < later.call.at;
    const between = runs.filter((r) => within(r.at) && !r.form.passing);
    const [run] = between;
    if (
      run === undefined ||
      new Set(between.map((r) => r.form.key)).size > 1 ||
      calls.some((c) => within(c.at) && MOVING.test(c.entry.command ?? ''))
    )
      continue;
    const edited = new Set(changes.filter((c) => within(c.at)).map((c) => c.file));
    const fresh = [...later.files].filter((file) => !earlier.files.has(file) && !edited.has(file) && !PRODUCT.test(file));
    if (fresh.length > 0) found.set(run, fresh);
  }
  return found;
}

function inWords(files: string[]): string {
  return `${files
    .slice(0, MOST_FILES)
    .map((f) => `\`${f}\``)
    .join(', ')}${files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''}`;
}

/** Commands that rewrite files of the project, seen only by what they print or by the working tree after them. */
export function writingCommands(session: SessionInput, calls: Call[], runs: Run[], changes: Change[]): Candidate[] {
  const roots = sessionRoots(session);
  const shown = shownFiles(calls, runs, changes);
  const found = new Map<string, Candidate>();
  for (const run of runs) {
    if (!run.form.entry || run.form.passing || !run.alone || !READS.test(run.form.class) || /fix|fmt|format/i.test(run.form.name))
      continue;
    const files = shown.get(run) ?? toldFiles(run, roots);
    const counted = /^(?:lint|check|typecheck|test)$/.test(run.form.class)
      ? outputLines(run.call.result?.text ?? '').find((line) => COUNTED.test(line))
      : undefined;
    const effect =
      files.length > 0
        ? `rewrites ${inWords(files.sort())}`
        : counted === undefined
          ? null
          : `is not read-only: it said \`${counted.replace(/`/g, "'").trim().slice(0, 60)}\``;
    if (effect !== null)
      found.set(run.form.key, candidateOf(session, run, `\`${run.form.text}\` ${effect}; look at \`git diff\` after it.`, files));
  }
  return [...found.values()].filter((c) => c.text.length <= 200);
}

function candidateOf(session: SessionInput, run: Run, text: string, files: string[]): Candidate {
  const { entry } = run.call;
  return observed(session, {
    kind: 'gotcha',
    text,
    key: `rewrites:${run.form.text}`,
    importance: 3,
    alone: true,
    worth: 0.6,
    entry,
    quote: entry.command ?? run.form.text,
    tags: ['rewrites-files', `class:${run.form.class}`],
    files: files.slice(0, 6),
    commands: [run.form.text],
  });
}
