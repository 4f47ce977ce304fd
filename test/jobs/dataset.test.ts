/** A dataset: the same rows as the views, each once, whatever happened between two writes. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import type { DatasetManifest } from '../../src/jobs/dataset/plan.js';
import { DATASET_TABLES, type Db } from '../../src/store/index.js';
import { samples, setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says, shell } from './made-log.js';

const stages: Stage[] = [];
afterAll(() => stages.splice(0).forEach((stage) => stage.remove()));

function staged(config?: string, from?: string): Stage {
  const stage = setStage({
    ...(config === undefined ? {} : { config }),
    ...(from === undefined ? {} : { from }),
  });
  stages.push(stage);
  return stage;
}

/** Every file below a folder with its bytes' hash and time. */
function filesIn(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return new Map(
    paths.sort().map((path) => {
      const file = join(folder, path);
      return [
        path,
        `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${statSync(file).mtimeMs}`,
      ];
    }),
  );
}

function manifestIn(folder: string): DatasetManifest {
  const [name] = readdirSync(join(folder, '_manifests'));
  return JSON.parse(readFileSync(join(folder, '_manifests', name!), 'utf8')) as DatasetManifest;
}

/** Asks the home's file, from which the dataset can be read too. */
async function ask<T>(stage: Stage, fn: (db: Db) => Promise<T>): Promise<T> {
  await using app = await createApp({ ...stage.io(), access: 'read' });
  return app.store.read(fn);
}

function table(folder: string, name: string): string {
  return `read_parquet('${folder}/table=${name}/*/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
}

/** Rows of a table that a text stands in, whatever the column. */
async function holding(stage: Stage, folder: string, text: string): Promise<string[]> {
  return ask(stage, async (db) => {
    const found: string[] = [];
    for (const { name } of DATASET_TABLES) {
      const rows = await db.all<{ n: number }>(
        `SELECT count(*) AS n FROM ${table(folder, name)} t WHERE contains(lower(t::VARCHAR), lower('${text}'))`,
      );
      if ((rows[0]?.n ?? 0) > 0) found.push(name);
    }
    return found;
  });
}

const KETTLE = '11111111-1111-4111-8111-111111111111';
const SPOUT = '22222222-2222-4222-8222-222222222222';

function put(stage: Stage, session: string, day: string, sentence: string, from = 0): string {
  const cwd = '/home/marguerite/kettle';
  const text = claudeLog({ session, cwd, day, from }, [
    says(sentence),
    shell('make spout', `forged ${sentence}`, 0),
  ]);
  const path = `.claude/projects/-home-marguerite-kettle/${session}.jsonl`;
  if (!existsSync(join(stage.home, path))) return stage.put(path, text);
  appendFileSync(join(stage.home, path), text);
  return join(stage.home, path);
}

/** In two parts, so that no scanner takes this file for one that holds it. */
const TOKEN = ['ghp', 'q7Rk2LmX9vTz4Wn8Bc1Yd6Hs3Jf5Pg0Ae2Ui'].join('_');

/** A home with the samples, which two groups of tests only read. */
let lived: Stage;
beforeAll(async () => {
  lived = staged(undefined, samples);
  put(lived, KETTLE, '2026-11-19', 'Marguerite says: always use copper.');
  put(lived, SPOUT, '2026-11-19', `Try it with the token ${TOKEN} please.`);
  await lived.type('run');
});

describe('the dataset of a home', () => {
  let stage: Stage;
  let folder: string;
  beforeAll(async () => {
    stage = lived;
    folder = join(stage.home, 'dataset');
    expect((await stage.type('dataset', folder)).err).toBe('');
  });

  test.each(DATASET_TABLES.map(({ name, from }) => [name, from]))(
    '%s has the rows and columns of the view',
    async (name, from) => {
      await ask(stage, async (db) => {
        const columns = await db.all<{ name: string; type: string }>(
          `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM ${from})`,
        );
        const list = columns.map((column) => `"${column.name}"`).join(', ');
        const types = await db.all(
          `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT ${list} FROM ${table(folder, name)})`,
        );
        expect(types).toEqual(columns);
        const [home, files] = [
          `SELECT ${list} FROM ${from}`,
          `SELECT ${list} FROM ${table(folder, name)}`,
        ];
        expect(await db.all(`${home} EXCEPT ALL ${files}`)).toEqual([]);
        expect(await db.all(`${files} EXCEPT ALL ${home}`)).toEqual([]);
      });
    },
  );

  test('the questions of docs/database.md have the same answers over the views of docs/scale.md', async () => {
    const read = (page: string) =>
      readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
    const views = /```sql\n([\s\S]*?)```/.exec(read('scale'))![1]!.replaceAll('DIR/', `${folder}/`);
    const questions = [
      ...read('database')
        .split('## Twelve questions')[1]!
        .matchAll(/```sql\n([\s\S]*?)```/g),
    ]
      .map(([, sql]) => sql!.replace(/;\s*$/, ''))
      .filter((sql) => !sql.includes('semantic_neighbours'));
    expect(questions).toHaveLength(11);
    await ask(stage, async (db) => {
      const wanted = [];
      for (const sql of questions) wanted.push(await db.all(sql));
      // What is temporary stands before what the database has.
      for (const sql of views.split(';').filter((each) => each.trim() !== ''))
        await db.run(
          sql
            .replace('CREATE VIEW', 'CREATE TEMP VIEW')
            .replace('REPLACE MACRO', 'REPLACE TEMP MACRO'),
        );
      const sorted = (rows: readonly unknown[] = []) =>
        rows.map((row) => JSON.stringify(row)).sort(); // Some have ties.
      for (const [i, sql] of questions.entries())
        expect(sorted(await db.all(sql)), sql).toEqual(sorted(wanted[i]));
      expect(wanted.filter((rows) => rows.length > 0).length).toBeGreaterThan(6);
    });
  });

  test('what the home masks is masked in it', async () => {
    expect(await holding(stage, folder, 'Try it with the token [REDACTED')).toContain('entries');
    expect(await holding(stage, folder, TOKEN)).toEqual([]);
  });

  test('the manifest counts and sums every file, and its paths say table, month, project and writer', async () => {
    const { writer, files, tables, complete, pending } = manifestIn(folder);
    expect([complete, pending]).toEqual([true, []]);
    const found = [...filesIn(folder).keys()].filter((path) => !path.startsWith('_manifests'));
    expect(files.map(({ path }) => path)).toEqual(found);
    for (const { path, table: name, month, project, sha256, bytes } of files) {
      const [m, p] = [month, project].map((value) => value ?? '__HIVE_DEFAULT_PARTITION__');
      expect(path).toBe(`table=${name}/month=${m}/project=${p}/writer=${writer}/part-0.parquet`);
      const content = readFileSync(join(folder, path));
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([
        bytes,
        sha256,
      ]);
    }
    const counted = await ask(stage, (db) =>
      db.all<{ n: number }>('SELECT count(*) AS n FROM entries'),
    );
    expect(tables['entries']?.rows).toBe(counted[0]?.n);
  });

  test('packed with zstd, sorted by time and session', async () => {
    await ask(stage, async (db) => {
      const glob = `${folder}/table=entries/*/*/*/*.parquet`;
      expect(
        await db.all(`SELECT DISTINCT compression AS c FROM parquet_metadata('${glob}')`),
      ).toEqual([{ c: 'ZSTD' }]);
      const unsorted = await db.all(
        `SELECT filename FROM (SELECT filename, (time, session) AS place, lag((time, session)) OVER (PARTITION BY filename
           ORDER BY file_row_number) AS before FROM read_parquet('${glob}', filename = true, file_row_number = true))
         WHERE place < before`,
      );
      expect(unsorted).toEqual([]);
    });
  });

  test('written again with nothing new it changes no byte and says so', async () => {
    const before = filesIn(folder);
    const said = await stage.type('dataset', folder);
    expect(said.out).toContain('nothing new: no byte was changed');
    expect(filesIn(folder)).toEqual(before);
  });

  test('of what lies in the folder beside it nothing is touched', async () => {
    const other = join(
      folder,
      'table=entries/month=2026-11/project=other-0000/writer=w000000000000/part-0.parquet',
    );
    mkdirSync(join(other, '..'), { recursive: true });
    writeFileSync(other, 'another writer');
    await stage.type('dataset', folder);
    expect(readFileSync(other, 'utf8')).toBe('another writer');
    rmSync(join(other, '../..'), { recursive: true });
  });
});

describe('written again', () => {
  let stage: Stage;
  let folder: string;
  const write = async (...options: string[]) => {
    const said = await stage.type('dataset', folder, ...options, '--json');
    expect(said.err).toBe('');
    return said.json<{
      files: Record<string, number>;
      purged: number;
      missing: number;
      excluded: string[];
    }>();
  };
  const texts = () =>
    ask(stage, (db) =>
      db.all<{ text: string }>(
        `SELECT text FROM ${table(folder, 'entries')} WHERE role = 'user' ORDER BY time, text`,
      ),
    ).then((rows) => rows.map(({ text }) => text));
  let before: Stage;
  beforeAll(async () => {
    before = staged();
    put(before, KETTLE, '2026-10-02', 'An old sentence about copper.');
    put(before, KETTLE, '2026-11-19', 'A new sentence about copper.', 10);
    await before.type('run');
    await before.type('dataset', join(before.home, 'dataset'));
  });
  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), 'dripstone-stage-'));
    cpSync(dirname(before.home), root, { recursive: true, preserveTimestamps: true });
    stages.push((stage = setStage({ root })));
    folder = join(stage.home, 'dataset');
  });

  test('after new entries only the files that they belong to are other ones', async () => {
    const before = filesIn(folder);
    put(stage, SPOUT, '2026-11-20', 'Another session about tin.');
    await stage.type('run');
    await write();
    const after = filesIn(folder);
    const changed = [...after]
      .filter(([path, file]) => before.get(path) !== file)
      .map(([path]) => path.split('/').slice(0, 2).join('/'));
    expect(changed).toContain('table=entries/month=2026-11');
    expect(changed).not.toContain('table=entries/month=2026-10');
    expect(await texts()).toEqual([
      'An old sentence about copper.',
      'A new sentence about copper.',
      'Another session about tin.',
    ]);
  });

  test('what was purged is gone from it, its empty files too, and it says so', async () => {
    put(stage, SPOUT, '2026-09-20', 'A secret about tin.');
    await stage.type('run');
    await write();
    expect(await holding(stage, folder, 'about tin')).toContain('entries');
    expect(existsSync(join(folder, 'table=entries/month=2026-09'))).toBe(true);
    await stage.type('purge', '--session', SPOUT, '--yes');
    const { purged, files } = await write();
    expect(purged).toBe(3);
    expect(files['removed']).toBeGreaterThan(0);
    expect(existsSync(join(folder, 'table=entries/month=2026-09'))).toBe(false);
    expect(await holding(stage, folder, 'about tin')).toEqual([]);
    expect(await holding(stage, folder, SPOUT)).toEqual([]);
    expect(await texts()).toHaveLength(2);
  });

  test('a project that config excludes by now leaves it, and is named', async () => {
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nexclude: ["/home/marguerite/kettle"]\n',
    );
    const { excluded } = await write();
    expect(excluded).toEqual([expect.stringMatching(/^kettle-/)]);
    expect(await holding(stage, folder, 'about copper')).toEqual([]);
  });
});

describe('what is left out', () => {
  let stage: Stage;
  let folder: string;
  beforeAll(() => void (stage = lived));
  beforeEach(() => {
    folder = join(stage.home, `dataset-${stages.length}-${Math.floor(performance.now() * 1000)}`);
  });

  test('--no-texts: nothing that was typed, answered, run or learnt; times, tools, tokens and counts stay', async () => {
    const said = await stage.type('dataset', folder, '--no-texts');
    expect(said.out).toContain('no texts');
    expect(await holding(stage, folder, 'copper')).toEqual([]);
    expect(await holding(stage, folder, 'make spout')).toEqual([]);
    const lessons = await ask(stage, (db) => db.all<{ text: string }>('SELECT text FROM lessons'));
    expect(lessons.length).toBeGreaterThan(5);
    for (const { text } of lessons.slice(0, 3))
      expect(await holding(stage, folder, text.slice(0, 20).replaceAll("'", "''"))).toEqual([]);
    const counts = (from: string) =>
      ask(stage, (db) =>
        db.all(`SELECT role, tool, outcome, count(*) AS n FROM ${from} GROUP BY ALL ORDER BY ALL`),
      );
    expect(await counts(table(folder, 'entries'))).toEqual(await counts('entries'));
  });

  test('--hash-users: no name of an account in any column, path or manifest; the same hash everywhere', async () => {
    await stage.type('dataset', folder);
    expect(await holding(stage, folder, 'marguerite')).toContain('entries');
    rmSync(folder, { recursive: true });
    await stage.type('dataset', folder, '--hash-users');
    expect(await holding(stage, folder, 'marguerite')).toEqual([]);
    const manifest = JSON.stringify(manifestIn(folder));
    expect(manifest).not.toMatch(/marguerite/i);
    const [row] = await ask(stage, (db) =>
      db.all<{ text: string; cwd: string }>(
        `SELECT text, cwd FROM ${table(folder, 'entries')} WHERE contains(text, 'always use copper')`,
      ),
    );
    const name = /^\/home\/(u-[0-9a-f]{8})\/kettle$/.exec(row!.cwd)?.[1];
    expect(row!.text).toBe(`${name} says: always use copper.`);
    expect(
      await ask(stage, (db) => db.all(`SELECT count(*) AS n FROM ${table(folder, 'entries')}`)),
    ).toEqual(await ask(stage, (db) => db.all('SELECT count(*) AS n FROM entries')));
  });

  test('what a folder was written without stays out when the option is not typed again', async () => {
    await stage.type('dataset', folder, '--no-texts');
    const before = filesIn(folder);
    const said = await stage.type('dataset', folder);
    expect(said.out).toContain('no texts');
    expect(filesIn(folder)).toEqual(before);
    await stage.type('dataset', folder, '--hash-users');
    expect(manifestIn(folder).options).toEqual({ texts: false, users: false });
  });

  test('a folder for a team keeps its mode, ours is closed to others', async () => {
    await stage.type('dataset', folder);
    const [open, closed] = [`${folder}-team`, folder];
    mkdirSync(open, { mode: 0o770 });
    chmodSync(open, 0o770);
    await stage.type('dataset', open);
    const modes = (below: string) => [
      ...new Set(
        readdirSync(below, { recursive: true, encoding: 'utf8' }).map(
          (path) => statSync(join(below, path)).mode & 0o777,
        ),
      ),
    ];
    expect(modes(open).sort()).toEqual([0o660, 0o770]);
    expect(modes(closed).sort()).toEqual([0o600, 0o700]);
  });

  test('errors name the folder and the next step', async () => {
    const inHome = await stage.type('dataset', join(stage.stone, 'dataset'));
    expect([inHome.code, inHome.err]).toEqual([2, expect.stringContaining('lies in dripstone')]);
    const file = await stage.type('dataset', stage.put('a-file', ''));
    expect([file.code, file.err]).toEqual([2, expect.stringContaining('a-file is a file')]);
    expect((await stage.type('dataset')).code).toBe(2);
    await stage.type('dataset', folder);
    const [name] = readdirSync(join(folder, '_manifests'));
    writeFileSync(join(folder, '_manifests', name!), '{"version":9}');
    const newer = await stage.type('dataset', folder);
    expect([newer.code, newer.err]).toEqual([13, expect.stringContaining('update dripstone')]);
    writeFileSync(join(folder, '_manifests', name!), '{"half');
    const torn = await stage.type('dataset', folder);
    expect([torn.code, torn.err]).toEqual([1, expect.stringContaining(name!)]);
  });

  test('a manifest that somebody else wrote takes no file away but the writer’s own', async () => {
    await stage.type('dataset', folder);
    const [name] = readdirSync(join(folder, '_manifests'));
    const manifest = manifestIn(folder);
    const letter = stage.put('letter.txt', 'mine');
    const other = join(
      folder,
      manifest.files[0]!.path.replace(/writer=[^/]+/, 'writer=w000000000000'),
    );
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, 'theirs');
    for (const file of [letter, other]) {
      const path = relative(folder, file);
      for (const hostile of [
        {
          ...manifest,
          files: [...manifest.files, { ...manifest.files[0]!, project: 'gone', path }],
        },
        { ...manifest, pending: [path] },
      ]) {
        writeFileSync(join(folder, '_manifests', name!), JSON.stringify(hostile));
        const said = await stage.type('dataset', folder);
        expect([said.code, said.err]).toEqual([
          1,
          expect.stringContaining('is no manifest of a dataset'),
        ]);
        expect(existsSync(file)).toBe(true);
      }
    }
    rmSync(other);
  });
});
