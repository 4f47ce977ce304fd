/** What a command is for. `task`: a step of the project's own whose purpose its name does not tell. */
export type CommandClass =
  | 'test'
  | 'lint'
  | 'format'
  | 'typecheck'
  | 'check'
  | 'build'
  | 'run'
  | 'release'
  | 'install'
  | 'generate'
  | 'db'
  | 'docs'
  | 'ci'
  | 'review'
  | 'infra'
  | 'clean'
  | 'task';

const BY_NAME: readonly (readonly [CommandClass, string])[] = [
  ['typecheck', 'types typecheck tsc mypy pyright typing typescript'],
  ['format', 'fmt format formatting prettier reformat black gofmt rustfmt'],
  ['lint', 'lint linter linting lints eslint ruff clippy vet stylelint shellcheck rubocop'],
  ['test', 'test tests spec specs e2e unit integration coverage cov pytest jest vitest bench benchmark smoke testing'],
  ['check', 'check checks verify validate ci preflight qa precommit presubmit audit doctor'],
  ['release', 'release publish deploy ship bump upload rollout version versioning'],
  ['generate', 'gen generate codegen proto protos protobuf generated stubs bindings sync'],
  ['db', 'db database migrate migration migrations seed schema fixtures'],
  ['docs', 'docs doc documentation storybook changelog'],
  ['build', 'build compile bundle dist package assemble all wheel'],
  ['install', 'install setup bootstrap prepare init deps dependencies dev-setup'],
  ['clean', 'clean clear reset prune'],
  ['run', 'dev start serve server run preview up watch'],
  ['infra', 'terraform infra plan apply provision'],
];

const CLASS_OF = new Map<string, CommandClass>();
for (const [name, words] of BY_NAME) for (const word of words.split(' ')) CLASS_OF.set(word, name);

/** Names whose purpose the first word hides: `check-types` checks types, `ci:test` tests. */
const WEAK = new Set<CommandClass>(['check', 'run', 'build', 'install']);

/**
 * Class of a script, target or task by the words of its name: the first telling word wins, a vaguer one (`check`, `run`,
 * `build`) yields to one that says more.
 */
export function classOfName(name: string): CommandClass | null {
  const words = name
    .replace(/\.\w{1,4}$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const found = words.map((w) => CLASS_OF.get(w)).filter((c) => c !== undefined);
  const first = found[0];
  if (first === undefined) return null;
  if (first === 'build') return first;
  const stronger = WEAK.has(first) ? found.find((c) => !WEAK.has(c) && c !== 'docs') : undefined;
  return stronger ?? first;
}
