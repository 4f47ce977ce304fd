/** Claude Code's history.jsonl: what a person typed in sessions whose logs it deleted. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../commands/stage.js';
import { claudeLog, says } from './made-log.js';
import { prompt, testHome } from './ingest-home.js';

const SHOP = '/home/ana/shop';
const T0 = Date.parse('2026-11-01T09:00:00.000Z');

function line(
  display: string,
  session: string,
  at: number,
  more: Record<string, unknown> = {},
): string {
  return `${JSON.stringify({ display, pastedContents: {}, timestamp: T0 + at * 1000, project: SHOP, sessionId: session, ...more })}\n`;
}

/** A home with the history as given, and what the view shows of it. */
async function historyHome(text: string) {
  const made = await testHome();
  const path = join(made.home, '.claude/history.jsonl');
  made.log('empty.jsonl');
  writeFileSync(path, text);
  const rows = () =>
    made.store.read((db) =>
      db.all<{ session: string; text: string }>(
        'SELECT session, text FROM main.prompts WHERE entry IS NULL ORDER BY time, text',
      ),
    );
  return { ...made, path, rows, texts: async () => (await rows()).map(({ text: typed }) => typed) };
}

describe('what is read', () => {
  test('words that were typed: no slash command without words, no shell command, no paste', async () => {
    const history = await historyHome(
      [
        line('Always run the smoke test', 'gone', 1),
        line('/clear', 'gone', 2),
        line('/review the cart', 'gone', 3),
        line('/model opus', 'gone', 4),
        line('! npm test', 'gone', 5),
        line('[Pasted text #1 +20 lines]', 'gone', 6, {
          pastedContents: { 1: { id: 1, type: 'text', content: 'a pasted log' } },
        }),
        line('Fix this: [Pasted text #2 +3 lines] [Image #1]', 'gone', 7),
        line('my key is AKIA' + 'QYLPMN5HFIQR7XYA, keep it', 'gone', 8),
        line('an older line', 'gone', 9, { sessionId: undefined }),
      ].join(''),
    );
    await history.run();
    expect(await history.texts()).toEqual([
      'Always run the smoke test',
      '/review the cart',
      'Fix this:',
      expect.stringMatching(/^my key is \[REDACTED:.*\], keep it$/),
    ]);
    const [row] = await history.store.read((db) =>
      db.all('SELECT * FROM main.prompts ORDER BY time LIMIT 1'),
    );
    const time = '2026-11-01T09:00:01.000Z';
    expect(row).toEqual({
      agent: 'claude-code',
      session: 'gone',
      project: null,
      entry: null,
      time,
      text: expect.any(String),
    });
    // Nothing else is made of it.
    for (const table of ['entries', 'sessions', 'prompts', 'copies', 'texts', 'wishes'])
      expect(
        await history.store.read((db) => db.all(`SELECT count(*) AS n FROM own.${table}`)),
        table,
      ).toEqual([{ n: 0 }]);
    const sources = await history.store.read((db) =>
      db.all('SELECT agent, path, read_lines FROM main.sources WHERE size > 0'),
    );
    expect(sources).toEqual([{ agent: 'claude-code', path: history.path, read_lines: 9 }]);
  });

  test('each once, however the file grows, is cut, or is written anew; a bad line costs itself', async () => {
    const history = await historyHome(line('one', 'a', 1) + line('two', 'b', 2));
    await history.run();
    appendFileSync(history.path, `{"display":"brok\n[]\n7\n${line('three', 'a', 3)}`);
    await history.run();
    expect(await history.texts()).toEqual(['one', 'two', 'three']);
    expect((await history.bad()).map(({ line: at }) => at)).toEqual([3, 4, 5]);
    writeFileSync(history.path, line('two', 'b', 2) + line('three', 'a', 3));
    await history.run();
    rmSync(history.path);
    writeFileSync(
      history.path,
      line('three', 'a', 3) + line('four', 'a', 4) + line('three', 'a', 3),
    );
    await history.run();
    await history.run();
    expect(await history.texts()).toEqual(['one', 'two', 'three', 'four']);
  });

  test('an excluded project, and a history that another person may have written, give nothing', async () => {
    const history = await historyHome(
      line('kept', 'a', 1) + line('private', 'b', 2, { project: '/home/ana/secret' }),
    );
    history.config.exclude = ['/home/ana/secret'];
    const clone = join(history.home, 'clone');
    history.log('../../clone/.git/HEAD');
    history.log('../../clone/history.jsonl', line('typed by somebody else', 'c', 3));
    history.config.agents.roots = { 'claude-code': [clone] };
    await history.run();
    expect(await history.texts()).toEqual(['kept']);
  });

  test('CLAUDE_CONFIG_DIR moves it', async () => {
    const history = await historyHome(line('not here', 'a', 1));
    history.log('../../elsewhere/history.jsonl', line('here', 'a', 1));
    await history.run({}, { env: { CLAUDE_CONFIG_DIR: join(history.home, 'elsewhere') } });
    expect(await history.texts()).toEqual(['here']);
  });
});

test('only while their session has no entries, whichever is read first', async () => {
  const history = await historyHome(
    line('of the first', 'first', 1) +
      line('of the second', 'second', 2) +
      line('gone', 'third', 3),
  );
  const log = (session: string) =>
    history.log(`shop/${session}.jsonl`, prompt('as its log has it', { sessionId: session }));
  const first = log('first');
  await history.run({ paths: [first] });
  await history.run({ paths: [history.path] });
  expect(await history.texts()).toEqual(['of the second', 'gone']);
  await history.run({ paths: [log('second')] });
  expect(await history.texts()).toEqual(['gone']);
  // Its log is deleted: the entries stay.
  rmSync(first);
  appendFileSync(history.path, line('later', 'first', 4));
  await history.run();
  expect(await history.texts()).toEqual(['gone']);
});

describe('purge', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = setStage({ now: '2026-11-20T12:00:00Z' });
    const turns = [says('Please add a cart, the code word is plover')];
    stage.put(
      '.claude/projects/-home-ana-shop/kept.jsonl',
      claudeLog({ session: 'kept', cwd: SHOP, day: '2026-11-18' }, turns),
    );
    stage.put('.claude/history.jsonl', lines);
  });
  afterEach(() => stage.remove());
  const lines =
    line('Rewrite the invoice with the code word plover', 'gone', 1) +
    line('Another prompt of this deleted session', 'gone', 2) +
    line('A prompt in a folder that nobody knows of', 'far', 3, { project: '/home/ana/far' }) +
    line('Please add a cart, the code word is plover', 'kept', 4);

  async function left(): Promise<string[]> {
    const said = await stage.type(
      'sql',
      '--json',
      'SELECT text FROM prompts WHERE entry IS NULL ORDER BY time',
    );
    return said.json<{ rows: { text: string }[] }>().rows.map(({ text }) => text);
  }
  /**
   * The file is read again from its beginning: after a look at the same file, and in a new
   * database.
   */
  async function readAgain(): Promise<void> {
    stage.put('.claude/history.jsonl', line('a new first line', 'new', 0) + lines);
    await stage.type('run');
    for (const name of ['memory.duckdb', 'memory.duckdb.wal'])
      rmSync(join(stage.stone, name), { force: true });
    await stage.type('run');
  }
  async function purge(...argv: string[]) {
    await stage.type('run');
    const said = await stage.type('purge', '--yes', '--json', ...argv);
    expect([said.code, said.err]).toEqual([0, expect.any(String)]);
    return said.json<{
      entries: number;
      sessions: number;
      proof: { clean: boolean; looked_for: number };
    }>();
  }
  const [invoice, another, far] = [
    'Rewrite the invoice with the code word plover',
    'Another prompt of this deleted session',
    'A prompt in a folder that nobody knows of',
  ];

  test('a lost database is filled from the file again', async () => {
    await stage.type('run');
    expect(await left()).toEqual([invoice, another, far]);
    await readAgain();
    expect(await left()).toEqual(['a new first line', invoice, another, far]);
    const { rows } = (
      await stage.type('sql', '--json', "SELECT project FROM prompts WHERE session = 'gone'")
    ).json<{ rows: { project: string }[] }>();
    expect(rows.map(({ project }) => project)).toEqual([
      expect.stringMatching(/^shop-/),
      expect.stringMatching(/^shop-/),
    ]);
  });

  test('by words: also of a session with a log, which the file must not bring back', async () => {
    expect(await purge('--match', 'plover')).toMatchObject({
      entries: 2,
      sessions: 2,
      proof: { clean: true },
    });
    expect(await left()).toEqual([another, far]);
    await readAgain();
    expect(await left()).toEqual(['a new first line', another, far]);
    expect(
      (
        await stage.type(
          'sql',
          '--json',
          "SELECT * FROM own.typed_prompts WHERE text LIKE '%plover%'",
        )
      ).out,
    ).toContain('[]');
  });

  test('by words of a session that keeps entries: not even when its log and the database are gone', async () => {
    const turns = [says('Please add a cart, the code word is plover'), says('Then a checkout')];
    const log = stage.put(
      '.claude/projects/-home-ana-shop/kept.jsonl',
      claudeLog({ session: 'kept', cwd: SHOP, day: '2026-11-18' }, turns),
    );
    await purge('--match', 'plover');
    rmSync(log);
    rmSync(join(stage.stone, 'projects'), { recursive: true });
    await readAgain();
    expect(await left()).toEqual(['a new first line', another, far]);
  });

  test('by session, which no log tells of', async () => {
    expect(await purge('--session', 'gon')).toMatchObject({
      entries: 2,
      sessions: 1,
      proof: { clean: true, looked_for: 2 },
    });
    expect(await left()).toEqual([far]);
    await readAgain();
    expect(await left()).toEqual(['a new first line', far]);
  });

  test('by project, and by time', async () => {
    expect(await purge('--project', 'shop')).toMatchObject({ entries: 3, proof: { clean: true } });
    expect(await left()).toEqual([far]);
    expect(await purge('--before', '2026-11-02')).toMatchObject({
      entries: 1,
      proof: { clean: true },
    });
    await readAgain();
    expect(await left()).toEqual(['a new first line']);
  });
});
