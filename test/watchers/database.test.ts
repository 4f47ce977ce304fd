import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Checkpoint, RowQuery } from '../../src/types.js';
import { ChangedLog, openDatabaseLog, rowSource, tailRecords } from '../../src/watchers/index.js';
import { testFolder } from '../folder.js';

const QUERIES: RowQuery[] = [
  { needs: ['absent.at'], sql: 'SELECT 1', columns: [], overlap: 0 },
  {
    needs: ['note.at', 'note.text'],
    sql: `SELECT at AS mark, rowid AS key, text FROM note WHERE (at, rowid) > ($mark, $key) ORDER BY at, rowid LIMIT $limit`,
    columns: ['text'],
    overlap: 10,
  },
];

function makeDatabase(rows: readonly (readonly [number, string])[], folder = testFolder()) {
  const path = join(folder, 'agent.db');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE note (at INTEGER, text TEXT)');
  // Never a prepared statement: it would keep the database open until the garbage collector comes.
  const insert = (at: number, text: string): void =>
    db.exec(`INSERT INTO note VALUES (${at}, '${text}')`);
  db.exec('BEGIN');
  for (const [at, text] of rows) insert(at, text);
  db.exec('COMMIT');
  return { db, path, folder, insert };
}

/** An agent's program that is still running. */
function live(rows: readonly (readonly [number, string])[]) {
  const made = makeDatabase(rows);
  onTestFinished(() => made.db.close());
  return made;
}

/** Its program has ended and moved everything into the one file. */
function closed(rows: readonly (readonly [number, string])[]) {
  const { db, path, folder } = makeDatabase(rows);
  db.close();
  return { path, folder };
}

function read(
  path: string,
  saved: Checkpoint | null = null,
  most = Infinity,
  queries: readonly RowQuery[] = QUERIES,
) {
  const log = openDatabaseLog(path);
  const { plan, start, pieces } = tailRecords(log, saved, rowSource(path, queries));
  const texts: string[] = [];
  let end = start;
  let next = pieces.next();
  for (; next.done !== true && texts.length < most; next = pieces.next())
    for (const line of next.value.lines.slice(0, most - texts.length)) {
      texts.push((JSON.parse(line.bytes.toString()) as { text: string }).text);
      end = next.value.placeAfter(line);
    }
  if (next.done !== true) end = { ...end, mtime_ms: 0 };
  const fault = next.done === true ? next.value.fault : null;
  return { texts, checkpoint: { ...(end as Checkpoint) }, fault, plan };
}

const three = [
  [100, 'one'],
  [200, 'two'],
  [300, 'three'],
] as const;

test('rows whose time is no number, or one beyond what a number holds, end the reading and are named', () => {
  const { db, path } = live([
    [1, 'one'],
    [2, 'two'],
  ]);
  for (const odd of ["'later'", "''", 'NULL', "x'00ff'", '9007199254740993', '9e999']) {
    db.exec(
      `DELETE FROM note WHERE rowid > 2; INSERT INTO note VALUES (${odd}, 'odd'), (${odd}, 'odd')`,
    );
    const { texts, fault } = read(path);
    expect(texts.slice(0, 2)).toEqual(['one', 'two']);
    expect(texts.length).toBeLessThanOrEqual(4);
    if (odd === "'later'") expect(fault).toBe('2 rows without a time or number to go on from');
  }
});

describe('a database', () => {
  test('that is being written is read with what waits in its -wal; nothing is left beside it', () => {
    const { path, folder, insert } = live(three);
    const before = readdirSync(folder).sort();
    expect(read(path)).toMatchObject({
      texts: ['one', 'two', 'three'],
      fault: null,
      plan: { fresh: true },
    });
    expect(readdirSync(folder).sort()).toEqual(before);
    insert(400, 'four'); // its writer was not disturbed
  });

  test('whose program ended is read without making a file beside it', () => {
    const { path, folder } = closed(three);
    expect(read(path).texts).toEqual(['one', 'two', 'three']);
    expect(readdirSync(folder)).toEqual(['agent.db']);
  });

  test('that was copied with its -wal alone is read whole, and nothing is left anywhere', () => {
    const from = live(three);
    const folder = testFolder();
    const path = join(folder, 'agent.db');
    for (const end of ['', '-wal']) copyFileSync(from.path + end, path + end);
    expect(read(path).texts).toEqual(['one', 'two', 'three']);
    expect(readdirSync(folder).sort()).toEqual(['agent.db', 'agent.db-wal']);
  });

  test('is asked for what changed since, and for the last moments again', () => {
    const { path, db, insert } = live(three);
    const first = read(path);
    db.exec("UPDATE note SET text = 'ONE', at = 400 WHERE text = 'one'");
    insert(299, 'late');
    const second = read(path, first.checkpoint);
    expect(second).toMatchObject({ texts: ['late', 'three', 'ONE'], plan: { fresh: false } });
    expect(read(path, second.checkpoint).texts).toEqual(['ONE']);
  });

  test('goes on at the very row where a reading was cut off, among rows of one moment', () => {
    const { path } = live(Array.from({ length: 1200 }, (_, n) => [700, `n${n}`] as const));
    const first = read(path, null, 501);
    const rest = read(path, first.checkpoint);
    expect([...first.texts, ...rest.texts]).toEqual(
      Array.from({ length: 1200 }, (_, n) => `n${n}`),
    );
  });

  test('from which the last rows were taken is read again', () => {
    const { path, db } = live(three);
    const first = read(path);
    db.exec(
      "DELETE FROM note WHERE text = 'three'; UPDATE note SET text = 'TWO' WHERE text = 'two'",
    );
    expect(read(path, first.checkpoint).texts).toEqual(['one', 'TWO']);
  });

  test('whose rows have numbers is read on from its last row, and whole after they got new ones', () => {
    const numbered: RowQuery = {
      needs: ['note.text'],
      sql: 'SELECT rowid AS mark, rowid AS key, text FROM note WHERE rowid >= $mark AND rowid > $key ORDER BY rowid LIMIT $limit',
      columns: ['text'],
      overlap: 0,
    };
    const { path, db, insert } = live([1, 2, 3, 4].map((at) => [at, `n${at}`] as const));
    const first = read(path, null, Infinity, [numbered]);
    insert(5, 'n5');
    const second = read(path, first.checkpoint, Infinity, [numbered]);
    expect(second.texts).toEqual(['n4', 'n5']);
    db.exec("DELETE FROM note WHERE text = 'n1'; VACUUM");
    for (const at of [6, 7]) insert(at, `n${at}`);
    const third = read(path, second.checkpoint, Infinity, [numbered]);
    expect(third.texts).toEqual(['n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
  });

  test('without the tables, or that is none, is named and gives nothing', () => {
    const folder = testFolder({ 'other.db': '' });
    const other = new DatabaseSync(join(folder, 'other.db'));
    other.exec('CREATE TABLE a (b)');
    other.close();
    expect(read(join(folder, 'other.db'))).toMatchObject({
      texts: [],
      fault: expect.stringContaining('without the tables') as string,
    });
    writeFileSync(
      join(folder, 'torn.db'),
      'SQLite format 3\0 and then nothing that is one'.repeat(200),
    );
    expect(read(join(folder, 'torn.db'))).toMatchObject({
      texts: [],
      fault: expect.stringContaining('SQLite cannot read it') as string,
    });
  });

  test('that its program locks for itself is read at the next look', () => {
    const { path, folder } = closed(three);
    const db = new DatabaseSync(path);
    onTestFinished(() => db.close());
    db.exec(
      "PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO note VALUES (400, 'four')",
    );
    expect(readdirSync(folder)).toContain('agent.db-journal');
    expect(() => read(path)).toThrow(ChangedLog);
    db.exec('COMMIT; PRAGMA locking_mode = NORMAL; SELECT * FROM note');
    expect(read(path).texts).toEqual(['one', 'two', 'three', 'four']);
  });

  test('that took the place of another is read from its first row', () => {
    const { path, folder } = closed(three);
    const first = read(path);
    rmSync(path);
    writeFileSync(join(folder, 'holds-the-inode'), '');
    const next = makeDatabase([[50, 'other']], folder);
    next.db.close();
    expect(read(path, first.checkpoint).texts).toEqual(['other']);
  });
});
