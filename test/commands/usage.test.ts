/**
 * `dripstone usage` over real logs: tokens by key, costs at list prices, unknown ones as unknown.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Stage, begunStage } from '../stage.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const DAY = '2026-11-19';

interface Answer {
  id: string;
  model: string;
  usage: Record<string, number>;
  time?: string;
}

/** A prompt and answers as Claude Code writes them. */
function log(answers: readonly Answer[]): string {
  const common = {
    isSidechain: false,
    userType: 'external',
    cwd: '/home/ann/kettle',
    sessionId: SESSION,
    version: '2.1.200',
  };
  const rows = answers.map(({ id, model, usage, time }, n) => ({
    ...{
      ...common,
      type: 'assistant',
      uuid: `a${n}`,
      requestId: `req_${id}`,
      timestamp: time ?? `${DAY}T10:00:1${n}.000Z`,
    },
    message: {
      id: `msg_${id}`,
      role: 'assistant',
      model,
      content: [{ type: 'text', text: `Answer ${n}.` }],
      usage,
    },
  }));
  const prompt = { ...common, type: 'user', uuid: 'u1', timestamp: `${DAY}T10:00:00.000Z` };
  const lines = [{ ...prompt, message: { role: 'user', content: 'Fill the kettle.' } }, ...rows];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const OPUS = {
  input_tokens: 1000,
  cache_creation_input_tokens: 10_000,
  cache_read_input_tokens: 100_000,
  output_tokens: 200,
};

const filled = begunStage({}, async (stage) => {
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    log([
      { id: '1', model: 'claude-opus-5', usage: { ...OPUS, output_tokens: 2 } },
      { id: '1', model: 'claude-opus-5', usage: OPUS },
      { id: '2', model: 'kettle-1', usage: { input_tokens: 500, output_tokens: 50 } },
      { id: '3', model: 'claude-opus-5', usage: OPUS, time: '2026-10-01T10:00:00.000Z' },
      { id: '4', model: '<synthetic>', usage: { input_tokens: 0, output_tokens: 0 } },
    ]),
  );
  expect((await stage.type('run')).err).toBe('');
});

describe('usage', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await filled();
  });

  test('sums answers once, by key, and says of unknown models that their cost is unknown', async () => {
    const all = (await stage.type('usage', '--json')).json();
    // 1,000 x $5 + 10,000 x $6.25 + 100,000 x $0.50 + 200 x $25, per million
    const known = 0.1225;
    const both = {
      ...{
        messages: 2,
        input: 1500,
        cache_read: 100_000,
        cache_write: 10_000,
        output: 250,
        reasoning: 0,
      },
      ...{ cost: null, known_cost: known, unknown_models: ['kettle-1'] },
    };
    const none = { agent: null, project: null, active_seconds: null };
    expect(all).toEqual({
      ...{
        version: 1,
        since: '2026-11-13',
        project: null,
        prices: { date: '2026-11-23' },
        by: 'day',
      },
      rows: [{ key: DAY, ...none, ...both }],
      projects: [{ key: expect.stringMatching(/^kettle-/) as string, ...none, ...both }],
      total: { key: null, ...none, ...both },
    });
    const by = async (key: string, ...more: string[]) =>
      (await stage.type('usage', '--by', key, '--json', ...more)).json<{
        rows: Record<string, unknown>[];
      }>().rows;
    expect(await by('model')).toMatchObject([
      { key: 'claude-opus-5', messages: 1, cost: known, unknown_models: [] },
      { key: 'kettle-1', messages: 1, cost: null, known_cost: 0 },
    ]);
    expect(await by('model', '--since', 'all')).toMatchObject([
      { messages: 2, cost: 2 * known },
      { messages: 1 },
    ]);
    expect(await by('agent')).toMatchObject([{ key: 'claude-code', messages: 2 }]);
    expect(await by('session')).toMatchObject([
      { key: SESSION, agent: 'claude-code', messages: 2, active_seconds: 314 },
    ]);
  });

  test('a purge of a day or a session takes its tokens along, and no later run brings them back', async () => {
    const left = async (): Promise<string[]> =>
      (await stage.type('usage', '--since', 'all', '--json'))
        .json<{ rows: { key: string }[] }>()
        .rows.map(({ key }) => key);
    expect(await left()).toEqual(['2026-10-01', DAY]);
    expect((await stage.type('purge', '--before', '2026-11-01', '--yes')).code).toBe(0);
    expect(await left()).toEqual([DAY]);
    expect((await stage.type('purge', '--session', SESSION, '--yes')).code).toBe(0);
    await stage.type('run');
    expect(await left()).toEqual([]);
  });
});
