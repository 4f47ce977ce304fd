/** Homes as programs of store version 5 left them, which took archived texts out of the database. */
import { join } from 'node:path';
import { openDatabase } from '../../src/store/duckdb.js';
import type { Stage } from '../commands/stage.js';

/** Takes the texts of entries in the archive out of the database. @param expected how many these are */
export async function letTextsGo(stage: Stage, expected: number): Promise<void> {
  const database = await openDatabase(join(stage.stone, 'memory.duckdb'));
  const db = await database.connect();
  const gone = `SELECT e.n FROM own.entries e JOIN own.tiers t ON t.agent = e.agent AND t.session = e.session
    AND t.day = strftime(e.time, '%Y-%m-%d') AND t.state = 'archive'`;
  await db.run(`DELETE FROM own.vectors WHERE owner = 'entry' AND id IN (SELECT id FROM own.entries WHERE n IN (${gone}))`);
  await db.run(`DELETE FROM own.postings WHERE n IN (${gone})`);
  const left = await db.run(`DELETE FROM own.texts WHERE n IN (${gone})`);
  await db.run(
    'CREATE TABLE own.holes (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, texts BIGINT NOT NULL, time TIMESTAMP NOT NULL)',
  );
  await db.run('DROP TABLE own.receipts');
  await db.run(`UPDATE main.meta SET value = '5' WHERE key = 'store_version'`);
  database.close();
  if (left !== expected) throw new Error(`${left} texts left instead of ${expected}`);
}
