/** Programs that commands begin with, by what they do with the words behind them. */
import { isKnownTool } from './class-tool.js';

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function pairs(text: string): string[] {
  return text.trim().split(/,\s*/);
}

/** Looking, moving, editing, one-off evaluation: never worth remembering. */
const PROBES = new Set(
  words(`
  ls cat grep rg ag find fd head tail sed awk gawk wc echo printf pwd which type test [ [[ true false sleep date whoami id
  env printenv export set unset cd pushd popd mkdir rmdir rm mv cp touch chmod chown ln diff cmp sort uniq tr cut xargs tee
  jq yq tree file stat du df ps kill pkill killall lsof open code vim vi nano less more man history alias source . wait jobs
  fg bg read basename dirname realpath readlink seq rev nl od hexdump xxd strings base64 md5sum sha256sum shasum tar zip
  unzip gzip gunzip column comm paste curl wget http ssh scp rsync nc netstat ss ping dig host git hub tig sqlite3 duckdb
  psql mysql redis-cli mongosh tmux screen clear uname hostname uptime free top htop nproc ulimit trap return exit local
  declare let eval shift break continue command hash bc expr dos2unix iconv patch apply_patch dripstone claude codex gemini
  llm osascript pbcopy pbpaste xdg-open say yes cksum bat eza`),
);

/** Programs that look, move files or talk: nobody repeats them for what they do here. */
export function isProbe(program: string): boolean {
  return PROBES.has(program);
}

/** Class of the programs that do the same in every project, beside those of `class-tool.ts`. */
const USUAL: Readonly<Record<string, ReadonlySet<string>>> = {
  vcs: new Set(words('git gh glab hub jj hg svn tig')),
  search: new Set(words('grep rg ag ack find fd locate which whereis type')),
  read: new Set(
    words(
      'ls cat head tail less more wc stat file du df bat eza tree jq yq nl diff cmp sed awk pwd echo printf env',
    ),
  ),
};

/** Class of a program that no table of tools knows: vcs, search, read, other. */
export function usualClass(program: string): string {
  return Object.keys(USUAL).find((name) => USUAL[name]!.has(program)) ?? 'other';
}

export const SCRIPT_RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/** Sub-commands of script runners that are not scripts. */
export const RUNNER_OWN = new Set(
  words(`
  add remove rm uninstall un why outdated list ls ll view info show config audit exec x dlx create init login whoami link
  unlink pack cache store dedupe import patch rebuild root bin help set get prune fund search owner team token version up
  upgrade update self-update pm env setup workspace workspaces docs repo`),
);

/** What runs stands behind them. */
export const PREFIXES = new Set(
  words('npx bunx uvx pnpx xvfb-run dotenvx sudo doas rtk firejail gdb'),
);
export const PREFIX_PAIRS = new Set(
  pairs(`
  uv run, poetry run, pdm run, pipenv run, pipx run, hatch run, rye run, pixi run, bundle exec, npm exec, pnpm exec,
  pnpm dlx, yarn exec, yarn dlx, yarn run, bun x, conda run, mise exec, mise x, asdf exec, direnv exec, doppler run, op run,
  poetry exec, devbox run, nix-shell --run, fvm flutter, fvm dart, dart run, flutter pub, python -m, python3 -m, py -m,
  bin/rails x, php -f`),
);

export const TASK_RUNNERS = new Set(
  words(`
  make gmake just task go-task rake mage inv invoke poe doit tox nox gulp grunt gradle gradlew nx turbo moon rush lage wireit
  ant earthly run xtask dx tilt x`),
);
export const TASK_PAIRS = new Set(
  pairs(`
  mise run, mise r, deno task, composer run, composer run-script, turbo run, moon run, lerna run, cargo xtask, cargo make,
  hatch run, pdm run, pixi run, rush run, devenv tasks, nx run, nx run-many, nx affected, wp scripts, pipenv run, rye run,
  bb run, swift package`),
);

/** Programs of the system whose sub-commands are not the project's. */
export const NEVER_OWN = new Set(
  words(`
  git gh brew apt apt-get dnf yum pacman snap systemctl service launchctl docker podman kubectl aws gcloud az npm nix mise
  asdf code hub glab sudo su`),
);

export const INTERPRETERS =
  /^(?:python[\d.]*|py|node|deno|bun|tsx|ts-node|ruby|perl|php|bash|sh|zsh|Rscript|julia|lua|elixir|pwsh|powershell)$/;
export const SCRIPT_FILE = /\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|lua|exs?|R|jl)$/;

/** Options of runners that take a value in the next word. */
export const VALUED = new Set(
  words(`
  -C --prefix --filter -F --workspace -w --cwd --dir -f --file --project -p --directory --with --python --extra --group
  --package --profile --env-file -n --index --justfile --taskfile --manifest-path --configfile -c -t --target`),
);

/** Whether a word is a program that commands begin with; for finding commands in prose. */
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
