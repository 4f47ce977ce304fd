import type { Relation } from '../types.js';
import { changesOf, type Change, sessionRoots, type Run, type Work } from './commands/runs.js';
import { errorOf } from './outcome.js';
import type { SessionInput } from './session.js';

/** A turn that touched more files says nothing about which belong together. */
const MOST_TOGETHER = 6;
const MOST = 200;

function stem(file: string): string {
  return (file.split('/').at(-1) ?? '')
    .replace(/\.\w+$/, '')
    .replace(/(?:^test_|[._-](?:test|spec)$|_test$|Tests?$|Spec$)/g, '')
    .toLowerCase();
}
function isTestFile(file: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^test_|[._-](?:test|spec)\.|_test\.|Tests?\.\w+$|Spec\.\w+$)/.test(
    file.split('/').slice(-2).join('/'),
  );
}

/** Places of user turns: what lies between two of them is one piece of work. */
function turnsOf(session: SessionInput): number[] {
  return session.entries.flatMap((e, at) => (e.role === 'user' && e.origin === 'user' ? [at] : []));
}

function editedTogether(changes: Change[], turns: number[]): Relation[] {
  const groups = new Map<number, Set<string>>();
  for (const change of changes) {
    const turn = turns.filter((t) => t < change.at).length;
    groups.set(turn, (groups.get(turn) ?? new Set()).add(change.file));
  }
  return [...groups.values()]
    .filter((g) => g.size > 1 && g.size <= MOST_TOGETHER)
    .flatMap((group) => {
      const files = [...group].sort();
      return files.flatMap((from, i) =>
        files.slice(i + 1).map((to) => ({ from, rel: 'edited_with' as const, to })),
      );
    });
}

/**
 * The command that checked a change: the next one that worked; a narrow one counts only for files
 * that its words name.
 */
function checkedBy(
  changes: Change[],
  runs: Run[],
  wanted: string,
  rel: 'tested_by' | 'built_by',
): Relation[] {
  return changes.flatMap((change) => {
    const next = runs.find(
      (r) => r.at > change.at && r.form.class === wanted && r.verdict === 'ok' && !r.form.temporary,
    );
    if (next === undefined || next.at - change.at > 60) return [];
    const raw = next.step.words.join(' ').toLowerCase();
    const named = raw.includes(stem(change.file)) && stem(change.file).length > 2;
    if (next.form.narrow && !named) return [];
    return [{ from: change.file, rel, to: next.form.text }];
  });
}

/** Source file and the test file changed with it. */
function testFiles(changes: Change[]): Relation[] {
  const tests = [...new Set(changes.map((c) => c.file).filter(isTestFile))];
  const sources = [...new Set(changes.map((c) => c.file).filter((f) => !isTestFile(f)))];
  return sources.flatMap((from) =>
    tests
      .filter((t) => stem(t) === stem(from) && stem(t).length > 2)
      .map((to) => ({ from, rel: 'tested_by' as const, to })),
  );
}

function releases(session: SessionInput, runs: Run[]): Relation[] {
  return runs
    .filter((r) => r.form.class === 'release' && r.verdict === 'ok' && !r.form.temporary)
    .map((r) => ({ from: session.project.name, rel: 'deployed_via', to: r.form.text }));
}

/** Packages that an install named and that were installed. */
function dependencies(session: SessionInput, runs: Run[]): Relation[] {
  return runs
    .filter((r) => r.form.class === 'install' && r.verdict === 'ok')
    .flatMap((r) => {
      const at = r.form.words.findIndex((w) => /^(?:add|install|i|get|require)$/.test(w));
      if (
        at < 0 ||
        r.form.words.includes('-g') ||
        r.form.words.includes('--global') ||
        r.form.words[0] === 'brew'
      )
        return [];
      return r.form.words
        .slice(at + 1)
        .filter((w) => /^@?[a-z][\w./@-]{1,60}$/.test(w) && !/^\.|\/\/|^[A-Z]+$/.test(w))
        .map((to) => ({
          from: session.project.name,
          rel: 'depends_on' as const,
          to: to.replace(/(.)@[^/]*$/, '$1'),
        }));
    });
}

/**
 * What ran last between a failure and the first success of the same command, when no file was
 * edited.
 */
function curesIn(runs: readonly Run[], changes: readonly Change[]): Relation[] {
  const failed = new Map<string, Run>();
  return runs.flatMap((run): Relation[] => {
    const last = failed.get(run.form.key);
    if (run.verdict === 'failed') failed.set(run.form.key, run);
    if (run.verdict !== 'ok' || last === undefined || last.call === run.call) return [];
    failed.delete(run.form.key);
    const error = errorOf(last.step, last.call.result?.text ?? '');
    const isBetween = ({ at }: { at: number }): boolean => at > last.at && at < run.at;
    const did = runs
      .filter((r) => isBetween(r) && r.verdict !== 'failed' && r.form.key !== run.form.key)
      .at(-1);
    if (error === null || did === undefined || changes.some(isBetween)) return [];
    return [{ from: error, rel: 'cured_by', to: did.form.text }];
  });
}

/**
 * Where work happens: files, the commands that check them, what cured which error; each relation
 * once, in order.
 */
export function extractRelations(session: SessionInput, { own, runs }: Work): Relation[] {
  const changes = changesOf(own.entries, sessionRoots(own));
  const all: Relation[] = [
    ...checkedBy(changes, runs, 'test', 'tested_by'),
    ...testFiles(changes),
    ...checkedBy(changes, runs, 'build', 'built_by'),
    ...releases(session, runs),
    ...dependencies(session, runs),
    ...curesIn(runs, changes),
    ...editedTogether(changes, turnsOf(own)),
  ];
  const unique = new Map(all.map((r) => [`${r.from}\u0000${r.rel}\u0000${r.to}`, r]));
  return [...unique.values()].slice(0, MOST);
}
