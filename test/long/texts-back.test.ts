/** Texts that an older program took out of the database come back from the tiers; what is nowhere takes nothing away. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import { keepLearnt } from '../../src/jobs/learning/extract.js';
import { bringTextsBack, roomFor } from '../../src/jobs/nightly/texts-back.js';
import { NO_ROWS, type Candidate, type Extraction, type StepRow } from '../../src/types.js';
import { begunStage } from '../commands/begun-stage.js';
import { setStage, type Stage } from '../commands/stage.js';
import { answers, claudeLog, says, shell } from '../jobs/made-log.js';
import { letTextsGo } from '../jobs/older-home.js';

const stages: Stage[] = [];
afterEach(() => stages.splice(0).forEach((stage) => stage.remove()));

const SESSION = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
function pathOf(session: string): string {
  return `.claude/projects/-home-ann-kettle/${session}.jsonl`;
}
function log(session: string, day: string, turns: Parameters<typeof claudeLog>[1], from = 0): string {
  return claudeLog({ session, cwd: '/home/ann/kettle', day, from }, turns);
}

/** What the older program's config said: it has no effect any more. */
const CONFIG = 'embed: {enabled: false}\nstore: {keep_text_days: 20, disk_budget_mib: 1}\n';

/** A session of October in the archive, and one of November. */
const whole = begunStage({ now: '2026-11-20T12:00:00Z', config: CONFIG }, async (stage) => {
  stage.put(
    pathOf(SESSION),
    log(SESSION, '2026-10-10', [
      says('Remember: Always use pnpm instead of npm in this repository.'),
      answers('Fine.'),
      shell('pnpm test', 'ok, 12 passed', 0),
      says('Remember: Never commit directly to main.'),
    ]),
  );
  stage.put(pathOf(OTHER), log(OTHER, '2026-11-19', [says('hello again')]));
  expect((await stage.type('run')).err).toBe('');
  expect((await stage.type('crystallize')).code).toBe(0);
});
/** The same as the older program left it: the archive alone has the texts of October. */
async function left(): Promise<Stage> {
  const stage = await whole();
  await letTextsGo(stage, 5);
  return stage;
}

function folderOf(stage: Stage): string {
  return join(
    stage.stone,
    'projects',
    readdirSync(join(stage.stone, 'projects')).find((name) => !name.startsWith('.'))!,
  );
}
async function textsOf(stage: Stage): Promise<number> {
  return (JSON.parse((await stage.type('sql', `SELECT count(nullif(text, '')) AS n FROM entries`)).out) as { n: number }).n;
}
async function rowsOf(stage: Stage): Promise<string> {
  return (await stage.type('sql', 'SELECT id, rev, text, line FROM entries ORDER BY id')).out;
}
function known(stage: Stage): { context: string; crystal: string[] } {
  return {
    context: readFileSync(join(folderOf(stage), 'context.md'), 'utf8'),
    crystal: (
      JSON.parse(readFileSync(join(folderOf(stage), 'crystal.json'), 'utf8')) as { lessons: { text: string }[] }
    ).lessons.map(({ text }) => text),
  };
}
function expectBoth(stage: Stage): void {
  const { context, crystal } = known(stage);
  for (const words of ['pnpm instead of npm', 'commit directly to main']) {
    expect(context).toContain(words);
    expect(crystal.join('\n')).toContain(words);
  }
}
async function listed(stage: Stage): Promise<string[]> {
  return (await stage.type('lessons', 'list', '--project', 'all', '--all', '--json'))
    .json<{ lessons: { text: string; status: string }[] }>()
    .lessons.map(({ text, status }) => `${status} ${text}`)
    .sort();
}
async function needsAttention(stage: Stage): Promise<{ code: string; text: string }[]> {
  return (await stage.type('status', '--json')).json<{ degraded: { code: string; text: string }[] }>().degraded;
}
/** With the writes counted; each from the `failsAt`th on fails. */
function counting(app: App, failsAt = Infinity): { app: App; writes: () => number } {
  let writes = 0;
  const write = (...args: Parameters<App['store']['write']>) => {
    if (++writes >= failsAt) throw new Error('killed');
    return app.store.write(...args);
  };
  return { app: { ...app, store: Object.create(app.store, { write: { value: write } }) as App['store'] }, writes: () => writes };
}

describe('a home whose texts an older program took out of the database', () => {
  test('has every text again after one run, as if they had never left: found, shown, and with the same lessons', async () => {
    const before = await whole();
    const [rows, lessons] = [await rowsOf(before), await listed(before)];
    const stage = await left();
    expect(await textsOf(stage)).toBe(1);
    rmSync(join(stage.home, '.claude/projects'), { recursive: true });
    expect((await stage.type('run')).code).toBe(0);
    expect(await rowsOf(stage)).toBe(rows);
    expect(await listed(stage)).toEqual(lessons);
    expectBoth(stage);
    expect((await needsAttention(stage)).map(({ code }) => code)).not.toContain('TEXT_LOST');
    for (const archive of [[], ['--archive']])
      expect(
        (await stage.type('search', 'passed', ...archive, '--project', 'all', '--kind', 'entry', '--json')).json<object>(),
      ).toMatchObject({ archive_only: 0, hits: [{ source: 'log', text: expect.stringContaining('12 passed') as string }] });
  });

  test.each([
    ['run --rebuild', ['run', '--rebuild']],
    ['a night', ['crystallize']],
  ])('has them after %s, too, and stays whole when the database is lost', async (_, command) => {
    const stage = await left();
    const before = await listed(stage);
    rmSync(join(stage.home, '.claude/projects'), { recursive: true });
    expect((await stage.type(...command)).code).toBe(0);
    expect(await textsOf(stage)).toBe(6);
    expect(await listed(stage)).toEqual(before);
    for (const name of readdirSync(stage.stone)) if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
    await stage.type('run');
    await stage.type('crystallize');
    expect(await textsOf(stage)).toBe(6);
    expectBoth(stage);
  });

  test('keeps its lessons when the session is resumed', async () => {
    const stage = await left();
    writeFileSync(
      join(stage.home, pathOf(SESSION)),
      readFileSync(join(stage.home, pathOf(SESSION)), 'utf8') +
        log(SESSION, '2026-11-20', [says('Remember: We use tabs, never spaces, in this repository.')], 40),
    );
    expect((await stage.type('run')).err).toBe('');
    expect((await stage.type('crystallize')).code).toBe(0);
    expectBoth(stage);
    expect(known(stage).crystal.join('\n')).toContain('tabs');
  });

  test('works without them until there is room: the bytes that are needed are told, and nothing is begun', async () => {
    const stage = await left();
    const app = await createApp({ ...stage.io(), access: 'write' });
    const needed = roomFor([{ texts: 5, terms: 30 }]);
    const free = async (bytes: number): Promise<number> => {
      const texts = await bringTextsBack(app, { freeBytes: () => Promise.resolve(bytes) });
      await app.store.release();
      return texts;
    };
    expect(await free(64 * 2 ** 20 + needed / 4)).toBe(0);
    expect(await textsOf(stage)).toBe(1);
    const told = (await needsAttention(stage)).find(({ code }) => code === 'TEXTS_WAIT');
    expect(told?.text).toMatch(/^5 texts are only in the archive and come back into the database: that needs about 0\.\d MiB/);
    expect((await stage.type('search', 'hello', '--project', 'all')).out).toContain('hello again');
    expect(await free(2 ** 30)).toBe(5);
    expect(await free(2 ** 30)).toBe(0);
    expect((await needsAttention(stage)).map(({ code }) => code)).not.toContain('TEXTS_WAIT');
    await app[Symbol.asyncDispose]();
  });

  test.each(['run --rebuild', 'a new line', 'the loss of the database'])(
    'and the archive lost with it: %s takes no lesson away, and it is named',
    async (how) => {
      const stage = await left();
      rmSync(join(folderOf(stage), 'archive'), { recursive: true });
      if (how === 'a new line') {
        writeFileSync(
          join(stage.home, pathOf(SESSION)),
          readFileSync(join(stage.home, pathOf(SESSION)), 'utf8') +
            log(SESSION, '2026-11-20', [says('Remember: We use tabs, never spaces, in this repository.')], 40),
        );
        await stage.type('run');
        expect(known(stage).context).toContain('tabs');
      } else await stage.type('run', '--rebuild');
      await stage.type('crystallize');
      if (how === 'the loss of the database') {
        rmSync(join(stage.home, '.claude/projects'), { recursive: true });
        for (const name of readdirSync(stage.stone)) if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
        await stage.type('run');
        await stage.type('crystallize');
      } else {
        expect(await needsAttention(stage)).toContainEqual(
          expect.objectContaining({ code: 'TEXT_LOST', text: expect.stringMatching(/\b5 texts of 1 session\b/) as string }),
        );
      }
      expectBoth(stage);
    },
  );

  test('a lost tier that is put back gives its texts back', async () => {
    const stage = await left();
    const [week] = readdirSync(join(folderOf(stage), 'archive'));
    const folder = join(folderOf(stage), 'archive', week!);
    const [name] = readdirSync(folder);
    copyFileSync(join(folder, name!), join(stage.home, 'kept.gz'));
    rmSync(folder, { recursive: true });
    await stage.type('run');
    await stage.type('crystallize');
    expect(await textsOf(stage)).toBe(1);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(stage.home, 'kept.gz'), join(folder, name!));
    await stage.type('crystallize');
    await stage.type('run');
    expect(await textsOf(stage)).toBe(6);
    expect((await needsAttention(stage)).map(({ code }) => code)).not.toContain('TEXT_LOST');
    expectBoth(stage);
  });
});

test('many small tiers share a commit, and one that is killed midway goes on where it stopped', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z', config: CONFIG });
  stages.push(stage);
  const DAYS = 9;
  const days = Array.from({ length: DAYS }, (_, at) =>
    log(
      SESSION,
      `2026-10-${10 + at}`,
      Array.from({ length: 12 }, (_each, turn) => says(`Day ${at}, turn ${turn}: ${'a long word and another '.repeat(2600)}`)),
      at * 20,
    ),
  );
  stage.put(pathOf(SESSION), days.join(''));
  expect((await stage.type('run')).err).toBe('');
  expect((await stage.type('crystallize')).code).toBe(0);
  const rows = await rowsOf(stage);
  await letTextsGo(stage, DAYS * 12);
  await using app = await createApp({ ...stage.io(), access: 'write' });
  await expect(bringTextsBack(counting(app, 2).app)).rejects.toThrow('killed');
  await app.store.release();
  const some = await textsOf(stage);
  expect(some).toBeGreaterThan(0);
  const again = counting(app);
  expect(await bringTextsBack(again.app)).toBe(DAYS * 12 - some);
  expect(again.writes()).toBe(1);
  expect(await bringTextsBack(app)).toBe(0);
  await app.store.release();
  expect(await rowsOf(stage)).toBe(rows);
});

function candidate(entry: string | null, text: string, given: Partial<Candidate> = {}): Candidate {
  return { kind: 'preference', saidBy: 'user', tags: ['said'], text, ...given, evidence: { entry } } as unknown as Candidate;
}

test('of a session with texts missing, a claim whose text is there is read anew; rows that were parsed whole stay', () => {
  const none: Omit<Extraction, 'candidates'> = { occurrences: [], relations: [], rows: NO_ROWS, episode: null, opening: null };
  const step = (entry: string, outcome: string) => ({ entry, n: 0, outcome }) as unknown as StepRow;
  const before = {
    ...none,
    candidates: [
      candidate('there', 'no claim any more'),
      candidate('gone', 'said in what is missing'),
      candidate(null, 'of none'),
    ],
    rows: { ...NO_ROWS, steps: [step('a', 'failed')] },
  };
  const now = { ...none, candidates: [], rows: { ...NO_ROWS, steps: [step('a', 'unknown'), step('b', 'ok')] } };
  const kept = keepLearnt(before, now, new Set(['gone']));
  expect(kept.candidates.map(({ text }) => text)).toEqual(['said in what is missing', 'of none']);
  expect(kept.rows.steps.map(({ entry, outcome }) => `${entry} ${outcome}`)).toEqual(['a failed', 'b ok']);
});

test('of a session with texts missing the present candidate of an entry counts, and the episode ends as it did last', () => {
  const episode = (day: string, outcome: string) =>
    ({ title: day, day, outcome, files: [day], commands: [], commits: [] }) as unknown as Extraction['episode'];
  const before: Extraction = {
    candidates: [candidate('a', 'old a'), candidate('b', 'old b')],
    occurrences: [],
    relations: [],
    rows: NO_ROWS,
    episode: episode('2026-01-01', 'partial'),
    opening: { hash: 'x', length: 3, frame: null, typedLater: false },
  };
  const now: Extraction = {
    candidates: [candidate('b', 'new b'), candidate('c', 'new c')],
    occurrences: [],
    relations: [],
    rows: NO_ROWS,
    episode: episode('2026-02-01', 'success'),
    opening: { hash: 'y', length: 3, frame: null, typedLater: false },
  };
  const kept = keepLearnt(before, now, new Set(['a']));
  expect(kept.candidates.map(({ text }) => text).sort()).toEqual(['new b', 'new c', 'old a']);
  expect(kept.episode).toMatchObject({ title: '2026-01-01', outcome: 'success', files: ['2026-01-01', '2026-02-01'] });
  expect(kept.opening).toEqual({ hash: 'x', length: 3, frame: null, typedLater: true });
  const framed = (hash: string, frame: string): Extraction => ({
    ...now,
    opening: { hash, length: 3, frame, typedLater: false },
  });
  expect(keepLearnt(framed('x', 'f'), framed('y', 'f'), new Set()).opening).toMatchObject({ hash: 'x', typedLater: false });
  expect(keepLearnt(framed('x', 'f'), framed('y', 'g'), new Set()).opening).toMatchObject({ hash: 'x', typedLater: true });
  expect(keepLearnt(null, now, new Set())).toBe(now);
});
