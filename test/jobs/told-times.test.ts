/**
 * Logs that tell times without a zone, or none: their entries have a time, and the same ids
 * wherever they are read.
 */
import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testHome, type TestHome } from './ingest-home.js';

const fixtures = join(import.meta.dirname, '../fixtures');
const DAY = Date.parse('2026-08-02T12:00:00Z') / 1000;

interface Row {
  id: string;
  agent: string;
  time: string | null;
}

/**
 * Entries of logs in a home of the fixtures, read on a machine with such a clock; `at` is when each
 * file was changed.
 */
async function readAt(
  zone: string,
  at: number,
  fill: (home: TestHome) => void,
): Promise<{ rows: Row[]; used: (string | null)[] }> {
  const home = await testHome();
  fill(home);
  for (const file of readdirSync(home.home, { recursive: true, withFileTypes: true }))
    if (file.isFile()) utimesSync(join(file.parentPath, file.name), at, at);
  await home.run({}, { env: { TZ: zone } });
  return home.store.read(async (db) => ({
    rows: await db.all<Row>(
      'SELECT id, agent, time::VARCHAR AS time FROM main.entries ORDER BY agent, id',
    ),
    used: (
      await db.all<{ day: string | null }>('SELECT DISTINCT day::VARCHAR AS day FROM main.usage')
    ).map(({ day }) => day),
  }));
}

function fillTold({ home, config }: TestHome): void {
  cpSync(join(fixtures, 'openhands/.openhands'), join(home, '.openhands'), { recursive: true });
  cpSync(join(fixtures, 'aider/named'), join(home, 'src'), { recursive: true });
  config.agents.roots = { aider: ['src'] };
}

test('a time without a zone is read in the zone of the machine, and ids do not depend on it', async () => {
  const utc = await readAt('UTC', DAY, fillTold);
  const tokyo = await readAt('Asia/Tokyo', DAY + 86_400, fillTold);
  expect(utc.rows.map(({ id }) => id)).toEqual(tokyo.rows.map(({ id }) => id));
  expect(new Set(utc.rows.map(({ agent }) => agent))).toEqual(new Set(['aider', 'openhands']));
  for (const [index, { time }] of utc.rows.entries())
    expect(Date.parse(`${time}Z`) - Date.parse(`${tokyo.rows[index]!.time}Z`)).toBe(9 * 3_600_000);
  expect(tokyo.rows.filter(({ agent }) => agent === 'aider').map(({ time }) => time)).toContain(
    '2026-06-24 01:11:12',
  );
  expect(tokyo.used).toEqual(['2026-06-24']);
});

test('where nothing tells a time the file does, never one that is yet to come, and ids do not depend on it', async () => {
  const fill = ({ home }: TestHome): void => {
    mkdirSync(join(home, '.continue/sessions'), { recursive: true });
    const history = ['use tabs', 'and run the tests'].map((content) => ({
      message: { role: 'user', content },
    }));
    const session = { sessionId: 's1', title: 't', workspaceDirectory: '/home/ana/shop', history };
    writeFileSync(join(home, '.continue/sessions/s1.json'), JSON.stringify(session));
  };
  const first = await readAt('UTC', DAY, fill);
  expect(first.rows.map(({ time }) => time)).toEqual([
    '2026-08-02 12:00:00',
    '2026-08-02 12:00:00',
  ]);
  const copied = await readAt('UTC', Date.now() / 1000 + 9_000_000, fill);
  expect(copied.rows.map(({ id }) => id)).toEqual(first.rows.map(({ id }) => id));
  for (const { time } of copied.rows)
    expect(Date.parse(`${time}Z`)).toBeLessThanOrEqual(Date.now());
});
