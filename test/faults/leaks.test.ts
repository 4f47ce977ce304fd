/**
 * No secret that an agent's log holds may stand in any byte of our home: planted wherever agents
 * write (leak-logs.json), searched in every file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { systemClock } from '../../src/clock.js';
import type { Job } from '../../src/jobs/job.js';
import { runJob } from '../../src/jobs/run-job.js';
import { openLog } from '../../src/log.js';
import { createRedactor } from '../../src/redact/index.js';
import { walk } from '../folder.js';
import { ENCODINGS, textOf } from '../redact/encodings.js';
import { KEYED, pem, pick, seeded, TOKENS, type Kind } from '../redact/made-up.js';
import { type Stage, setStage } from '../stage.js';

type Agent = 'claude' | 'codex';
type Template = string | Record<string, unknown>;
const LOGS = JSON.parse(readFileSync(join(import.meta.dirname, 'leak-logs.json'), 'utf8')) as {
  names: Record<Agent | 'inbox', Template[]>;
  /** What agents show, write and edit in a file whose content is not stored. */
  contents: Record<Agent, Template[][]>;
  /** Secrets that a line break parts from their key. */
  split: string[];
} & Record<Agent, Record<string, Template[]>>;

const SESSION = '019a5300-0000-7000-8000-000000000001';
const HIDDEN = ['.env', '.env.local', 'private/customers.csv', 'deploy/server.pem', '.npmrc'];
const random = seeded(20_261_122);
/** What no file may hold. */
const planted: { what: string; needles: string[] }[] = [];
let person: Stage;
let cwd: string;
let count = 0;

function keep(what: string, secret: string): string {
  planted.push({ what, needles: [secret] });
  return secret;
}

/** A text with a new secret in it. */
function plant(kind: Kind, encoding: string, where: string): string {
  const secret = kind.secret(random);
  const encode = ENCODINGS[encoding]!;
  const encoded = encode(secret).replaceAll(/^["\\]+|["\\]+$|=+$/g, '');
  planted.push({ what: `${kind.name}, ${encoding}, ${where}`, needles: [secret, encoded] });
  return encode(textOf(kind, secret));
}

function pemOf(where: string): string {
  const key = pem(random);
  const needles = key.split('\n').slice(2, -2);
  planted.push({
    what: `private key, ${where}`,
    needles: needles.map((line) => line.slice(4, 44)),
  });
  return key;
}

const SHAPED = TOKENS.filter(({ name }) =>
  /^(?:github-pat|gitlab-pat|gcp-api-key|stripe|slack-bot|npm|jwt|openai|anthropic)/.test(name),
);
function shaped(where: string): string {
  const kind = SHAPED[Math.floor(random() * SHAPED.length)]!;
  return keep(`${kind.name}, ${where}`, kind.secret(random));
}

const LETTERS = 'abcdefghijklmnop';
const MIXED = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
function id(): string {
  return `${String(++count).padStart(8, '0')}-0000-4000-8000-000000000000`;
}
/** From three weeks to twelve days ago: archived, and not so old that texts leave the database. */
function time(): string {
  const days = 12 + (count % 9);
  return new Date(systemClock.now().getTime() - days * 86_400_000 + count * 1000).toISOString();
}

/** Lines of a log with what the braces name. One call of it uses one id of a tool call. */
function linesOf(
  agent: Agent | 'inbox',
  templates: readonly Template[],
  text = '',
  file = '',
): string {
  const call = String(++count);
  const contents = new Map<string, string>();
  const fill: Record<string, (where: string) => string> = {
    ...{ id, time, shaped },
    ...{ text: () => text, file: () => file, cwd: () => cwd, call: () => call },
    quoted: () => JSON.stringify(text),
    added: () => text.replaceAll(/^/gm, '+'),
    // Words without the shape of a secret: only the file that holds them says that they are one.
    content(how) {
      const words = `${pick(random, LETTERS, 9)} ${pick(random, LETTERS, 9)}`;
      if (!contents.has(how)) contents.set(how, keep(`content of ${file} by ${how}`, words));
      return contents.get(how)!;
    },
    split: (how) => keep(`split: ${how}`, `${pick(random, MIXED, 23)}7`),
  };
  const filled = (line: string, isJson: boolean): string =>
    line.replaceAll(/\{([a-z]+)(?::([^{}"]*))?\}/g, (whole, name: string, where = '') => {
      const value = fill[name]?.(where as string) ?? whole;
      return isJson ? JSON.stringify(value).slice(1, -1) : value;
    });
  return templates
    .map((template) =>
      typeof template === 'string'
        ? filled(template, false)
        : filled(JSON.stringify(RECORDS[agent](template)), true),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A whole record of a template; a call and its result are written in short. */
const RECORDS: Record<Agent | 'inbox', (template: Record<string, unknown>) => object> = {
  claude({ call, input, result, is_error = false, ...more }) {
    const head = {
      uuid: '{id}',
      timestamp: '{time}',
      sessionId: 'c0ffee00-0000-4000-8000-000000000001',
    };
    const base = { ...head, cwd: '{cwd}', version: '2.1.233', gitBranch: 'main' };
    const message = (type: string, block: object): object => ({
      ...{ ...base, type, ...more },
      message: { id: 'm{call}', role: type, model: 'm', content: [block] },
    });
    if (call !== undefined)
      return message('assistant', { type: 'tool_use', id: 't{call}', name: call, input });
    const answer = { type: 'tool_result', tool_use_id: 't{call}', content: result, is_error };
    return result === undefined ? { ...base, ...more } : message('user', answer);
  },
  codex({ call, arguments: given, output, json, ...more }) {
    const item = (payload: object): object => ({
      ...{ timestamp: '{time}', type: 'response_item' },
      payload: { ...payload, call_id: 'call_{call}' },
    });
    if (call !== undefined)
      return item({ type: 'function_call', name: call, arguments: JSON.stringify(given) });
    const printed = json === undefined ? output : JSON.stringify(json);
    if (printed !== undefined) return item({ type: 'function_call_output', output: printed });
    return { timestamp: '{time}', ...more };
  },
  inbox: (template) => template,
};

function putLog(agent: Agent, name: string, text: string): void {
  const [codex, claude] = [
    '.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-',
    '.claude/projects/-home-ana-shop/',
  ];
  person.put(`${agent === 'codex' ? codex : claude}${name}.jsonl`, text);
}

function headOf(session: string): string {
  const more = { originator: 'codex_cli_rs', cli_version: '0.144.2', source: 'cli' };
  const payload = {
    id: session,
    timestamp: '{time}',
    cwd: '{cwd}',
    ...more,
    git: { branch: 'main' },
  };
  return linesOf('codex', [{ type: 'session_meta', payload }]);
}

/** Logs of both agents with every kind of secret in three encodings, each time in another place. */
function writeLogs(): void {
  const slots = (['claude', 'codex'] as const).flatMap((agent) =>
    Object.entries(LOGS[agent]).map(([place, templates]) => ({
      where: `${agent} ${place}`,
      write: (text: string) => void (logs[agent] += linesOf(agent, templates, text)),
    })),
  );
  const logs = { claude: '', codex: headOf(SESSION) };
  const encodings = Object.keys(ENCODINGS);
  [...TOKENS, ...KEYED]
    .flatMap((kind) => [0, 1, 2].map((i) => ({ kind, i })))
    .forEach(({ kind, i }, n) => {
      const { where, write } = slots[n % slots.length]!;
      write(plant(kind, encodings[(n * 5 + i) % encodings.length]!, where));
    });
  for (const { where, write } of slots) write(`key\n${pemOf(where)}`);
  putLog('claude', 'c0ffee00-0000-4000-8000-000000000001', logs.claude);
  putLog('codex', SESSION, logs.codex);
}

/** Names (folders, branches, remotes, versions, tools), contents of hidden files, split secrets. */
function writeOthers(): void {
  putLog('claude', 'names', linesOf('claude', LOGS.names.claude));
  putLog('codex', '019a5301-0000-7000-8000-000000000001', linesOf('codex', LOGS.names.codex));
  person.put('../stone/inbox/notes.jsonl', linesOf('inbox', LOGS.names.inbox));
  person.put('code/shop/.gitignore', 'private/\n');
  const shown = (agent: Agent): string =>
    [...HIDDEN, 'terraform.tfvars']
      .flatMap((path) => [path, `${cwd}/${path}`])
      .flatMap((file) => LOGS.contents[agent].map((each) => linesOf(agent, each, '', file)))
      .join('');
  putLog('claude', 'contents', shown('claude'));
  const session = '019a5302-0000-7000-8000-000000000001';
  putLog('codex', session, headOf(session) + shown('codex'));
  const said = { type: 'user', promptSource: 'typed', origin: { kind: 'human' } };
  const split = LOGS.split.map((text) => ({
    ...said,
    message: { role: 'user', content: `look:\n${text}` },
  }));
  putLog('claude', 'split', linesOf('claude', split));
}

/**
 * Every file of the home; the database is read by another process, and its rows too, since it packs
 * its strings.
 */
async function gather(): Promise<{ name: string; bytes: Buffer }[]> {
  const found = walk(person.stone)
    .filter((path) => !path.startsWith(join(person.stone, 'inbox')))
    .map((path) => {
      const bytes = /\.(?:duckdb|wal)$/.test(path)
        ? spawnSync('cat', [path], { maxBuffer: 2 ** 30 }).stdout
        : readFileSync(path);
      const name = path.slice(person.stone.length + 1);
      return { name, bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes };
    });
  const rows = await person.ask(async (db) => {
    const tables = await db.all<{ name: string }>(
      `SELECT DISTINCT table_schema || '."' || table_name || '"' AS name FROM information_schema.tables WHERE table_schema IN ('own', 'main') AND table_type = 'BASE TABLE'`,
    );
    const all: { name: string; bytes: Buffer }[] = [];
    for (const { name } of tables) {
      const of = await db.all<{ row: string }>(`SELECT t::VARCHAR AS row FROM ${name} t`);
      all.push({ name, bytes: Buffer.from(of.map(({ row }) => row).join('\n')) });
    }
    return all;
  });
  return [...found, ...rows];
}

let haystacks: { name: string; bytes: Buffer }[];
beforeAll(async () => {
  person = setStage({ isLive: true });
  cwd = join(person.home, 'code/shop');
  writeLogs();
  writeOthers();
  const done = async (codes: number[], ...argv: string[]): Promise<void> =>
    expect(codes, argv.join(' ')).toContain((await person.type(...argv)).code);
  await done([0], 'run');
  // Lessons, uses, an error in job_runs, a second night, and our own log.
  await done([0], 'search', 'token', '--project', 'all');
  const words = `always log in with ${shaped('lesson that a person adds')}`;
  await done([0], 'lessons', 'add', words, '--project', cwd);
  const opened = openLog({
    ...{ level: 'info', folder: join(person.stone, 'logs'), fileMib: 1, filesKept: 1 },
    redact: (texts) => Promise.resolve(createRedactor({ key: 'k' }).redact(texts)),
    now: systemClock.now,
  });
  const file = `/x/${shaped('our own log')}`;
  opened.log.warn({ file }, `could not read ${shaped('our own log')}`);
  await opened.close();
  const app = await createApp({ ...person.io(), access: 'write' });
  const failing: Job = {
    ...{ name: 'embed', after: {}, due: 'always' },
    run: () => Promise.reject(new Error(`cannot read ${shaped('error of a job')}`)),
  };
  await expect(runJob(app, failing, { job: 'embed' })).rejects.toThrow('cannot read');
  await app[Symbol.asyncDispose]();
  const late = '.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-late.jsonl.zst';
  person.put(late, `no zstd ${shaped('a log that cannot be read')}`);
  await done([0, 3], 'run', '--rebuild');
  await done([0], 'crystallize');
  haystacks = await gather();
});

test('what was planted was read, and went through tiers, crystal, context, detail and episodes', () => {
  const names = haystacks.map(({ name }) => name).join('\n');
  for (const shape of [
    ...[
      /^projects\/.*\/archive\/.*\.jsonl\.gz$/m,
      /crystal\.json$/m,
      /^projects\/.*\/context\.md$/m,
    ],
    ...[/\/detail\/.*\.md$/m, /\/episodes\/.*\.md$/m, /^logs\//m, /^memory\.duckdb$/m],
    ...[/^own\."texts"$/m, /^own\."job_runs"$/m],
  ])
    expect(names).toMatch(shape);
  const texts = haystacks.find(({ name }) => name === 'own."texts"')!.bytes.toString();
  expect(texts.split('[REDACTED:').length).toBeGreaterThan(400);
  for (const said of ['say one', 'say two', 'say three', 'say four']) expect(texts).toContain(said);
});

test('no planted byte stands anywhere: leaked 0', () => {
  expect(planted.length).toBeGreaterThan(450);
  const leaks = planted.flatMap(({ what, needles }) =>
    needles.flatMap((needle) =>
      haystacks
        .filter(({ bytes }) => bytes.includes(needle))
        .map(({ name }) => `${what} in ${name}`),
    ),
  );
  expect(leaks).toEqual([]);
});
