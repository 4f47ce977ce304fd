/**
 * Purpose of tools by sub-command: `sub|sub=class`, `*` for the tool without a known one. A class
 * `-` is a probe. Only what is the same in every project stands here; scripts, targets and tasks
 * are classed by their names.
 */
const TOOLS: Record<string, string> = {
  cargo:
    'build|b=build test|t|nextest=test clippy=lint fmt=format check|c=typecheck run|r=run publish=release bench=test ' +
    'doc=docs install|add|fetch|update=install deny|audit=check insta=test',
  go: 'build=build test=test vet=lint fmt=format run=run generate=generate install|get|mod=install tool=-',
  coverage: 'run=test',
  ruff: 'format=format check=lint *=lint',
  ty: 'check=typecheck',
  astro: 'check=typecheck build=build dev=run',
  playwright: 'test=test install=install',
  cypress: 'run=test',
  dprint: 'fmt=format check=lint',
  biome: 'format=format check|lint|ci=lint',
  vite: 'build=build *=run',
  parcel: 'build=build',
  next: 'build=build dev|start=run lint=lint',
  nuxt: 'build|generate=build dev=run',
  nuxi: 'build=build dev=run typecheck=typecheck',
  rspack: 'build=build',
  ng: 'build=build test=test lint=lint serve=run',
  expo: 'start=run prebuild=build',
  eas: 'build=build',
  mvn: 'test|verify=test compile|package|install=build deploy=release spotless:apply=format spotless:check=lint',
  sbt: 'test=test compile|assembly|package=build run=run scalafmt|scalafmtAll=format',
  dotnet: 'build|publish=build test=test run=run format=format restore=install ef=db pack=build',
  mix:
    'test=test format=format compile|release=build credo=lint dialyzer=typecheck deps.get=install ' +
    'ecto.migrate|ecto.setup|ecto.create|ecto.reset=db phx.server=run',
  rebar3: 'eunit|ct=test compile=build dialyzer=typecheck',
  bundle: 'install=install',
  srb: 'tc=typecheck',
  jekyll: 'build=build serve=run',
  rails:
    'test|spec=test server|s=run db:migrate|db:setup|db:seed|db:prepare|db:reset|db:rollback=db generate|g=-',
  composer: 'install|update|require=install',
  artisan: 'test=test migrate|db:seed|migrate:fresh=db serve=run',
  flutter: 'build=build test=test analyze=lint run=run pub=install gen-l10n=generate format=format',
  dart: 'test=test analyze=lint format=format compile=build run=run pub=install fix=format',
  build_runner: 'build=generate',
  melos: 'bootstrap=install',
  swift: 'build=build test=test run=run package=install',
  xcodebuild: 'test=test archive=release *=build',
  pod: 'install=install',
  cmake: '--build=build --install=install *=build',
  ninja: 'test=test *=build',
  meson: 'setup|compile=build test=test',
  conan: 'install=install',
  bazel: 'build=build test=test run=run',
  bazelisk: 'build=build test=test run=run',
  buck2: 'build=build test=test',
  pants: 'test=test lint=lint fmt=format check=typecheck',
  zig: 'build=build test=test fmt=format',
  stack: 'build=build test=test',
  cabal: 'build=build test=test run=run',
  dune: 'build=build test|runtest=test fmt=format exec=run',
  opam: 'install=install',
  nimble: 'test=test build=build',
  crystal: 'spec=test build=build tool=format',
  gleam: 'test=test build=build format=format run=run',
  elm: 'make=build',
  lein: 'test=test run=run uberjar=build',
  forge: 'build=build test=test fmt=format',
  hardhat: 'compile=build test=test',
  anchor: 'build=build test=test',
  'golangci-lint': 'run=lint fmt=format',
  goreleaser: 'release=release build=build',
  sqlc: 'generate=generate',
  buf: 'generate=generate lint=lint',
  templ: 'generate=generate',
  taplo: 'fmt|format=format lint|check=lint',
  sqlfluff: 'lint=lint fix|format=format',
  'pre-commit': 'run=lint install=install',
  prek: 'run=lint install=install',
  lefthook: 'run=lint install=install',
  uv: 'sync|add|pip|tool=install build=build publish=release lock=install',
  pip: 'install=install',
  pip3: 'install=install',
  pipx: 'install=install',
  poetry: 'install|add|lock|update=install build=build publish=release',
  pdm: 'install|sync|add=install build=build publish=release',
  pipenv: 'install|sync=install',
  conda: 'install|env=install',
  hatch: 'build=build test=test fmt=format publish=release',
  twine: 'upload=release',
  maturin: 'develop|build=build publish=release',
  brew: 'install=install bundle=install',
  alembic: 'upgrade|downgrade=db revision=generate',
  prisma: 'migrate|db=db generate=generate',
  'drizzle-kit': 'push|migrate=db generate=generate',
  knex: 'migrate:latest|seed:run=db',
  diesel: 'migration|setup=db',
  sqlx: 'migrate|database=db prepare=generate',
  dbmate: 'up|migrate=db',
  flyway: 'migrate=db',
  liquibase: 'update=db',
  supabase: 'start=run db|migration=db functions=release gen=generate',
  kysely: 'migrate=db',
  docker: 'build=build',
  terraform: 'plan|apply|init|validate=infra fmt=format',
  tofu: 'plan|apply|init|validate=infra fmt=format',
  pulumi: 'up|preview=infra',
  helm: 'lint=lint upgrade|install|template=infra',
  cdk: 'deploy|synth|diff=infra',
  serverless: 'deploy=release',
  sam: 'build=build deploy=release',
  wrangler: 'deploy|publish=release dev=run types=generate',
  vercel: 'deploy=release dev=run build=build',
  netlify: 'deploy=release dev=run',
  fly: 'deploy=release',
  flyctl: 'deploy=release',
  firebase: 'deploy=release',
  changeset: 'publish|version=release *=release',
  lerna: 'publish|version=release',
  vsce: 'package=build publish=release',
  nix: 'build=build develop=run flake=check fmt=format',
  'nixos-rebuild': 'switch|boot=release build|test|dry-build|dry-run=build',
  'home-manager': 'switch=release build=build',
  'darwin-rebuild': 'switch=release build=build',
  chezmoi: 'apply=release',
  mkdocs: 'build=docs serve=run gh-deploy=release',
  hugo: 'server=run *=build',
  zola: 'build=build serve=run',
  mdbook: 'build=docs serve=run',
  quarto: 'render=docs',
  docusaurus: 'build=docs start=run',
  storybook: 'build=docs dev=run',
  manage:
    'test=test migrate|makemigrations|loaddata=db runserver=run collectstatic=build check=check',
  flask: 'run=run db=db',
  streamlit: 'run=run',
  celery: 'worker=run',
  fastapi: 'dev|run=run',
  gh: 'run=ci workflow=ci pr=review release=ci api=- repo=- auth=- issue=- search=-',
  'wasm-pack': 'build=build test=test',
  trunk: 'build=build serve=run check=lint fmt=format',
  cz: 'bump=release commit=-',
  towncrier: 'build=docs',
  reuse: 'lint=lint',
  'web-ext': 'lint=lint build=build run=run',
};

/** Tools with one purpose, whatever their arguments. */
const ONE_PURPOSE: Partial<Record<CommandClass, string>> = {
  test: `
    pytest py.test unittest nose2 behave nox tox vitest jest mocha ava tap c8 nyc karma rspec minitest cucumber phpunit pest
    ctest elm-test gotestsum ginkgo bats busted`,
  lint: `
    flake8 pylint bandit vulture eslint oxlint stylelint xo knip markdownlint markdownlint-cli2 standard tslint rubocop
    standardrb phpcs swiftlint clang-tidy cppcheck hlint staticcheck gosec revive shellcheck hadolint yamllint actionlint
    typos codespell commitlint luacheck selene statix vale zizmor djlint lint-staged ansible-lint tflint deptry import-linter
    lint-imports interrogate madge depcruise`,
  format: `
    black isort autopep8 prettier php-cs-fixer pint phpcbf swiftformat clang-format ormolu gofmt gofumpt goimports shfmt
    stylua nixfmt alejandra`,
  typecheck:
    'mypy pyright basedpyright pyre vue-tsc svelte-check tsc tsgo flow sorbet phpstan psalm',
  check: 'govulncheck size-limit attw publint',
  build: 'rustc webpack rollup esbuild tsup tsdown unbuild msbuild scons latexmk eleventy unity',
  run: 'electron air uvicorn gunicorn godot love',
  release: 'fastlane semantic-release release-it cargo-release bump-my-version bumpversion',
  install: 'husky stow',
  generate: 'xcodegen mockgen protoc graphql-codegen openapi',
  db: 'sequelize typeorm goose',
  docs: 'sphinx-build typedoc vhs git-cliff',
  infra: 'ansible ansible-playbook',
  ci: 'act',
};

const PARSED = new Map<string, Map<string, CommandClass | '-'>>();
for (const [purpose, tools] of Object.entries(ONE_PURPOSE))
  for (const tool of tools.trim().split(/\s+/))
    PARSED.set(tool, new Map([['*', purpose as CommandClass]]));
for (const [tool, rules] of Object.entries(TOOLS)) {
  const subs = new Map<string, CommandClass | '-'>();
  for (const rule of rules.split(' ').filter((r) => r !== '')) {
    const at = rule.lastIndexOf('=');
    for (const sub of rule.slice(0, at).split('|'))
      subs.set(sub, rule.slice(at + 1) as CommandClass | '-');
  }
  PARSED.set(tool, subs);
}

/** Whether the tool is one of those that mean the same in every project. */
export function isKnownTool(tool: string): boolean {
  return PARSED.has(tool);
}

/** Whether a word is a sub-command of the tool, and no argument. */
export function isSubCommand(tool: string, word: string): boolean {
  return PARSED.get(tool)?.has(word) === true;
}

/** Class of a tool with its first argument that is no option; null when neither says it. */
export function classOfTool(tool: string, args: string[]): CommandClass | null {
  const subs = PARSED.get(tool);
  if (subs === undefined) return null;
  const named = args.find((a) => !a.startsWith('-') && !a.startsWith('+')) ?? '';
  const found = subs.get(args[0] ?? '') ?? subs.get(named) ?? subs.get('*');
  return found === undefined || found === '-' ? null : found;
}

/**
 * What a command is for. `task`: a step of the project's own whose purpose its name does not tell.
 */
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
  [
    'test',
    'test tests spec specs e2e unit integration coverage cov pytest jest vitest bench benchmark smoke testing',
  ],
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
 * Class of a script, target or task by the words of its name: the first informative word wins, a
 * vaguer one (`check`, `run`, `build`) yields to one that says more.
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
