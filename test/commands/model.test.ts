/**
 * Switching a model on: what is found, tried, told, asked and written. The programs are scripts of
 * our own.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answers, says, shell } from '../jobs/made-log.js';
import { type Said, type Stage, begunStage, setStage } from '../stage.js';
import type { Io } from '../../src/io.js';

const CONFIG = 'embed: {enabled: false}\nllm:\n  daily_tokens: 5000\n';
const SESSION = '11111111-1111-4111-8111-111111111111';
const TURNS = [
  says('Remember: always run the kettle tests with `make brew` here, never with npm.'),
  ...Array.from({ length: 6 }, () => shell('make brew', 'ok, 12 passed', 0)),
  answers('The boiler tests fail without `KETTLE_PORT=0`.'),
];

interface World {
  stage: Stage;
  path: string;
  /** What the program was called with, a line a call: folder, arguments, prompt. */
  called(): { cwd: string; argv: string[]; prompt: string }[];
  type(argv: string[], more?: Partial<Io>): Promise<Said>;
}

/**
 * A machine with one program on PATH, which answers so. @param stage without one: a home where
 * nothing was read
 */
function machine(
  name: string,
  script = `process.stdout.write('{"lessons":[]}')`,
  stage = setStage({ config: CONFIG }),
): World {
  const bin = join(stage.home, 'bin');
  const seen = join(stage.home, 'called.jsonl');
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, name),
    `#!${process.execPath}\nconst fs = require('fs');\nconst prompt = fs.readFileSync(0, 'utf8');\n` +
      `fs.appendFileSync(${JSON.stringify(seen)}, JSON.stringify({cwd: process.cwd(), argv: process.argv.slice(2), prompt}) + '\\n');\n` +
      `${script}\n`,
  );
  chmodSync(join(bin, name), 0o755);
  const path = [bin, dirname(process.execPath)].join(delimiter);
  const type: World['type'] = (argv, more = {}) =>
    stage.typeAs(argv, { ...more, env: { PATH: path, ...more.env } });
  const called = () =>
    existsSync(seen)
      ? readFileSync(seen, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as ReturnType<World['called']>[number])
      : [];
  return { stage, path, type, called };
}
/** Answers a question about a session with one claim about it. */
const READS =
  `process.stdout.write(JSON.stringify({lessons: [{about: 'new', kind: 'gotcha', scope: 'project', line: 8, ` +
  "text: 'Set `KETTLE_PORT=0` for the boiler tests', quote: 'The boiler tests fail without `KETTLE_PORT=0`'}]}))";

function putSessions(stage: Stage, count: number): void {
  for (let n = 1; n <= count; n++) {
    const session = `${n}`.repeat(8) + SESSION.slice(8);
    const turns = [says(`Does valve ${n} of the kettle leak?`), ...TURNS.slice(1)];

    stage.log({ session, cwd: '/home/ann/kettle', day: `2026-11-1${n}` }, turns);
  }
}

/** A session of Codex with a sentence that is worth keeping. */
function putCodex(stage: Stage): void {
  const id = '99999999-9999-4999-8999-999999999999';
  const at = '2026-11-17T09:00:00.000Z';
  const message = 'Remember: this sentence was said to Codex alone, at valve 9.';
  const content = [{ type: 'input_text', text: message }];
  const lines = [
    {
      type: 'session_meta',
      payload: {
        id,
        timestamp: at,
        cwd: '/home/ann/kettle',
        originator: 'codex_cli',
        cli_version: '0.60.0',
      },
    },
    { type: 'response_item', payload: { type: 'message', role: 'user', content } },
    { type: 'event_msg', payload: { type: 'user_message', message } },
  ];
  stage.put(
    `.codex/sessions/2026/11/17/rollout-2026-11-17T09-00-00-${id}.jsonl`,
    lines.map((line) => `${JSON.stringify({ timestamp: at, ...line })}\n`).join(''),
  );
}

/** A person at a terminal who types these answers; without one left they press Ctrl-C. */
function atTerminal(...typed: string[]): Partial<Io> & { asked: string[] } {
  const asked: string[] = [];
  const ask = (question: string): Promise<string | null> => {
    asked.push(question);
    return Promise.resolve(typed.shift() ?? null);
  };
  return { asked, terminal: true, outIsTerminal: true, ask };
}

function config(stage: Stage): string {
  return readFileSync(join(stage.stone, 'config.yaml'), 'utf8');
}
function saying(...lines: string[]): Partial<Io> {
  return {
    terminal: true,
    lines: async function* () {
      yield* lines;
    },
  };
}

/** Four sessions of Claude Code, read: too few to be asked about. */
const fewRead = begunStage({ config: CONFIG }, async (stage) => {
  putSessions(stage, 4);
  await stage.type('run');
});
/**
 * Five sessions of Claude Code and one of Codex, read without a terminal: the question was not put
 * yet.
 */
const enoughRead = begunStage({ config: CONFIG }, async (stage) => {
  putSessions(stage, 5);
  putCodex(stage);
  await stage.type('run');
});

describe('model use', () => {
  test('tries the program in our empty folder, its tools off and its small model named, then writes the choice', async () => {
    const world = machine('claude', undefined, await enoughRead());
    const said = await world.type(['model', 'use', 'claude']);
    expect(said.code).toBe(0);
    // Not a terminal: one line tells what it costs.
    expect(said.err).toMatch(
      /^now: 5 sessions wait, about 14,000 tokens: 3 nights at 5,000 tokens a day; not sent: 1 session .*\n$/,
    );
    const [call] = world.called();
    expect(call!.cwd).toMatch(/[/\\]stone[/\\]llm$/);
    expect(call!.argv.join(' ')).toContain('--tools  --strict-mcp-config');
    expect(call!.argv.slice(-2)).toEqual(['--model', 'haiku']);
    expect(call!.prompt).not.toContain('kettle');
    expect(config(world.stage)).toContain('daily_tokens: 5000');
    expect(await world.type(['status', '--json']).then(({ out }) => out)).toContain(
      '"provider":"command"',
    );
  });

  test.each([
    [
      'ends with an error',
      'process.stderr.write("no key"); process.exit(3)',
      'ends with 3: no key',
    ],
    ['does not answer with JSON', 'process.stdout.write("Hello!")', 'does not answer with JSON'],
  ])('a program that %s is told, and config.yaml stays as it was', async (_, script, told) => {
    const world = machine('codex', script);
    const said = await world.type(['model', 'use', 'codex']);
    expect(said.code).toBe(1);
    expect(said.err).toContain(told);
    expect(config(world.stage)).toBe(CONFIG);
    expect(world.called()[0]!.argv).toEqual(
      expect.arrayContaining(['shell_tool', '--ignore-user-config', '-']),
    );
  });

  test('at a terminal a person is asked once, after what is sent and what it costs; no is the default', async () => {
    const world = machine('claude', undefined, await enoughRead());
    for (const answer of [[''], [], ['n'], ['sure']]) {
      const said = await world.type(['model', 'use', 'claude'], saying(...answer));
      expect(said.err).toMatch(
        /what is sent of a session[^]*now: 5 sessions wait[^]*a day\n[^]*\nAsk claude from now on\? \[y\/N\] $/,
      );
      expect(said.out).toContain('nothing was changed');
    }
    expect(config(world.stage)).toBe(CONFIG);
    expect(world.called()).toEqual([]);
    await world.type(['model', 'use', 'claude', 'sonnet'], saying('y'));
    expect(world.called().at(-1)!.argv.slice(-2)).toEqual(['--model', 'sonnet']);
    expect(config(world.stage)).toContain('provider: command');
  });
});

describe('the one question after a run', () => {
  test('says what it finds, who is sent what and what it costs; nothing of a session is sent before the yes', async () => {
    const world = machine('claude', READS, await enoughRead());
    const person = atTerminal('y');
    const said = await world.type(['run'], person);
    expect(said.code).toBe(0);
    expect(said.err).toContain('decisions with their reason');
    expect(said.err).toMatch(
      /what is sent of a session[^]*to whom: Anthropic[^]*now: 5 sessions wait, about 14,000 tokens/,
    );
    expect(said.err).toContain("not sent: 1 session of other vendors' agents");
    expect(person.asked).toEqual(['Ask claude from now on? [y/N] ']);
    expect(world.called()).toHaveLength(1);
    expect(world.called()[0]!.prompt).not.toContain('kettle');
    expect(config(world.stage)).toMatch(/daily_tokens: 5000[^]*provider: command/);
    // All sessions of Claude Code are asked about, those of Codex are not.
    const change = (before: string, after: string): void =>
      writeFileSync(
        join(world.stage.stone, 'config.yaml'),
        config(world.stage).replace(before, after),
      );
    change('daily_tokens: 5000', 'daily_tokens: 200000');
    await world.type(['run']);
    const read = () =>
      world
        .called()
        .flatMap(({ prompt }) =>
          prompt
            .split('<session>')
            .flatMap((part, at) => (at === 0 ? [] : [/valve (\d)/.exec(part)![1]])),
        );
    expect(read()).toEqual(['1', '2', '3', '4', '5']);
    expect((await world.type(['status'])).out).toContain(
      "1 session of other vendors' agents not sent",
    );
    change('daily_tokens: 200000', 'daily_tokens: 200000\n  other_vendors: true');
    await world.type(['run']);
    expect(read().at(-1)).toBe('9');
  });

  test.each([
    ['Ctrl-C', []],
    ['no', ['']],
  ])('%s is an answer: nothing is switched on, and it is never put again', async (_, typed) => {
    const world = machine('claude', READS, await enoughRead());
    const first = atTerminal(...typed);
    expect((await world.type(['run'], first)).code).toBe(0);
    expect(first.asked.length).toBeGreaterThan(0);
    const again = atTerminal('y', 'y');
    const said = await world.type(['run'], again);
    expect([again.asked, said.out.includes('model use claude')]).toEqual([[], false]);
    expect(world.called()).toEqual([]);
    expect(config(world.stage)).toContain('daily_tokens: 5000');
    expect((await world.type(['model'])).out).toMatch(
      /no model is used[^]*now: 5 sessions wait[^]*to whom: Anthropic/,
    );
  });

  test('is not put to an agent, to CI, without a terminal, with few sessions, or with another vendor’s alone', async () => {
    const person = atTerminal('y', 'y');
    const few = machine('claude', READS, await fewRead());
    await few.type(['run'], person);
    const world = machine('claude', READS, await enoughRead());
    const { env } = world.stage.io();
    await world.type(['run', '--json'], person);
    await world.type(['run'], { ...person, outIsTerminal: false });
    await world.type(['run'], { ...person, env: { ...env, PATH: world.path, CI: 'true' } });
    world.stage.caller = { kind: 'agent', name: 'claude-code' };
    await world.type(['run'], person);
    world.stage.caller = { kind: 'person' };
    const another = machine('codex', READS, world.stage);
    rmSync(join(world.stage.home, 'bin/claude'));
    await another.type(['run'], person);
    expect(person.asked).toEqual([]);
    expect([config(few.stage), config(world.stage)]).toEqual([CONFIG, CONFIG]);
  });
});
