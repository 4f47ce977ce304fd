/** The table of programs and their purposes. Pure data. */

/** Purpose of a command. `task`: a step of the project's own whose name does not show it. */
export type CommandClass = keyof typeof TOOLS | 'clean' | 'task';

/**
 * Tools with the same purpose in every project, as `tool` or `tool/sub-command,sub-command`.
 * Scripts, targets and tasks get their class from their names.
 */
const TOOLS = {
  test: `
    pytest py.test unittest nose2 behave nox tox vitest jest mocha ava tap c8 nyc karma rspec
    minitest cucumber phpunit pest ctest elm-test gotestsum ginkgo bats busted
    cargo/test,t,nextest,bench,insta go/test coverage/run playwright/test cypress/run ng/test
    mvn/test,verify sbt/test dotnet/test mix/test rebar3/eunit,ct rails/test,spec artisan/test
    flutter/test dart/test swift/test xcodebuild/test ninja/test meson/test bazel/test bazelisk/test
    buck2/test pants/test zig/test stack/test cabal/test dune/test,runtest nimble/test crystal/spec
    gleam/test lein/test forge/test hardhat/test anchor/test hatch/test manage/test wasm-pack/test`,
  lint: `
    flake8 pylint bandit vulture eslint oxlint stylelint xo knip markdownlint markdownlint-cli2
    standard tslint rubocop standardrb phpcs swiftlint clang-tidy cppcheck hlint staticcheck gosec
    revive shellcheck hadolint yamllint actionlint typos codespell commitlint luacheck selene statix
    vale zizmor djlint lint-staged ansible-lint tflint deptry import-linter lint-imports interrogate
    madge depcruise cargo/clippy go/vet ruff/check,* dprint/check biome/check,lint,ci next/lint
    ng/lint mvn/spotless:check mix/credo flutter/analyze dart/analyze pants/lint golangci-lint/run
    buf/lint taplo/lint,check sqlfluff/lint pre-commit/run prek/run lefthook/run helm/lint
    trunk/check reuse/lint web-ext/lint`,
  format: `
    black isort autopep8 prettier php-cs-fixer pint phpcbf swiftformat clang-format ormolu gofmt
    gofumpt goimports shfmt stylua nixfmt alejandra cargo/fmt go/fmt ruff/format dprint/fmt
    biome/format mvn/spotless:apply sbt/scalafmt,scalafmtAll dotnet/format mix/format flutter/format
    dart/format,fix pants/fmt zig/fmt dune/fmt crystal/tool gleam/format forge/fmt golangci-lint/fmt
    taplo/fmt,format sqlfluff/fix,format hatch/fmt terraform/fmt tofu/fmt nix/fmt trunk/fmt`,
  typecheck: `
    mypy pyright basedpyright pyre vue-tsc svelte-check tsc tsgo flow sorbet phpstan psalm
    cargo/check,c ty/check astro/check nuxi/typecheck mix/dialyzer rebar3/dialyzer srb/tc
    pants/check`,
  check: `
    govulncheck size-limit attw publint cargo/deny,audit nix/flake manage/check`,
  build: `
    rustc webpack rollup esbuild tsup tsdown unbuild msbuild scons latexmk eleventy unity
    cargo/build,b go/build astro/build vite/build parcel/build next/build nuxt/build,generate
    nuxi/build rspack/build ng/build expo/prebuild eas/build mvn/compile,package,install
    sbt/compile,assembly,package dotnet/build,publish,pack mix/compile,release rebar3/compile
    jekyll/build flutter/build dart/compile swift/build xcodebuild cmake/--build,* ninja
    meson/setup,compile bazel/build bazelisk/build buck2/build zig/build stack/build cabal/build
    dune/build nimble/build crystal/build gleam/build elm/make lein/uberjar forge/build
    hardhat/compile anchor/build goreleaser/build uv/build poetry/build pdm/build hatch/build
    maturin/develop,build docker/build sam/build vercel/build vsce/package nix/build
    nixos-rebuild/build,test,dry-build,dry-run home-manager/build darwin-rebuild/build hugo
    zola/build manage/collectstatic wasm-pack/build trunk/build web-ext/build`,
  run: `
    electron air uvicorn gunicorn godot love cargo/run,r go/run astro/dev vite next/dev,start
    nuxt/dev nuxi/dev ng/serve expo/start sbt/run dotnet/run mix/phx.server jekyll/serve
    rails/server,s artisan/serve flutter/run dart/run swift/run bazel/run bazelisk/run cabal/run
    dune/exec gleam/run lein/run supabase/start wrangler/dev vercel/dev netlify/dev nix/develop
    mkdocs/serve hugo/server zola/serve mdbook/serve docusaurus/start storybook/dev manage/runserver
    flask/run streamlit/run celery/worker fastapi/dev,run trunk/serve web-ext/run`,
  release: `
    fastlane semantic-release release-it cargo-release bump-my-version bumpversion cargo/publish
    mvn/deploy xcodebuild/archive goreleaser/release uv/publish poetry/publish pdm/publish
    hatch/publish twine/upload maturin/publish supabase/functions serverless/deploy sam/deploy
    wrangler/deploy,publish vercel/deploy netlify/deploy fly/deploy flyctl/deploy firebase/deploy
    changeset/publish,version,* lerna/publish,version vsce/publish nixos-rebuild/switch,boot
    home-manager/switch darwin-rebuild/switch chezmoi/apply mkdocs/gh-deploy cz/bump`,
  install: `
    husky stow cargo/install,add,fetch,update go/install,get,mod playwright/install dotnet/restore
    mix/deps.get bundle/install composer/install,update,require flutter/pub dart/pub melos/bootstrap
    swift/package pod/install cmake/--install conan/install opam/install pre-commit/install
    prek/install lefthook/install uv/sync,add,pip,tool,lock pip/install pip3/install pipx/install
    poetry/install,add,lock,update pdm/install,sync,add pipenv/install,sync conda/install,env
    brew/install,bundle`,
  generate: `
    xcodegen mockgen protoc graphql-codegen openapi go/generate flutter/gen-l10n build_runner/build
    sqlc/generate buf/generate templ/generate alembic/revision prisma/generate drizzle-kit/generate
    sqlx/prepare supabase/gen wrangler/types`,
  db: `
    sequelize typeorm goose dotnet/ef mix/ecto.migrate,ecto.setup,ecto.create,ecto.reset
    rails/db:migrate,db:setup,db:seed,db:prepare,db:reset,db:rollback
    artisan/migrate,db:seed,migrate:fresh alembic/upgrade,downgrade prisma/migrate,db
    drizzle-kit/push,migrate knex/migrate:latest,seed:run diesel/migration,setup
    sqlx/migrate,database dbmate/up,migrate flyway/migrate liquibase/update supabase/db,migration
    kysely/migrate manage/migrate,makemigrations,loaddata flask/db`,
  docs: `
    sphinx-build typedoc vhs git-cliff cargo/doc mkdocs/build mdbook/build quarto/render
    docusaurus/build storybook/build towncrier/build`,
  ci: `
    act gh/run,workflow,release`,
  review: `
    gh/pr`,
  infra: `
    ansible ansible-playbook terraform/plan,apply,init,validate tofu/plan,apply,init,validate
    pulumi/up,preview helm/upgrade,install,template cdk/deploy,synth,diff`,
};

const CLASSES = new Map<string, Map<string, CommandClass>>();
for (const [name, tools] of Object.entries(TOOLS))
  for (const each of tools.trim().split(/\s+/)) {
    const [tool = '', subs = '*'] = each.split('/');
    const known = CLASSES.get(tool) ?? new Map<string, CommandClass>();
    for (const sub of subs.split(',')) known.set(sub, name as CommandClass);
    CLASSES.set(tool, known);
  }

export function isKnownTool(tool: string): boolean {
  return CLASSES.has(tool);
}

/** Whether a word is a sub-command of the tool, not an argument. */
export function isSubCommand(tool: string, word: string): boolean {
  return CLASSES.get(tool)?.has(word) === true;
}

/** Class of a tool and its first argument that is no option; null if neither is known. */
export function classOfTool(tool: string, args: readonly string[]): CommandClass | null {
  const subs = CLASSES.get(tool);
  const named = args.find((arg) => !/^[-+]/.test(arg)) ?? '';
  return subs?.get(args[0] ?? '') ?? subs?.get(named) ?? subs?.get('*') ?? null;
}

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
const CLASS_OF = new Map(
  BY_NAME.flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
);
/** Vague classes: `check-types` checks types, `ci:test` tests. */
const WEAK = new Set<CommandClass>(['check', 'run', 'build', 'install']);

/**
 * Class of a script, target or task by the words of its name: the first word with a class. A vague
 * class (`check`, `run`, `install`) is replaced by a more exact one of a later word.
 */
export function classOfName(name: string): CommandClass | null {
  const found = name
    .replace(/\.\w{1,4}$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => CLASS_OF.get(word) ?? []);
  const first = found[0];
  if (first === undefined || first === 'build' || !WEAK.has(first)) return first ?? null;
  return found.find((each) => !WEAK.has(each) && each !== 'docs') ?? first;
}

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Programs that look, move, edit or evaluate once: their commands are not worth repeating. */
const PROBES = {
  vcs: words('git gh glab hub jj hg svn tig'),
  search: words('grep rg ag ack find fd locate which whereis type'),
  read: words(`
    ls cat head tail less more wc stat file du df bat eza tree jq yq nl diff cmp sed awk pwd echo printf env`),
  other: words(`
    gawk test [ [[ true false sleep date whoami id printenv export set unset cd pushd popd mkdir rmdir rm mv cp touch
    chmod chown ln sort uniq tr cut xargs tee ps kill pkill killall lsof open code vim vi nano man history alias source
    . wait jobs fg bg basename dirname realpath readlink seq rev od hexdump xxd strings base64 md5sum sha256sum shasum
    tar zip unzip gzip gunzip column comm paste curl wget http ssh scp rsync nc netstat ss ping dig host sqlite3 duckdb
    psql mysql redis-cli mongosh tmux screen clear uname hostname uptime free top htop nproc ulimit trap return exit
    local declare let eval shift break continue command hash bc expr dos2unix iconv patch apply_patch dripstone claude
    codex gemini llm osascript pbcopy pbpaste xdg-open say yes cksum read`),
};

/** Class of a program outside the table of tools: vcs, search, read, other. */
export function usualClass(program: string): string {
  return Object.entries(PROBES).find(([, programs]) => programs.has(program))?.[0] ?? 'other';
}

export function isProbe(program: string): boolean {
  return !isKnownTool(program) && Object.values(PROBES).some((programs) => programs.has(program));
}

export const SCRIPT_RUNNERS = words('npm pnpm yarn bun');

/** Sub-commands of script runners that are not scripts. */
export const RUNNER_OWN = words(`
  add remove rm uninstall un why outdated list ls ll view info show config audit exec x dlx create init login whoami link
  unlink pack cache store dedupe import patch rebuild root bin help set get prune fund search owner team token version up
  upgrade update self-update pm env setup workspace workspaces docs repo`);

/** Prefixes that a program follows. */
export const PREFIXES = words('npx bunx uvx pnpx xvfb-run dotenvx sudo doas rtk firejail gdb');
export const PREFIX_PAIRS = new Set(
  (
    'uv run, poetry run, pdm run, pipenv run, pipx run, hatch run, rye run, pixi run, bundle exec, npm exec, pnpm exec, ' +
    'pnpm dlx, yarn exec, yarn dlx, yarn run, bun x, conda run, mise exec, mise x, asdf exec, direnv exec, doppler run, ' +
    'op run, poetry exec, devbox run, nix-shell --run, fvm flutter, fvm dart, dart run, flutter pub, python -m, ' +
    'python3 -m, py -m, bin/rails x, php -f'
  ).split(', '),
);

export const TASK_RUNNERS = words(`
  make gmake just task go-task rake mage inv invoke poe doit tox nox gulp grunt gradle gradlew nx turbo moon rush lage
  wireit ant earthly run xtask dx tilt x`);
export const TASK_PAIRS = new Set(
  (
    'mise run, mise r, deno task, composer run, composer run-script, turbo run, moon run, lerna run, cargo xtask, ' +
    'cargo make, hatch run, pdm run, pixi run, rush run, devenv tasks, nx run, nx run-many, nx affected, wp scripts, ' +
    'pipenv run, rye run, bb run, swift package'
  ).split(', '),
);

/** Programs of the system: their sub-commands are not the project's own. */
const NEVER_OWN = words(`
  git gh brew apt apt-get dnf yum pacman snap systemctl service launchctl docker podman kubectl aws gcloud az npm nix mise
  asdf code hub glab sudo su`);

export const INTERPRETERS =
  /^(?:python[\d.]*|py|node|deno|bun|tsx|ts-node|ruby|perl|php|bash|sh|zsh|Rscript|julia|lua|elixir|pwsh|powershell)$/;
export const SCRIPT_FILE = /\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|lua|exs?|R|jl)$/;

/** Options of runners that take a value in the next word. */
export const VALUED = words(`
  -C --prefix --filter -F --workspace -w --cwd --dir -f --file --project -p --directory --with --python --extra --group
  --package --profile --env-file -n --index --justfile --taskfile --manifest-path --configfile -c -t --target`);

export function isOfSystem(program: string): boolean {
  return NEVER_OWN.has(program);
}

/** Whether a word begins a command and is not a word of a sentence. */
export function isProgram(word: string): boolean {
  return (
    isKnownTool(word) ||
    SCRIPT_RUNNERS.has(word) ||
    PREFIXES.has(word) ||
    word === 'mise' ||
    (TASK_RUNNERS.has(word) && word.length > 3 && word !== 'task') ||
    /^(?:python3?|node|deno|bash|sh|sudo|curl|wget|docker|just|nx|\.\/\S+)$/.test(word)
  );
}

/** Risks of programs, in the same notation. */
const RISKS = {
  /** Fetches a package, image or repository that its first operand names, and runs it. */
  fetches: `
    npx bunx uvx pnpx pipx/run pnpm/dlx,create yarn/dlx,create npm/create,exec,init bun/x docker/run,pull podman/run,pull
    nix/run git/clone`,
  installs: `
    npm/install,i,add pnpm/install,i,add bun/install,i,add yarn/install,i,add,global pip3?/install uv/add,tool poetry/add
    pdm/add rye/add pixi/add pipx/install conda/install cargo/install,add gem/install go/install,get brew/install,tap
    apt(?:-get)?/install,add dnf/install,add yum/install,add pacman/-S apk/add snap/install composer/require
    dotnet/add code/--install-extension helm/repo`,
  sends: `
    scp sftp nc ncat netcat telnet ssh ftp gh/gist aws/s3 gsutil/cp,mv,rsync rclone/copy,sync,move`,
  destroys: `
    mkfs shred dropdb dropuser helm/uninstall kubectl/delete,drain oc/delete,drain vagrant/destroy npm/unpublish cargo/yank
    gem/yank`,
  evaluates: `python[\\d.]* node deno bun ruby perl php osascript lua`,
};

/** A pattern for the programs of a risk with their sub-commands. */
export function patternOf(risk: keyof typeof RISKS): string {
  const programs = RISKS[risk].trim().split(/\s+/);
  const each = programs.map((program) => {
    const [name = '', subs] = program.split('/');
    return subs === undefined ? name : `${name}\\s+(?:${subs.replaceAll(',', '|')})`;
  });
  return `(?:${each.join('|')})`;
}
