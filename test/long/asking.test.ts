/**
 * Which sessions a model is asked about, in which order, what is counted, and how a failure is
 * told. All invented.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';
import { completion, startServer, type Script } from '../llm/server.js';
import { answers, says, shell, type Turn } from '../jobs/made-log.js';

const NOTHING: Script = () => completion('{"lessons":[]}');

function idOf(n: number): string {
  return `${String(n).repeat(8)}-1111-4111-8111-111111111111`;
}
function stageOf(llm: string, sessions: { n: number; day: string; turns: Turn[] }[] = []): Stage {
  const stage = setStage({ config: `embed: {enabled: false}\nllm: ${llm}\n` });
  for (const { n, day, turns } of sessions)
    stage.log({ session: idOf(n), cwd: '/home/ann/kettle', day }, turns);
  return stage;
}
async function calls(stage: Stage) {
  const said = await stage.type(
    'sql',
    'SELECT session, tokens_in, tokens_out, outcome, error FROM llm_calls ORDER BY time',
  );
  return said.out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
/** Nothing in it that rules would look at. */
function led(n: number): Turn[] {
  return [
    says(`the kettle hums at step ${n}, why?`),
    ...Array.from({ length: 5 }, () => shell('ls', 'a b', 0)),
  ];
}
/** Rules find a wish in it. */
const WISH = [
  says('Remember: Always run the kettle tests with `make brew` here, never with npm.'),
  shell('make brew', 'ok, 12 passed', 0),
];

describe('what is asked about', { timeout: 240_000 }, () => {
  test('a session that a person led is asked about though rules found nothing, once; that it holds nothing is an answer', async () => {
    const server = await startServer(NOTHING);
    const stage = stageOf(`{provider: openai, model: toy, url: "${server.url}"}`, [
      { n: 1, day: '2026-11-10', turns: led(1) },
      { n: 2, day: '2026-11-11', turns: [says('hi'), shell('ls', 'a b', 0)] },
      // Long, and without a failure, a correction or a question: it is not sent.
      { n: 3, day: '2026-11-12', turns: [says('Paint the lid.'), ...led(3).slice(1)] },
    ]);
    expect((await stage.type('run')).code).toBe(0);
    expect(server.prompts).toHaveLength(1);
    expect(server.prompts[0]).toContain('the kettle hums at step 1');
    expect(await calls(stage)).toEqual([
      expect.objectContaining({ session: idOf(1), outcome: 'ok', error: null }),
    ]);
    expect((await stage.type('status', '--check')).out).toMatch(
      /ok {3}model: 1 calls and [\d,]+ tokens, nothing to keep yet/,
    );
    expect((await stage.type('status', '--json')).json()['llm']).toMatchObject({ waiting: 0 });
    await stage.type('run');
    expect(server.prompts).toHaveLength(1);
  });
});

describe('a model that hangs', { timeout: 240_000 }, () => {
  test('the last lines of the run name it, and what it was sent is counted', async () => {
    const hangs = JSON.stringify([
      process.execPath,
      '-e',
      'process.stdin.resume(); setInterval(() => {}, 1000)',
    ]);
    const stage = stageOf(`{provider: command, command: ${hangs}}`, [
      { n: 1, day: '2026-11-10', turns: [...WISH, ...led(1)] },
    ]);
    expect((await stage.type('run')).out).toMatch(
      /the model does not answer: node gave no answer for \d+ s; `.* model use`/,
    );
    const made = await calls(stage);
    expect(made).toEqual([expect.objectContaining({ outcome: 'cancelled' })]);
    expect(Number(made[0]!.tokens_in)).toBeGreaterThan(0);
    // It delayed nothing.
    expect((await stage.type('context', '--project', 'kettle')).out).toContain('make brew');
    // Of a program that is missing nothing was sent, and each run names it.
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nllm: {provider: command, command: ["/no/such/kettle-model"]}\n',
    );
    expect((await stage.type('run')).out).toContain('/no/such/kettle-model cannot be started');
    expect((await calls(stage)).at(-1)).toMatchObject({ tokens_in: 0, tokens_out: 0 });
  });
});

test(
  'short sessions of a project share a prompt, oldest first; preview prints it exactly as it is sent, and sends nothing',
  { timeout: 240_000 },
  async () => {
    const claim = (line: number, text: string, quote: string) => ({
      ...{ about: 'new', kind: 'gotcha', scope: 'project', importance: 2 },
      ...{ line, text, quote, at: 'make brew' },
    });
    const server = await startServer(() =>
      completion(
        JSON.stringify({
          lessons: [
            claim(
              4,
              'The boiler needs `KETTLE_PORT=0` before it brews',
              'The boiler needs KETTLE_PORT=0',
            ),
            claim(7, 'The lid needs `KETTLE_LID=1` before it brews', 'The lid needs KETTLE_LID=1'),
            claim(7, 'The lid needs `KETTLE_CAP` before it brews', 'The lid needs KETTLE_LID=1'),
          ],
        }),
      ),
    );
    const stage = stageOf('{provider: "off"}', [
      { n: 1, day: '2026-11-10', turns: [...led(1), answers('The boiler needs `KETTLE_PORT=0`.')] },
      { n: 2, day: '2026-11-11', turns: [...led(2), answers('The lid needs `KETTLE_LID=1`.')] },
      { n: 3, day: '2025-11-10', turns: [...WISH, ...led(3)] },
    ]);
    await stage.type('run');
    const alone = await stage.type('model', 'preview', '1111');
    expect(alone.out).toContain('[2] agent: The boiler needs');
    expect(alone.out).not.toContain('KETTLE_LID');
    expect(await calls(stage)).toEqual([]);
    expect((await stage.type('model', 'preview', '9')).err).toContain('no session begins with 9');
    const model = `{provider: openai, model: toy, url: "${server.url}"}`;
    const withModel = `embed: {enabled: false}\nllm: ${model}\n`;
    writeFileSync(join(stage.stone, 'config.yaml'), withModel);
    const next = await stage.type('model', 'preview');
    expect(next.out).toMatch(
      /3 sessions, oldest first, in kettle:\n<session>\n-- 2025-11-10\n\[1\][\s\S]*<session>\n-- 2026-11-10\n\[4\]/,
    );
    await stage.type('run');
    expect(server.prompts.map((prompt) => `${prompt}\n`)).toEqual([next.out]);
    expect((await stage.type('status', '--json')).json()['llm']).toMatchObject({ waiting: 0 });
    const lessons = (await stage.type('lessons', 'list', '--json')).out;
    expect(lessons).toContain('KETTLE_PORT=0');
    expect(lessons).toContain('KETTLE_LID=1');
    expect(lessons).not.toContain('KETTLE_CAP');
    expect((await stage.type('status', '--check')).out).toContain('dropped: invented name 1');
  },
);
