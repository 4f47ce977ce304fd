import type { CommandClass } from './class-name.js';

/**
 * Purpose of tools by sub-command: `sub|sub=class`, `*` for the tool without a known one. A class `-` is a probe.
 * Only what is the same in every project stands here; scripts, targets and tasks are classed by their names.
 */
const TOOLS: Record<string, string> = {
  cargo: 'build|b=build test|t|nextest=test clippy=lint fmt=format check|c=typecheck run|r=run publish=release bench=test doc=docs install|add|fetch|update=install deny|audit=check insta=test',
  go: 'build=build test=test vet=lint fmt=format run=run generate=generate install|get|mod=install tool=-',
  rustc: '*=build',
  pytest: '*=test', 'py.test': '*=test', unittest: '*=test', nose2: '*=test', behave: '*=test', nox: '*=test', tox: '*=test', coverage: 'run=test',
  ruff: 'format=format check=lint *=lint', flake8: '*=lint', pylint: '*=lint', bandit: '*=lint', black: '*=format', isort: '*=format', autopep8: '*=format', vulture: '*=lint',
  mypy: '*=typecheck', pyright: '*=typecheck', basedpyright: '*=typecheck', ty: 'check=typecheck', pyre: '*=typecheck', 'vue-tsc': '*=typecheck', 'svelte-check': '*=typecheck', 'astro': 'check=typecheck build=build dev=run',
  tsc: '*=typecheck', tsgo: '*=typecheck', flow: '*=typecheck',
  vitest: '*=test', jest: '*=test', mocha: '*=test', ava: '*=test', tap: '*=test', c8: '*=test', nyc: '*=test', playwright: 'test=test install=install', cypress: 'run=test', karma: '*=test',
  eslint: '*=lint', oxlint: '*=lint', stylelint: '*=lint', prettier: '*=format', dprint: 'fmt=format check=lint', biome: 'format=format check|lint|ci=lint', xo: '*=lint', knip: '*=lint', markdownlint: '*=lint', 'markdownlint-cli2': '*=lint', standard: '*=lint', tslint: '*=lint',
  vite: 'build=build *=run', webpack: '*=build', rollup: '*=build', esbuild: '*=build', tsup: '*=build', parcel: 'build=build', next: 'build=build dev|start=run lint=lint', nuxt: 'build|generate=build dev=run', nuxi: 'build=build dev=run typecheck=typecheck', rspack: 'build=build', tsdown: '*=build', unbuild: '*=build', ng: 'build=build test=test lint=lint serve=run', expo: 'start=run prebuild=build', eas: 'build=build', electron: '*=run',
  mvn: 'test|verify=test compile|package|install=build deploy=release spotless:apply=format spotless:check=lint', sbt: 'test=test compile|assembly|package=build run=run scalafmt|scalafmtAll=format',
  dotnet: 'build|publish=build test=test run=run format=format restore=install ef=db pack=build', msbuild: '*=build',
  mix: 'test=test format=format compile|release=build credo=lint dialyzer=typecheck deps.get=install ecto.migrate|ecto.setup|ecto.create|ecto.reset=db phx.server=run', rebar3: 'eunit|ct=test compile=build dialyzer=typecheck',
  rspec: '*=test', minitest: '*=test', rubocop: '*=lint', standardrb: '*=lint', bundle: 'install=install', cucumber: '*=test', sorbet: '*=typecheck', srb: 'tc=typecheck', jekyll: 'build=build serve=run',
  rails: 'test|spec=test server|s=run db:migrate|db:setup|db:seed|db:prepare|db:reset|db:rollback=db generate|g=-',
  phpunit: '*=test', pest: '*=test', phpstan: '*=typecheck', psalm: '*=typecheck', 'php-cs-fixer': '*=format', pint: '*=format', phpcs: '*=lint', phpcbf: '*=format', composer: 'install|update|require=install', artisan: 'test=test migrate|db:seed|migrate:fresh=db serve=run',
  flutter: 'build=build test=test analyze=lint run=run pub=install gen-l10n=generate format=format', dart: 'test=test analyze=lint format=format compile=build run=run pub=install fix=format', build_runner: 'build=generate', melos: 'bootstrap=install',
  swift: 'build=build test=test run=run package=install', xcodebuild: 'test=test archive=release *=build', swiftlint: '*=lint', swiftformat: '*=format', xcodegen: '*=generate', pod: 'install=install', fastlane: '*=release',
  cmake: '--build=build --install=install *=build', ctest: '*=test', ninja: 'test=test *=build', meson: 'setup|compile=build test=test', conan: 'install=install', 'clang-format': '*=format', 'clang-tidy': '*=lint', cppcheck: '*=lint', scons: '*=build', bazel: 'build=build test=test run=run', bazelisk: 'build=build test=test run=run', buck2: 'build=build test=test', pants: 'test=test lint=lint fmt=format check=typecheck', zig: 'build=build test=test fmt=format', stack: 'build=build test=test', cabal: 'build=build test=test run=run', hlint: '*=lint', ormolu: '*=format', dune: 'build=build test|runtest=test fmt=format exec=run', opam: 'install=install', nimble: 'test=test build=build', crystal: 'spec=test build=build tool=format', gleam: 'test=test build=build format=format run=run', elm: 'make=build', 'elm-test': '*=test', lein: 'test=test run=run uberjar=build', forge: 'build=build test=test fmt=format', hardhat: 'compile=build test=test', anchor: 'build=build test=test',
  'golangci-lint': 'run=lint fmt=format', staticcheck: '*=lint', gofmt: '*=format', gofumpt: '*=format', goimports: '*=format', gotestsum: '*=test', ginkgo: '*=test', gosec: '*=lint', govulncheck: '*=check', revive: '*=lint', goreleaser: 'release=release build=build', mockgen: '*=generate', sqlc: 'generate=generate', buf: 'generate=generate lint=lint', protoc: '*=generate', templ: 'generate=generate', air: '*=run',
  shellcheck: '*=lint', shfmt: '*=format', bats: '*=test', hadolint: '*=lint', yamllint: '*=lint', actionlint: '*=lint', taplo: 'fmt|format=format lint|check=lint', typos: '*=lint', codespell: '*=lint', commitlint: '*=lint', stylua: '*=format', luacheck: '*=lint', busted: '*=test', selene: '*=lint', nixfmt: '*=format', alejandra: '*=format', statix: '*=lint', sqlfluff: 'lint=lint fix|format=format', vale: '*=lint', zizmor: '*=lint', djlint: '*=lint',
  'pre-commit': 'run=lint install=install', prek: 'run=lint install=install', lefthook: 'run=lint install=install', husky: '*=install', 'lint-staged': '*=lint', act: '*=ci',
  uv: 'sync|add|pip|tool=install build=build publish=release lock=install', pip: 'install=install', pip3: 'install=install', pipx: 'install=install', poetry: 'install|add|lock|update=install build=build publish=release', pdm: 'install|sync|add=install build=build publish=release', pipenv: 'install|sync=install', conda: 'install|env=install', hatch: 'build=build test=test fmt=format publish=release', twine: 'upload=release', maturin: 'develop|build=build publish=release', brew: 'install=install bundle=install',
  alembic: 'upgrade|downgrade=db revision=generate', prisma: 'migrate|db=db generate=generate', 'drizzle-kit': 'push|migrate=db generate=generate', knex: 'migrate:latest|seed:run=db', sequelize: '*=db', typeorm: '*=db', diesel: 'migration|setup=db', sqlx: 'migrate|database=db prepare=generate', goose: '*=db', dbmate: 'up|migrate=db', flyway: 'migrate=db', liquibase: 'update=db', supabase: 'start=run db|migration=db functions=release gen=generate', 'graphql-codegen': '*=generate', openapi: '*=generate', kysely: 'migrate=db',
  docker: 'build=build', terraform: 'plan|apply|init|validate=infra fmt=format', tofu: 'plan|apply|init|validate=infra fmt=format', pulumi: 'up|preview=infra', ansible: '*=infra', 'ansible-playbook': '*=infra', 'ansible-lint': '*=lint', helm: 'lint=lint upgrade|install|template=infra', tflint: '*=lint', cdk: 'deploy|synth|diff=infra', serverless: 'deploy=release', sam: 'build=build deploy=release', wrangler: 'deploy|publish=release dev=run types=generate', vercel: 'deploy=release dev=run build=build', netlify: 'deploy=release dev=run', fly: 'deploy=release', flyctl: 'deploy=release', firebase: 'deploy=release', 'semantic-release': '*=release', changeset: 'publish|version=release *=release', 'release-it': '*=release', lerna: 'publish|version=release', 'cargo-release': '*=release', vsce: 'package=build publish=release',
  nix: 'build=build develop=run flake=check fmt=format', 'nixos-rebuild': 'switch|boot=release build|test|dry-build|dry-run=build', 'home-manager': 'switch=release build=build', 'darwin-rebuild': 'switch=release build=build', chezmoi: 'apply=release', stow: '*=install',
  mkdocs: 'build=docs serve=run gh-deploy=release', 'sphinx-build': '*=docs', typedoc: '*=docs', hugo: 'server=run *=build', zola: 'build=build serve=run', mdbook: 'build=docs serve=run', quarto: 'render=docs', latexmk: '*=build', docusaurus: 'build=docs start=run', storybook: 'build=docs dev=run', vhs: '*=docs', eleventy: '*=build',
  manage: 'test=test migrate|makemigrations|loaddata=db runserver=run collectstatic=build check=check', flask: 'run=run db=db', uvicorn: '*=run', gunicorn: '*=run', streamlit: 'run=run', celery: 'worker=run', fastapi: 'dev|run=run',
  gh: 'run=ci workflow=ci pr=review release=ci api=- repo=- auth=- issue=- search=-',
  godot: '*=run', unity: '*=build', love: '*=run', 'wasm-pack': 'build=build test=test', trunk: 'build=build serve=run check=lint fmt=format', 'size-limit': '*=check', 'bump-my-version': '*=release', bumpversion: '*=release', cz: 'bump=release commit=-', towncrier: 'build=docs', 'git-cliff': '*=docs', reuse: 'lint=lint', deptry: '*=lint', 'import-linter': '*=lint', 'lint-imports': '*=lint', interrogate: '*=lint', 'web-ext': 'lint=lint build=build run=run', attw: '*=check', publint: '*=check', madge: '*=lint', depcruise: '*=lint',
};

const PARSED = new Map<string, Map<string, CommandClass | '-'>>();
for (const [tool, rules] of Object.entries(TOOLS)) {
  const subs = new Map<string, CommandClass | '-'>();
  for (const rule of rules.split(' ').filter((r) => r !== '')) {
    const at = rule.lastIndexOf('=');
    for (const sub of rule.slice(0, at).split('|')) subs.set(sub, rule.slice(at + 1) as CommandClass | '-');
  }
  PARSED.set(tool, subs);
}

/** Whether the tool is one of those that mean the same in every project. */
export const isKnownTool = (tool: string): boolean => PARSED.has(tool);

/** Whether a word is a sub-command of the tool, and no argument. */
export const isSubCommand = (tool: string, word: string): boolean => PARSED.get(tool)?.has(word) === true;

/** Class of a tool with its first argument that is no option; null when neither says it. */
export function classOfTool(tool: string, args: string[]): CommandClass | null {
  const subs = PARSED.get(tool);
  if (subs === undefined) return null;
  const named = args.find((a) => !a.startsWith('-') && !a.startsWith('+')) ?? '';
  const found = subs.get(args[0] ?? '') ?? subs.get(named) ?? subs.get('*');
  return found === undefined || found === '-' ? null : found;
}
