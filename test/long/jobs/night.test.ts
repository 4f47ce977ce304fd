/**
 * Nights, tiers, crystal and recovery on an owned clock: small real homes, the real store, no
 * model.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createBackground } from '../../../src/jobs/daemon-work.js';
import { type Stage, begunStage, daemonApp, setStage } from '../../stage.js';
import { answers, claudeLog, says, shell } from '../../jobs/made-log.js';

function stageWith(now: string, config?: string): Stage {
  return setStage({ now, ...(config === undefined ? {} : { config }) });
}

const LOG = '.claude/projects/-home-ann-kettle/11111111-1111-4111-8111-111111111111.jsonl';
function oneSession(day = '2026-11-10'): string {
  return claudeLog(
    { session: '11111111-1111-4111-8111-111111111111', cwd: '/home/ann/kettle', day },
    [
      says('Remember: always run the kettle tests with `make brew` here, never with npm.'),
      shell('make brew', 'ok, 12 passed', 0),
      says('Remember: we use tabs, not spaces.'),
    ],
  );
}

/** After the first run of one session, at noon ten days later. */
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  stage.put(LOG, oneSession());
  expect((await stage.type('run')).err).toBe('');
});

function filesBelow(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(folder, name)).isFile())
        .sort()
    : [];
}
function crystalOf(stage: Stage) {
  return JSON.parse(readFileSync(join(stage.folder(), 'crystal.json'), 'utf8')) as {
    lessons: {
      id: string;
      text: string;
      kind: string;
      pinned: boolean;
      [field: string]: unknown;
    }[];
    tombstones: { id: string }[];
    edits: { text: string | null }[];
    [field: string]: unknown;
  };
}
function tierRows(path: string): { id: string; text: string }[] {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; text: string });
}
async function lessonTexts(stage: Stage, ...more: string[]): Promise<string[]> {
  return (await stage.lessons('--project', 'all', ...more))
    .map(({ text, status }) => `${status}: ${text}`)
    .sort();
}
function dropDatabase(stage: Stage): void {
  for (const name of readdirSync(stage.stone))
    if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
}

describe('tiers', () => {
  test('a first run writes the closed days, counts them, and moves old ones to the archive of their ISO week', async () => {
    const stage = await begun();
    const [tier] = filesBelow(join(stage.folder(), 'archive'));
    expect(tier).toMatch(/^2026-W46\/2026-11-10-[0-9a-f]{8}\.jsonl\.gz$/);
    expect(tierRows(join(stage.folder(), 'archive', tier!)).length).toBe(4);
    expect(filesBelow(join(stage.folder(), 'recent'))).toEqual([]);
    const archived = await stage.type('sql', 'SELECT count(*) AS n FROM archive_entries');
    expect(archived.out).toContain('4');
  });

  test('the present day has no tier; a late line rewrites its day whole', async () => {
    const stage = stageWith('2026-11-11T12:00:00Z');
    const path = stage.put(
      LOG,
      oneSession('2026-11-10') +
        claudeLog(
          {
            session: '11111111-1111-4111-8111-111111111111',
            cwd: '/home/ann/kettle',
            day: '2026-11-11',
            from: 20,
          },
          [says('and a line of today')],
        ),
    );
    await stage.type('run');
    const recent = join(stage.folder(), 'recent');
    expect(filesBelow(recent).map((name) => name.slice(0, 10))).toEqual(['2026-11-10']);
    writeFileSync(
      path,
      readFileSync(path, 'utf8') +
        claudeLog(
          {
            session: '11111111-1111-4111-8111-111111111111',
            cwd: '/home/ann/kettle',
            day: '2026-11-10',
            from: 40,
          },
          [says('a late line')],
        ),
    );
    expect((await stage.type('crystallize')).code).toBe(0);
    await stage.type('run', '--only', 'ingest,rollup');
    expect(tierRows(join(recent, filesBelow(recent)[0]!)).map((row) => row.text)).toContain(
      'a late line',
    );
    expect(tierRows(join(recent, filesBelow(recent)[0]!)).length).toBe(5);
  });

  test('an entry of which a fork has more stays in the tier of the session that wrote it, with the longer text', async () => {
    const stage = await begun();
    const project = stage.folder();
    const original = '22222222-2222-4222-8222-222222222222';
    const fork = '33333333-3333-4333-8333-333333333333';
    const put = (session: string, text: string) =>
      stage.put(
        LOG.replace('11111111-1111-4111-8111-111111111111', session),
        claudeLog({ session: original, cwd: '/home/ann/kettle', day: '2026-11-09' }, [
          answers(text),
        ]).replaceAll(`"sessionId":"${original}"`, `"sessionId":"${session}"`),
      );
    put(original, 'It brews');
    await stage.type('run', '--only', 'ingest,rollup');
    put(fork, 'It brews slowly, since the kettle is old.');
    await stage.type('run', '--only', 'ingest,rollup');
    const tiers = filesBelow(project).filter((name) => name.endsWith('.jsonl.gz'));
    const texts = tiers.flatMap((name) => tierRows(join(project, name)).map(({ text }) => text));
    expect(texts.filter((text) => text.startsWith('It brews'))).toEqual([
      'It brews slowly, since the kettle is old.',
    ]);
    expect(tiers.map((name) => tierRows(join(project, name))[0])).not.toContainEqual(
      expect.objectContaining({ session: fork }),
    );
    expect(
      (await stage.type('status', '--json')).json<{ pending: { tiers: number } }>().pending.tiers,
    ).toBe(0);
  });

  test('a second crystallize changes no byte and no time', async () => {
    const stage = await begun();
    const state = () =>
      filesBelow(stage.folder()).map((name) => [
        name,
        readFileSync(join(stage.folder(), name)).toString('base64'),
        statSync(join(stage.folder(), name)).mtimeMs,
      ]);
    const before = state();
    expect((await stage.type('crystallize')).code).toBe(0);
    expect(state()).toEqual(before);
  });
});

describe('nights', () => {
  const runsOf = async (stage: Stage, job: string): Promise<string[]> =>
    (
      await stage.type(
        'sql',
        `SELECT period FROM job_runs WHERE job = '${job}' AND period IS NOT NULL AND outcome = 'ok' ORDER BY id`,
      )
    ).out
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { period: string }).period);

  test('each night is done once, whatever the clock does, and forty days away are one night', async () => {
    const stage = await begun();
    for (const now of ['2026-11-21T12:00:00', '2026-11-20T12:00:00', '2026-12-31T12:00:00']) {
      stage.now = new Date(now);
      expect((await stage.type('run')).code).toBe(0);
    }
    expect(await runsOf(stage, 'crystallize')).toEqual(['2026-11-20', '2026-11-21', '2026-12-31']);
    // A clock that runs ahead by years deletes and fades nothing.
    const before = await lessonTexts(stage, '--all');
    stage.now = new Date('2031-01-01T12:00:00Z');
    await stage.type('run');
    expect(await lessonTexts(stage, '--all')).toEqual(before);
    expect(
      (await stage.type('search', 'brew', '--json')).json<{ hits: unknown[] }>().hits.length,
    ).toBeGreaterThan(0);
  });

  test('a night that a command did while its jobs waited in the queue is not done again', async () => {
    const stage = await begun();
    stage.now = new Date('2026-11-21T12:00:00');
    const app = await daemonApp(stage, 'once');
    const background = createBackground(app);
    background.night();
    await background.take('1', { kind: 'run', only: null, rebuild: false }, () => true);
    await background.idle();
    await background.close();
    await app[Symbol.asyncDispose]();
    for (const job of ['rollup', 'decay', 'crystallize'])
      expect(await runsOf(stage, job)).toEqual(['2026-11-20', '2026-11-21']);
  });

  test('lessons fade with the active days of the project clock, not while it rests, and are live again when they are said again', async () => {
    const stage = await begun();
    const second = { session: '22222222-2222-4222-8222-222222222222', cwd: '/home/ann/kettle' };
    const path = stage.put(
      `.claude/projects/-home-ann-kettle/${second.session}.jsonl`,
      claudeLog({ ...second, day: '2029-02-01' }, [says('what time is it?')]),
    );
    const faded = async () =>
      (await lessonTexts(stage, '--all')).filter((text) => text.startsWith('faded: '));
    stage.now = new Date('2029-02-02T12:00:00Z');
    await stage.type('run', '--only', 'ingest,extract,decay');
    expect(await faded()).toEqual([]);
    // What a person typed once, at trust 0.9 with a half-life of 365 active days, is below 0.1
    // after 1158.
    const days = Array.from({ length: 1200 }, (_, day) =>
      new Date(Date.parse('2029-03-01') + day * 86_400_000).toISOString().slice(0, 10),
    );
    writeFileSync(
      path,
      readFileSync(path, 'utf8') +
        days
          .map((day, from) => claudeLog({ ...second, day, from }, [says('what time is it?')]))
          .join(''),
    );
    stage.now = new Date('2032-07-01T12:00:00Z');
    await stage.type('run', '--only', 'ingest,extract,decay');
    const [revived] = (await faded()).filter((text) => text.includes('make brew'));
    expect(revived).toBeDefined();
    expect((await lessonTexts(stage)).filter((text) => text.startsWith('faded: '))).toEqual([]);
    stage.log(
      {
        session: '33333333-3333-4333-8333-333333333333',
        cwd: '/home/ann/kettle',
        day: '2032-07-01',
      },
      [says('Remember: always run the kettle tests with `make brew` here, never with npm.')],
    );
    stage.now = new Date('2032-07-02T12:00:00Z');
    await stage.type('run', '--only', 'ingest,extract,decay');
    expect(await faded()).not.toContain(revived);
    expect(await lessonTexts(stage)).toContain(revived!.replace('faded', 'live'));
  });
});

describe("crystal.json is a person's file too", () => {
  test('an edit that cannot be read is kept as .bad and named by status', async () => {
    const stage = await begun();
    const before = crystalOf(stage);
    writeFileSync(join(stage.folder(), 'crystal.json'), '{"version": 1, "lessons": [oops');
    expect((await stage.type('crystallize')).code).toBe(0);
    expect(readFileSync(join(stage.folder(), 'crystal.json.bad'), 'utf8')).toContain('oops');
    expect(crystalOf(stage).lessons).toEqual(before.lessons);
    const degraded = await stage.degraded();
    expect(degraded).toContainEqual(
      expect.objectContaining({
        code: 'CRYSTAL_UNREADABLE',
        text: expect.stringContaining('crystal.json.bad') as string,
      }),
    );
    // The next broken edit stands beside the first, and each version once.
    for (const words of ['second', 'second']) {
      writeFileSync(join(stage.folder(), 'crystal.json'), `{"version": 1, "lessons": [${words}`);
      expect((await stage.type('crystallize')).code).toBe(0);
    }
    expect(
      readdirSync(stage.folder())
        .filter((name) => name.includes('.bad'))
        .sort(),
    ).toEqual(['crystal.json.bad', 'crystal.json.bad-2']);
    expect(readFileSync(join(stage.folder(), 'crystal.json.bad'), 'utf8')).toContain('oops');
    expect(readFileSync(join(stage.folder(), 'crystal.json.bad-2'), 'utf8')).toContain('second');
  });

  const edited = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
    stage.put(LOG, oneSession());
    await stage.type('run');
    const brew = crystalOf(stage).lessons.find((lesson) => lesson.text.includes('brew'))!;
    const tabs = crystalOf(stage).lessons.find((lesson) => lesson.text.includes('tabs'))!;
    await stage.type('lessons', 'edit', brew.id, 'Run the tests with `make brew-all`');
    await stage.type('lessons', 'forget', tabs.id);
    await stage.type(
      'lessons',
      'add',
      'Kettles are steel',
      '--kind',
      'decision',
      '--project',
      stage.slug(),
    );
    await stage.type('lessons', 'add', 'Answer in one line', '--global');
  });

  // Logs that are there are read again: crystal-edits.test.ts.
  test('edits, lessons and rows survive the loss of the database and the logs', async () => {
    const stage = await edited();
    const [before, slug] = [await lessonTexts(stage, '--all'), stage.slug()];
    dropDatabase(stage);
    rmSync(join(stage.home, '.claude'), { recursive: true });
    expect((await stage.type('run')).err).not.toContain('failed');
    expect(await lessonTexts(stage, '--all')).toEqual(before);
    expect(stage.slug()).toBe(slug);
    const hits = (
      await stage.type('search', 'brew', '--kind', 'entry', '--project', 'all', '--json')
    ).json<{ hits: { text: string }[] }>().hits;
    expect(hits.length).toBeGreaterThan(0);
    expect((await stage.type('lessons', 'undo')).code).toBe(0);
  });
});
