/** Providers against real servers and real programs, well-behaved and not. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findServers, ModelError, openModel, type ModelSettings } from '../../src/llm/index.js';
import { completion, startServer } from './server.js';
import { testFolder } from '../folder.js';

function settings(more: Partial<ModelSettings>): ModelSettings {
  return { provider: 'openai', model: 'toy', url: '', key_variable: '', command: [], ...more };
}
function askWith(
  more: Partial<ModelSettings>,
  { env = {}, ms = 500_000 }: { env?: Record<string, string>; ms?: number } = {},
) {
  return openModel(settings(more), env, testFolder())!.ask('say yes', {
    maxTokens: 50,
    signal: AbortSignal.timeout(ms),
  });
}
async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ModelError) return `${error.failure}: ${error.message}`;
    throw error;
  }
  throw new Error('the call did not fail');
}

describe('servers', () => {
  test('an OpenAI-compatible server gets one user message and the key, and its counts are taken', async () => {
    const server = await startServer(() =>
      completion('yes', { prompt_tokens: 7, completion_tokens: 1 }),
    );
    expect(
      await askWith(
        { url: server.url, key_variable: 'TOY_KEY' },
        { env: { TOY_KEY: 'not a secret' } },
      ),
    ).toEqual({ text: 'yes', tokensIn: 7, tokensOut: 1 });
    expect(server.prompts).toEqual(['say yes']);
    // Small models know no system role.
    expect(server.roles).toEqual([['user']]);
    expect(server.headers[0]!.authorization).toBe('Bearer not a secret');
  });

  test('a server is told the shape of the answer; one that does not take it is asked once more without', async () => {
    const schema = { type: 'object', properties: { lessons: { type: 'array' } } };
    const server = await startServer(() => completion('{"lessons":[]}'));
    const old = await startServer((_, __, response) => {
      if (!('response_format' in old.bodies.at(-1)!)) return completion('{"lessons":[]}');
      response.statusCode = 400;
      return '{"error":"unknown field response_format"}';
    });
    for (const { url } of [server, old]) {
      const asked = openModel(settings({ url }), {}, testFolder())!;
      const answer = await asked.ask('say yes', {
        maxTokens: 50,
        signal: AbortSignal.timeout(500_000),
        schema,
      });
      expect(answer.text).toBe('{"lessons":[]}');
    }
    expect(server.bodies.map(({ response_format: shape }) => shape)).toEqual([
      { type: 'json_schema', json_schema: { name: 'answer', schema } },
    ]);
    expect(old.bodies.map((body) => 'response_format' in body)).toEqual([true, false]);
    // A wrong key is no matter of shape.
    const closed = await startServer((_, __, response) => {
      response.statusCode = 401;
      return 'no';
    });
    const call = openModel(settings({ url: closed.url }), {}, testFolder())!.ask('x', {
      maxTokens: 5,
      signal: AbortSignal.timeout(500_000),
      schema,
    });
    expect(await failureOf(call)).toContain('answers 401');
    expect(closed.prompts).toHaveLength(1);
  });

  test('Anthropic gets its headers, and its text blocks are joined', async () => {
    const server = await startServer(() =>
      JSON.stringify({
        content: [{ type: 'text', text: 'y' }, { type: 'tool_use' }, { type: 'text', text: 'es' }],
        usage: { input_tokens: 3, output_tokens: 2 },
      }),
    );
    const url = server.url.replace(/\/v1$/, '');
    expect(
      await askWith(
        { provider: 'anthropic', url, key_variable: 'TOY_KEY' },
        { env: { TOY_KEY: 'k' } },
      ),
    ).toEqual({ text: 'y\nes', tokensIn: 3, tokensOut: 2 });
    expect(server.headers[0]).toMatchObject({
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
    });
  });

  test('a server that never answers ends with the time', async () => {
    const server = await startServer(() => null);
    expect(await failureOf(askWith({ url: server.url }, { ms: 50 }))).toMatch(
      /^timeout: .*did not answer in time/,
    );
  });

  test('a body that breaks off, is no JSON, holds no message, or never ends is a failure', async () => {
    const cut = await startServer((_, __, response) => {
      response.setHeader('content-length', '1000');
      response.write('{"choices"');
      response.destroy();
      return null;
    });
    expect(await failureOf(askWith({ url: cut.url }))).toMatch(/^failed: /);
    const html = await startServer(() => '<html>');
    expect(await failureOf(askWith({ url: html.url }))).toMatch(/does not answer with JSON/);
    const empty = await startServer(() => '{"choices":[]}');
    expect(await failureOf(askWith({ url: empty.url }))).toMatch(/has no message/);
    const huge = await startServer(() => completion('x'.repeat(10 * 1024 * 1024)));
    expect(await failureOf(askWith({ url: huge.url }))).toMatch(/sends more than 1048576 bytes/);
  });

  test('a redirect is not followed: it could carry the key to another host', async () => {
    const other = await startServer(() => completion('yes'));
    const server = await startServer((_, __, response) => {
      response.writeHead(302, { location: `${other.url}/chat/completions` });
      return '';
    });
    expect(
      await failureOf(
        askWith({ url: server.url, key_variable: 'TOY_KEY' }, { env: { TOY_KEY: 'k' } }),
      ),
    ).toMatch(/^failed: /);
    expect(other.prompts).toEqual([]);
  });

  test('local servers are found by their list of models', async () => {
    const server = await startServer(() =>
      JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] }),
    );
    expect(
      await findServers([
        { name: 'toy', url: server.url },
        { name: 'none', url: 'http://127.0.0.1:9/v1' },
      ]),
    ).toEqual([{ name: 'toy', url: server.url, models: ['small', 'large'] }]);
  });
});

describe('programs', () => {
  const node = (script: string): Partial<ModelSettings> => ({
    provider: 'command',
    command: [process.execPath, '-e', script],
  });

  test('the prompt stands on stdin, the answer on stdout, and the program runs in our folder', async () => {
    const run = testFolder();
    const model = openModel(
      settings(
        node('process.stdin.on("data", (d) => process.stdout.write(process.cwd() + " " + d))'),
      ),
      {},
      join(run, 'llm'),
    )!;
    expect(
      (await model.ask('hello', { maxTokens: 5, signal: AbortSignal.timeout(500_000) })).text,
    ).toBe(`${join(realpathSync(run), 'llm')} hello`);
  });

  test('a program that fails, is missing, hangs or prints without end', async () => {
    expect(
      await failureOf(askWith(node('process.stderr.write("no key"); process.exit(3)'))),
    ).toMatch(/^failed: .* ends with 3: no key$/);
    expect(
      await failureOf(askWith({ provider: 'command', command: ['/no/such/program'] })),
    ).toMatch(/^refused: \/no\/such\/program cannot be started/);
    expect(await failureOf(askWith(node('setInterval(() => {}, 1000)'), { ms: 200 }))).toMatch(
      /^timeout: /,
    );
    expect(
      await failureOf(
        askWith(node('const s = "x".repeat(65536); for (;;) require("fs").writeSync(1, s)')),
      ),
    ).toMatch(/prints more than 1048576 bytes/);
  });

  test('nothing is started for a call that is over before it begins', async () => {
    const model = openModel(
      settings({ provider: 'command', command: ['/no/such/program'] }),
      {},
      testFolder(),
    )!;
    expect(
      await failureOf(model.ask('hello', { maxTokens: 5, signal: AbortSignal.abort() })),
    ).toMatch(/^timeout: /);
  });
});

test('a call that failed tells whether the prompt may have left', async () => {
  const wasSent = (more: Partial<ModelSettings>) =>
    askWith(more).then(
      () => null,
      (error: unknown) => (error as ModelError).sent,
    );
  const refusing = await startServer((_, __, response) => {
    response.statusCode = 401;
    return 'no';
  });
  expect(await wasSent({ url: refusing.url })).toBe(true);
  expect(await wasSent({ url: 'http://127.0.0.1:61999/v1' })).toBe(false);
  expect(await wasSent({ provider: 'command', command: ['/no/such/program'] })).toBe(false);
  expect(
    await wasSent({ provider: 'command', command: [process.execPath, '-e', 'process.exit(3)'] }),
  ).toBe(true);
});
