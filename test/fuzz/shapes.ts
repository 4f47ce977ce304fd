/**
 * Spoils logs that are no appended lines, each in its own place: documents, replays, pages, plain
 * text and databases.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Shape } from '../../src/types.js';
import type { Random } from '../redact/made-up.js';
import type { createMutator } from './mutate.js';

type Mutator = ReturnType<typeof createMutator>;

/**
 * Writes a spoilt form of `good` (its bytes) to `path`. Returns whether nothing but garbage stands
 * there.
 */
export function spoilFile(
  path: string,
  good: Buffer,
  shape: Shape,
  mutator: Mutator,
  random: Random,
): boolean {
  if (random() < 0.04) {
    writeFileSync(path, mutator.garbage());
    return true;
  }
  writeFileSync(path, good);
  if (shape === 'rows') spoilRows(path, mutator, random);
  else if (shape === 'document') writeFileSync(path, spoilDocument(good, mutator, random));
  else if (shape === 'replay') writeFileSync(path, mutator.spoil(recordsOf(good)).bytes);
  else writeFileSync(path, spoilText(good, mutator, random));
  return false;
}

/** A database leaves files beside it. */
export function removeBeside(path: string): void {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
}

/** Lines that are a record; one in which two are glued is left out. */
export function recordsOf(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => {
      try {
        return typeof JSON.parse(line) === 'object';
      } catch {
        return false;
      }
    });
}

function spoilDocument(
  good: Buffer,
  { spoilTree, spoilBytes, below }: Mutator,
  random: Random,
): Buffer {
  let value = JSON.parse(good.toString('utf8')) as unknown;
  for (let times = below(8); times > 0; times--) value = spoilTree(value);
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  return random() < 0.2 ? spoilBytes(bytes) : bytes;
}

function spoilText(good: Buffer, { spoilBytes, below, oddText }: Mutator, random: Random): Buffer {
  const lines = good.toString('utf8').split('\n');
  const out = lines.flatMap((line): (string | Buffer)[] => {
    const kind = random();
    if (kind < 0.03) return [];
    if (kind < 0.06) return [line, oddText()];
    if (kind < 0.09) return [line, lines[below(lines.length)]!];
    if (kind < 0.12) return [line.slice(0, below(line.length + 1))];
    return kind < 0.15 ? [spoilBytes(Buffer.from(line))] : [line];
  });
  return Buffer.concat(out.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
}

/** Values of some rows, their tables, or the bytes of the file. */
function spoilRows(path: string, mutator: Mutator, random: Random): void {
  const { below, oddText } = mutator;
  const kind = random();
  if (kind < 0.3) {
    const bytes = readFileSync(path);
    for (let times = 1 + below(40); times > 0; times--) bytes[below(bytes.length)] = below(256);
    return writeFileSync(path, random() < 0.3 ? bytes.subarray(0, below(bytes.length)) : bytes);
  }
  const db = new DatabaseSync(path);
  try {
    const tables = namesIn(db, "SELECT name FROM sqlite_master WHERE type = 'table'");
    if (kind < 0.35) return db.exec(`DROP TABLE "${tables[below(tables.length)]}"`);
    for (let times = 1 + below(12); times > 0; times--) {
      const table = tables[below(tables.length)]!;
      const columns = namesIn(db, `SELECT name FROM pragma_table_info('${table}')`);
      const column = columns[below(columns.length)]!;
      const rows = db.prepare(`SELECT rowid AS n, "${column}" AS value FROM "${table}"`).all() as {
        n: number;
        value: unknown;
      }[];
      const row = rows[below(Math.max(1, rows.length))];
      if (row === undefined) continue;
      try {
        db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`).run(
          spoilValue(row.value, mutator, random),
          row.n,
        );
      } catch {
        // A key, or a value that its column refuses.
      }
      if (random() < 0.1)
        db.exec(
          `INSERT INTO "${table}" ("${column}") VALUES ('${oddText().replaceAll(/['\0]/g, '')}') ON CONFLICT DO NOTHING`,
        );
    }
  } catch {
    // A required column: what was spoilt by then stays.
  } finally {
    db.close();
  }
}

const namesIn = (db: DatabaseSyncInstance, sql: string): string[] =>
  (db.prepare(sql).all() as { name: string }[]).map(({ name }) => name);

function spoilValue(
  value: unknown,
  { spoilTree, below, oddText }: Mutator,
  random: Random,
): string | number | null | Uint8Array {
  const odd = [null, -1, 0, 2 ** 53 - 1, -1.5, 1e300, '', oddText(), Buffer.from([0xff, 0xfe, 0])];
  if (typeof value !== 'string' || random() < 0.2) return odd[below(odd.length)]!;
  try {
    return JSON.stringify(spoilTree(JSON.parse(value))) ?? '';
  } catch {
    return oddText();
  }
}
