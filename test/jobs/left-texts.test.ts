/** Sessions whose text left the database are learnt from their tiers; what is nowhere takes nothing away. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { keepLearnt } from '../../src/jobs/learning/extract.js';
import { createApp } from '../../src/app.js';
import { textsOfSessions } from '../../src/jobs/nightly/archived-texts.js';
import { bytesOfTerms, leftOfSessions, openStore, putTextsBack } from '../../src/store/index.js';
import type { Candidate, Extraction } from '../../src/types.js';
import { begunStage } from '../commands/begun-stage.js';
import type { Stage } from '../commands/stage.js';
import { answers, claudeLog, says, shell } from './made-log.js';

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

/** A session of October whose text the night of 20 November took out of the database; the archive has it. */
const left = begunStage(
  { now: '2026-10-20T12:00:00Z', config: 'embed: {enabled: false}\nstore: {keep_text_days: 20}\n' },
  async (stage) => {
    stage.put(
      pathOf(SESSION),
      log(SESSION, '2026-10-10', [
        says('Always use pnpm instead of npm in this repository.'),
        answers('Fine.'),
        shell('pnpm test', 'ok, 12 passed', 0),
        says('Never commit directly to main.'),
      ]),
    );
    await stage.type('run');
    stage.put(pathOf(OTHER), log(OTHER, '2026-11-19', [says('hello again')]));
    stage.now = new Date('2026-11-20T12:00:00Z');
    expect((await stage.type('run')).err).toBe('');
    expect(await textsOf(stage)).toBe(1);
  },
);

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
async function olderExtractor(stage: Stage): Promise<void> {
  const store = openStore({ path: join(stage.stone, 'memory.duckdb'), clock: stage.io().clock, lockWaitMs: 1000 });
  await store.write((db) => db.run('UPDATE own.sessions SET extractor = 0'));
  await store.close();
}

describe('a session whose text left the database', () => {
  test('keeps as much of a text when part of it is in the database again as when all of it is in the tiers', async () => {
    const stage = await left();
    const app = await createApp({ ...stage.io(), access: 'write' });
    const session = [{ agent: 'claude-code', session: SESSION }];
    const rows = await app.store.read((db) => leftOfSessions(db, session));
    const bytes = rows.map(({ length }) => bytesOfTerms(length));
    // Room for the longest text alone, not for all.
    const most = Math.max(...bytes) + 1;
    expect(most).toBeLessThan(bytes.reduce((sum, each) => sum + each, 0));
    const read = () => textsOfSessions(app, session, { clip: 10, most });
    const before = (await read()).texts;
    const [first, ...others] = rows;
    expect(before.get(first!.id)).toMatch(/^.{10}\n…\n.{10}$/u);
    const terms = { hashes: [], counts: [] };
    await app.store.write((db) =>
      putTextsBack(
        db,
        others.map(({ n }) => ({ n, entry: { text: 'here again', terms: terms as never } })),
      ),
    );
    expect((await read()).texts).toEqual(new Map([[first!.id, before.get(first!.id)!]]));
    await app[Symbol.asyncDispose]();
  });

  test('that is resumed keeps its lessons and gets the new ones', async () => {
    const stage = await left();
    writeFileSync(
      join(stage.home, pathOf(SESSION)),
      readFileSync(join(stage.home, pathOf(SESSION)), 'utf8') +
        log(SESSION, '2026-11-20', [says('We use tabs, never spaces, in this repository.')], 40),
    );
    expect((await stage.type('run')).err).toBe('');
    expect((await stage.type('crystallize')).code).toBe(0);
    expectBoth(stage);
    expect(known(stage).crystal.join('\n')).toContain('tabs');
  });

  test.each([
    ['run --rebuild', async (stage: Stage) => void (await stage.type('run', '--rebuild'))],
    [
      'an update with another extractor',
      async (stage: Stage) => {
        await olderExtractor(stage);
        await stage.type('run');
      },
    ],
  ])('yields the same lessons after %s, with its logs gone, and again from tiers and crystals alone', async (_, again) => {
    const stage = await left();
    const before = await listed(stage);
    rmSync(join(stage.home, '.claude/projects'), { recursive: true });
    await again(stage);
    expect(await listed(stage)).toEqual(before);
    expect((await stage.type('crystallize')).code).toBe(0);
    expectBoth(stage);
    for (const name of readdirSync(stage.stone)) if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
    await stage.type('run');
    await stage.type('crystallize');
    expectBoth(stage);
  });

  test.each(['run --rebuild', 'a new line', 'the loss of the database'])(
    'and the archive with it: %s takes no lesson away, and it is named',
    async (how) => {
      const stage = await left();
      rmSync(join(folderOf(stage), 'archive'), { recursive: true });
      if (how === 'a new line') {
        writeFileSync(
          join(stage.home, pathOf(SESSION)),
          readFileSync(join(stage.home, pathOf(SESSION)), 'utf8') +
            log(SESSION, '2026-11-20', [says('We use tabs, never spaces, in this repository.')], 40),
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
        const { degraded } = (await stage.type('status', '--json')).json<{ degraded: { code: string; text: string }[] }>();
        expect(degraded).toContainEqual(
          expect.objectContaining({ code: 'TEXT_LOST', text: expect.stringMatching(/\b5 texts of 1 session\b/) as string }),
        );
      }
      expectBoth(stage);
    },
  );
});

function candidate(entry: string | null, text: string, given: Partial<Candidate> = {}): Candidate {
  return { kind: 'preference', saidBy: 'user', tags: ['said'], text, ...given, evidence: { entry } } as unknown as Candidate;
}

test('of a session with texts missing, a sentence whose text is there was judged anew; what was made from several entries stays', () => {
  const none: Omit<Extraction, 'candidates'> = { sightings: [], relations: [], episode: null, opening: null };
  const before = {
    ...none,
    candidates: [
      candidate('there', 'typed, held for nothing now'),
      candidate('there', 'concluded', { saidBy: 'agent', kind: 'fact', tags: ['conclusion'] }),
      candidate('gone', 'typed in what is missing'),
      candidate('there', 'a failure and its cure', { saidBy: 'observed', kind: 'gotcha', tags: [] }),
      candidate(null, 'of no entry'),
    ],
  };
  const kept = keepLearnt(before, { ...none, candidates: [] }, new Set(['gone'])).candidates.map(({ text }) => text);
  expect(kept).toEqual(['typed in what is missing', 'a failure and its cure', 'of no entry']);
  // That the command of the cure passed is said again; what it cured is not.
  const tried = candidate('there', '`npm test`', { saidBy: 'observed', kind: 'gotcha', tags: ['ok', 'tried'], key: 'tried:ok' });
  expect(
    keepLearnt(
      { ...before, candidates: [...before.candidates, tried] },
      { ...none, candidates: [tried] },
      new Set(['gone']),
    ).candidates.map(({ text }) => text),
  ).toEqual(['`npm test`', ...kept]);
});

test('of a session with texts missing the present candidate of an entry counts, and the episode ends as it did last', () => {
  const episode = (day: string, outcome: string) =>
    ({ title: day, day, outcome, files: [day], commands: [], commits: [] }) as unknown as Extraction['episode'];
  const before: Extraction = {
    candidates: [candidate('a', 'old a'), candidate('b', 'old b')],
    sightings: [],
    relations: [],
    episode: episode('2026-01-01', 'partial'),
    opening: { hash: 'x', length: 3, frame: null, typedLater: false },
  };
  const now: Extraction = {
    candidates: [candidate('b', 'new b'), candidate('c', 'new c')],
    sightings: [],
    relations: [],
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
