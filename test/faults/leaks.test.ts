/**
 * No secret that an agent's log holds may stand in any byte of our home: planted wherever agents
 * write, searched in every file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { Job } from '../../src/jobs/job.js';
import { runJob } from '../../src/jobs/run-job.js';
import { openLog } from '../../src/log.js';
import { createRedactor } from '../../src/redact/index.js';
import { ENCODINGS, textOf } from '../redact/encodings.js';
import { KEYED, pem, pick, seeded, TOKENS, type Kind } from '../redact/made-up.js';
import { walk } from '../folder.js';
import { type Stage, setStage } from '../stage.js';
import { createApp } from '../../src/app.js';

const random = seeded(20_261_122);

interface Planted {
  what: string;
  /** What no file may hold. */
  needles: string[];
}

const planted: Planted[] = [];
/** A text with a new secret in it, which is remembered. */
function plant(kind: Kind, encoding: string, where: string): string {
  const secret = kind.secret(random);
  const encode = ENCODINGS[encoding]!;
  planted.push({
    what: `${kind.name}, ${encoding}, ${where}`,
    needles: [...new Set([secret, encode(secret).replaceAll(/^["\\]+|["\\]+$|=+$/g, '')])],
  });
  return encode(textOf(kind, secret));
}

const SHAPED = TOKENS.filter(({ name }) =>
  /^(?:github-pat|gitlab-pat|gcp-api-key|stripe|slack-bot|npm|jwt|openai|anthropic)/.test(name),
);
function shaped(where: string): string {
  const kind = SHAPED[Math.floor(random() * SHAPED.length)]!;
  const secret = kind.secret(random);
  planted.push({ what: `${kind.name}, ${where}`, needles: [secret] });
  return secret;
}

/** Words without the shape of a secret: only the file that holds them tells. */
function content(where: string): string {
  const text = `${pick(random, 'abcdefghijklmnop', 9)} ${pick(random, 'abcdefghijklmnop', 9)}`;
  planted.push({ what: `content of ${where}`, needles: [text] });
  return text;
}

let count = 0;
function id(): string {
  return `${String(++count).padStart(8, '0')}-0000-4000-8000-000000000000`;
}
/**
 * From three weeks to twelve days ago: archived, and not yet so old that texts leave the database.
 */
function time(): string {
  return new Date(
    systemClock.now().getTime() - (12 + (count % 9)) * 86_400_000 + count * 1000,
  ).toISOString();
}

/** Every place in a Claude Code log where text stands. */
function claudePlaces(cwd: string): Record<string, (text: string) => object[]> {
  const user = (more: object): object => ({
    type: 'user',
    uuid: id(),
    timestamp: time(),
    sessionId: 'c0ffee00-0000-4000-8000-000000000001',
    cwd,
    version: '2.1.233',
    gitBranch: 'main',
    ...more,
  });
  const says = (block: object): object => ({
    ...user({}),
    type: 'assistant',
    message: { id: `m${count}`, role: 'assistant', model: 'm', content: [block] },
  });
  const call = (
    name: string,
    input: object,
    output: string,
    rich: unknown = undefined,
    isError = false,
  ): object[] => {
    const tool = `t${++count}`;
    return [
      says({ type: 'tool_use', id: tool, name, input }),
      user({
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: tool, content: output, is_error: isError }],
        },
        ...(rich === undefined ? {} : { toolUseResult: rich }),
      }),
    ];
  };
  return {
    prompt: (text) => [
      user({
        message: { role: 'user', content: text },
        promptSource: 'typed',
        origin: { kind: 'human' },
      }),
    ],
    'queued prompt': (text) => [
      {
        type: 'attachment',
        uuid: id(),
        timestamp: time(),
        sessionId: 'c0ffee00-0000-4000-8000-000000000001',
        attachment: {
          type: 'queued_command',
          prompt: text,
          commandMode: 'prompt',
          origin: { kind: 'human' },
        },
      },
    ],
    answer: (text) => [says({ type: 'text', text })],
    thought: (text) => [says({ type: 'thinking', thinking: text, signature: 's' })],
    'tool input': (text) => call('Bash', { command: `echo '${text}'`, description: text }, 'done'),
    'tool output': (text) =>
      call('Bash', { command: 'make show' }, text, {
        stdout: text,
        stderr: text,
        interrupted: false,
      }),
    'failed output': (text) =>
      call(
        'Bash',
        { command: 'make test' },
        `Exit code 1\nError: ${text}`,
        `Error: Exit code 1\n${text}`,
        true,
      ),
    edit: (text) =>
      call('Edit', { file_path: `${cwd}/a.ts`, old_string: text, new_string: `${text}x` }, text, {
        filePath: 'a.ts',
        oldString: text,
        newString: text,
        originalFile: text,
        structuredPatch: [{ lines: [`+${text}`] }],
      }),
    write: (text) =>
      call('Write', { file_path: `${cwd}/b.ts`, content: text }, 'ok', {
        type: 'create',
        content: text,
      }),
    'MCP tool': (text) => call('mcp__tracker__list', { query: text }, text),
    'answered question': (text) =>
      call('AskUserQuestion', { questions: [{ question: text }] }, text, {
        answers: { [text]: text },
      }),
    refusal: (text) =>
      call(
        'Bash',
        { command: 'x' },
        `The user doesn't want to proceed with this tool use. the user said: ${text}`,
        'User rejected tool use',
        true,
      ),
    summary: (text) => [
      user({ isCompactSummary: true, message: { role: 'user', content: text } }),
      { type: 'ai-title', aiTitle: text, sessionId: 'c0ffee00-0000-4000-8000-000000000001' },
      { type: 'summary', summary: text, leafUuid: 'u' },
    ],
    system: (text) => [
      { ...user({}), type: 'system', subtype: 'informational', content: text, level: 'info' },
    ],
  };
}

/** Every place in a Codex log. */
function codexPlaces(cwd: string): Record<string, (text: string) => object[]> {
  const line = (type: string, payload: object): object => ({ timestamp: time(), type, payload });
  const item = (payload: object): object => line('response_item', payload);
  const call = (name: string, args: unknown, output: unknown): object[] => {
    const own = `call_${++count}`;
    return [
      item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: own }),
      item({ type: 'function_call_output', call_id: own, output }),
    ];
  };
  return {
    prompt: (text) => [line('event_msg', { type: 'user_message', message: text })],
    answer: (text) => [
      line('event_msg', { type: 'agent_message', message: text }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
      line('event_msg', { type: 'task_complete', last_agent_message: text }),
    ],
    reasoning: (text) => [item({ type: 'reasoning', summary: [{ type: 'summary_text', text }] })],
    'shell call': (text) =>
      call(
        'exec_command',
        { cmd: `echo '${text}'`, workdir: cwd },
        `Process exited with code 0\nOutput:\n${text}`,
      ),
    'failed call': (text) =>
      call(
        'shell',
        { command: ['bash', '-lc', 'make'] },
        JSON.stringify({ output: `Error: ${text}`, metadata: { exit_code: 2 } }),
      ),
    script: (text) => [
      item({
        type: 'custom_tool_call',
        name: 'exec',
        call_id: `x${++count}`,
        input: `await tools.exec_command({cmd: ${JSON.stringify(text)}})`,
      }),
      item({
        type: 'custom_tool_call_output',
        call_id: `x${count}`,
        output: [
          { type: 'input_text', text: 'Script failed\nOutput:\n' },
          { type: 'input_text', text },
        ],
      }),
    ],
    patch: (text) => [
      item({
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: `p${++count}`,
        input: `*** Begin Patch\n*** Update File: a.ts\n+${text.replaceAll('\n', '\n+')}\n*** End Patch`,
      }),
    ],
    'command end': (text) => [
      line('event_msg', {
        type: 'exec_command_end',
        call_id: `e${++count}`,
        command: ['bash', '-lc', text],
        exit_code: 1,
        aggregated_output: text,
      }),
    ],
    'MCP end': (text) => [
      line('event_msg', {
        type: 'mcp_tool_call_end',
        call_id: `m${++count}`,
        invocation: { server: 's', tool: 't', arguments: { text } },
        result: { Err: text },
      }),
    ],
    title: (text) => [line('event_msg', { type: 'thread_name_updated', thread_name: text })],
    compacted: (text) => [
      line('compacted', {
        message: text,
        replacement_history: [{ type: 'message', content: text }],
      }),
    ],
    error: (text) => [line('event_msg', { type: 'error', message: text })],
  };
}

const SESSION = '019a5300-0000-7000-8000-000000000001';
let person: Stage;
let haystacks: { name: string; bytes: Buffer }[];

function lines(records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Logs of both agents with every kind of secret in three encodings, each time in another place. */
function writeLogs(cwd: string): void {
  const places = { claude: claudePlaces(cwd), codex: codexPlaces(cwd) };
  const slots = Object.entries(places).flatMap(([agent, each]) =>
    Object.entries(each).map(([where, records]) => ({ agent, where, records })),
  );
  const records: Record<string, object[]> = {
    claude: [],
    codex: [
      {
        timestamp: time(),
        type: 'session_meta',
        payload: {
          id: SESSION,
          timestamp: time(),
          cwd,
          originator: 'codex_cli_rs',
          cli_version: '0.144.2',
          source: 'cli',
          git: { branch: 'main' },
        },
      },
    ],
  };
  const encodings = Object.keys(ENCODINGS);
  let n = 0;
  for (const kind of [...TOKENS, ...KEYED]) {
    for (let i = 0; i < 3; i++, n++) {
      const { agent, where, records: make } = slots[n % slots.length]!;
      records[agent]!.push(
        ...make(plant(kind, encodings[(n * 5 + i) % encodings.length]!, `${agent} ${where}`)),
      );
    }
  }
  for (const { agent, where, records: make } of slots)
    records[agent]!.push(...make(`key\n${pemOf(`${agent} ${where}`)}`));
  person.put(
    '.claude/projects/-home-ana-shop/c0ffee00-0000-4000-8000-000000000001.jsonl',
    lines(records['claude']!),
  );
  person.put(
    `.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-${SESSION}.jsonl`,
    lines(records['codex']!),
  );
}

function pemOf(where: string): string {
  const key = pem(random);
  planted.push({
    what: `private key, ${where}`,
    needles: key
      .split('\n')
      .slice(2, -2)
      .map((line) => line.slice(4, 44)),
  });
  return key;
}

/** Names: folders, branches, remotes, versions, tools, files. */
function writeNames(cwd: string): void {
  const named = (where: string): object => ({
    type: 'user',
    uuid: id(),
    timestamp: time(),
    sessionId: id(),
    cwd: `${cwd}/${shaped(`cwd ${where}`)}`,
    version: shaped(`version ${where}`),
    gitBranch: `fix/${shaped(`branch ${where}`)}`,
    message: { role: 'user', content: `say ${where}` },
    promptSource: 'typed',
    origin: { kind: 'human' },
  });
  const tool = `t${++count}`;
  const open = {
    ...named('open call'),
    type: 'assistant',
    message: {
      id: 'open',
      role: 'assistant',
      model: 'm',
      content: [
        {
          type: 'tool_use',
          id: tool,
          name: `run_${shaped('tool name')}`,
          input: {
            file_path: `/x/${shaped('path of an open call')}/a.ts`,
            command: `echo ${shaped('open command')}`,
          },
        },
      ],
    },
  };
  const odd = [
    {
      type: 'pr-link',
      sessionId: 's',
      prRepository: shaped('pull request'),
      prUrl: `https://h/${shaped('pull request URL')}`,
      prNumber: 1,
      timestamp: time(),
    },
    {
      type: 'worktree-state',
      sessionId: 's',
      worktreeSession: {
        originalCwd: `/w/${shaped('worktree')}`,
        worktreePath: `/w/${shaped('worktree path')}`,
        worktreeName: 'x',
      },
    },
    { type: shaped('unknown type'), sessionId: 's', uuid: id() },
  ];
  const bad = `{"type":"user","message":{"content":"${shaped('torn line')}`;
  person.put(
    '.claude/projects/-home-ana-shop/names.jsonl',
    `${lines([named('one'), named('two'), ...odd, open])}${bad}\n${lines([named('three')])}`,
  );
  const meta = {
    id: '019a5301-0000-7000-8000-000000000001',
    timestamp: time(),
    cwd: `${cwd}/${shaped('Codex cwd')}`,
    originator: 'codex_cli_rs',
    cli_version: shaped('Codex version'),
    source: 'cli',
    git: {
      branch: shaped('Codex branch'),
      repository_url: `https://${shaped('remote')}@github.com/ana/shop.git`,
    },
  };
  const polled = [
    {
      timestamp: time(),
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'read_file',
        arguments: JSON.stringify({ path: `/y/${shaped('path of an open Codex call')}` }),
        call_id: 'open1',
      },
    },
  ];
  person.put(
    '.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-019a5301-0000-7000-8000-000000000001.jsonl',
    lines([
      { timestamp: time(), type: 'session_meta', payload: meta },
      {
        timestamp: time(),
        type: 'event_msg',
        payload: { type: 'user_message', message: 'say four' },
      },
      ...polled,
    ]),
  );
  const inbox = {
    agent: 'aider',
    session: 'one',
    role: 'user',
    text: `my token is ${shaped('inbox')}`,
    at: time(),
    cwd: `/home/ana/${shaped('inbox cwd')}`,
  };
  person.put('../stone/inbox/notes.jsonl', lines([inbox]));
}

/** What stands in files whose content is not stored, as both agents show, write and edit them. */
function writeContents(cwd: string): void {
  person.put('code/shop/.gitignore', 'private/\n');
  const claude: object[] = [];
  const base = () => ({
    uuid: id(),
    timestamp: time(),
    sessionId: 'c0ffee00-0000-4000-8000-000000000003',
    cwd,
    version: '2.1.233',
    gitBranch: 'main',
  });
  const call = (name: string, input: object, output: string, rich: unknown = undefined): void => {
    const tool = `t${++count}`;
    claude.push({
      ...base(),
      type: 'assistant',
      message: {
        id: tool,
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id: tool, name, input }],
      },
    });
    claude.push({
      ...base(),
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: tool, content: output }],
      },
      ...(rich === undefined ? {} : { toolUseResult: rich }),
    });
  };
  const codex: object[] = [
    {
      timestamp: time(),
      type: 'session_meta',
      payload: {
        id: '019a5302-0000-7000-8000-000000000001',
        timestamp: time(),
        cwd,
        originator: 'codex_cli_rs',
        cli_version: '0.144.2',
        source: 'cli',
      },
    },
  ];
  const item = (payload: object): void =>
    void codex.push({ timestamp: time(), type: 'response_item', payload });
  for (const path of [
    '.env',
    '.env.local',
    'private/customers.csv',
    'deploy/server.pem',
    '.npmrc',
    'terraform.tfvars',
  ]) {
    for (const file of [path, `${cwd}/${path}`]) {
      const [read, cat, head, edit, write] = ['Read', 'cat', 'head', 'Edit', 'Write'].map((how) =>
        content(`${path} by ${how}`),
      ) as [string, string, string, string, string];
      call('Read', { file_path: file }, `     1\t${read}`, {
        type: 'text',
        file: { filePath: file, content: read, numLines: 1 },
      });
      call('Bash', { command: `cd ${cwd} && cat ${file} | sort` }, cat, {
        stdout: cat,
        stderr: '',
        interrupted: false,
      });
      call('Bash', { command: `head -n 5 ${file}` }, head, {
        stdout: head,
        stderr: '',
        interrupted: false,
      });
      call('Edit', { file_path: file, old_string: edit, new_string: edit }, `updated\n1\t${edit}`, {
        filePath: file,
        oldString: edit,
        newString: edit,
        originalFile: edit,
        structuredPatch: [{ lines: [`+${edit}`] }],
      });
      call('Write', { file_path: file, content: write }, 'ok', { filePath: file, content: write });
      const [show, patch, here] = ['exec_command', 'apply_patch', 'heredoc'].map((how) =>
        content(`${path} by Codex ${how}`),
      ) as [string, string, string];
      const own = `call_${++count}`;
      item({
        type: 'function_call',
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: `sed -n 1,20p ${file}`, workdir: cwd }),
        call_id: own,
      });
      item({
        type: 'function_call_output',
        call_id: own,
        output: `Process exited with code 0\nOutput:\n${show}`,
      });
      item({
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: `p${own}`,
        input: `*** Begin Patch\n*** Update File: ${file}\n+${patch}\n*** End Patch`,
      });
      item({
        type: 'function_call',
        name: 'shell',
        arguments: JSON.stringify({ command: ['bash', '-lc', `cat > ${file} <<'E'\n${here}\nE`] }),
        call_id: `h${own}`,
      });
    }
  }
  person.put('.claude/projects/-home-ana-shop/contents.jsonl', lines(claude));
  person.put(
    '.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-019a5302-0000-7000-8000-000000000001.jsonl',
    lines(codex),
  );
}

/**
 * Secrets that a line break parts from their key, or that a terminal has wrapped with an escape.
 */
function writeSplit(cwd: string): void {
  const secret = (how: string): string => {
    const text = `${pick(random, 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789', 23)}7`;
    planted.push({ what: `split: ${how}`, needles: [text] });
    return text;
  };
  const texts = [
    `{\n  "password":\n    "${secret('JSON value on the next line')}"\n}`,
    `export DB_PASSWORD=\\\n${secret('shell continuation')}`,
    `api_key: >-\n  ${secret('YAML folded block')}\n`,
    `client_secret: |\n  ${secret('YAML literal block')}\n`,
    `--token \\\n  ${secret('flag with continuation')}`,
    `Authorization:\n  Bearer ${secret('folded header')}`,
    `password = (\n    "${secret('python parentheses')}"\n)`,
  ];
  const records = texts.map((text) => ({
    type: 'user',
    uuid: id(),
    timestamp: time(),
    sessionId: 'c0ffee00-0000-4000-8000-000000000004',
    cwd,
    version: '2.1.233',
    message: { role: 'user', content: `look:\n${text}` },
    promptSource: 'typed',
    origin: { kind: 'human' },
  }));
  person.put('.claude/projects/-home-ana-shop/split.jsonl', lines(records));
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
      return {
        name: path.slice(person.stone.length + 1),
        bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes,
      };
    });
  const rows = await person.ask(async (db) => {
    const tables = await db.all<{ name: string }>(
      `SELECT DISTINCT table_schema || '."' || table_name || '"' AS name FROM information_schema.tables WHERE table_schema IN ('own', 'main') AND table_type = 'BASE TABLE'`,
    );
    const all: { name: string; bytes: Buffer }[] = [];
    for (const { name } of tables)
      all.push({
        name,
        bytes: Buffer.from(
          (await db.all<{ row: string }>(`SELECT t::VARCHAR AS row FROM ${name} t`))
            .map(({ row }) => row)
            .join('\n'),
        ),
      });
    return all;
  });
  return [...found, ...rows];
}

beforeAll(async () => {
  person = setStage({ isLive: true });
  const cwd = join(person.home, 'code/shop');
  writeLogs(cwd);
  writeNames(cwd);
  writeContents(cwd);
  writeSplit(cwd);
  expect((await person.type('run')).code).toBe(0);
  // Lessons, uses, an error in job_runs, a second night, and our own log.
  expect((await person.type('search', 'token', '--project', 'all')).code).toBe(0);
  expect(
    (
      await person.type(
        'lessons',
        'add',
        `always log in with ${shaped('lesson that a person adds')}`,
        '--project',
        cwd,
      )
    ).code,
  ).toBe(0);
  const opened = openLog({
    level: 'info',
    folder: join(person.stone, 'logs'),
    fileMib: 1,
    filesKept: 1,
    redact: (texts) => Promise.resolve(createRedactor({ key: 'k' }).redact(texts)),
    now: systemClock.now,
  });
  opened.log.warn(
    { file: `/x/${shaped('our own log')}` },
    `could not read ${shaped('our own log')}`,
  );
  await opened.close();
  const app = await createApp({ ...person.io(), access: 'write' });
  const failing: Job = {
    name: 'embed',
    after: {},
    due: 'always',
    run: () => Promise.reject(new Error(`cannot read ${shaped('error of a job')}`)),
  };
  await expect(runJob(app, failing, { job: 'embed' })).rejects.toThrow('cannot read');
  await app[Symbol.asyncDispose]();
  person.put(
    '.codex/sessions/2025/10/01/rollout-2025-10-01T09-00-00-late.jsonl.zst',
    `no zstd ${shaped('a log that cannot be read')}`,
  );
  expect([0, 3]).toContain((await person.type('run', '--rebuild')).code);
  expect((await person.type('crystallize')).code).toBe(0);
  haystacks = await gather();
});

test('what was planted was read, and went through tiers, crystal, context, detail and episodes', () => {
  const names = haystacks.map(({ name }) => name);
  for (const shape of [
    /^projects\/.*\/archive\/.*\.jsonl\.gz$/,
    /crystal\.json$/,
    /^projects\/.*\/context\.md$/,
    /\/detail\/.*\.md$/,
    /\/episodes\/.*\.md$/,
    /^logs\//,
    /^memory\.duckdb$/,
    /^own\."texts"$/,
    /^own\."job_runs"$/,
  ])
    expect(
      names.some((name) => shape.test(name)),
      String(shape),
    ).toBe(true);
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
