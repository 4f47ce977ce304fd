// Commits until a write fails, then tells what happened and what the store still holds.
import { commitBatches, openStore } from '../../../dist/store/index.js';

const [path, checkpointMb] = process.argv.slice(2);
const clock = { now: () => new Date(), mono: () => performance.now() };
const store = openStore({ path, clock, lockWaitMs: 1000, checkpointMb: Number(checkpointMb), reserveMb: 0 });
const random = () => Array.from({ length: 40 }, () => Math.random().toString(36)).join(' ');
const entry = (n) => ({
  id: n.toString(16).padStart(32, '0'), agent: 'codex', session: 's', seq: n, time: null, role: 'user', origin: 'user', tool: null, text: random(),
  hash: n.toString(16).padStart(16, '0'), call: null, command: null, exit: null, outcome: null, error: null, files: [], cwd: null, branch: null, marks: [],
  copied: false, path: '/logs/a.jsonl', line: n, terms: { hashes: BigInt64Array.of(BigInt(n)), counts: Int32Array.of(1) }, length: 1,
});
let acknowledged = 0;
for (let round = 0; round < 400; round++) {
  const entries = Array.from({ length: 250 }, (_, i) => entry(acknowledged + i));
  const next = acknowledged + entries.length;
  const checkpoint = {
    agent: 'codex', path: '/logs/a.jsonl', device: '1', inode: '1', offset: next, line: next, headLength: 1, headHash: 'h', tailLength: 1, tailHash: 't',
    size: next, mtimeMs: 1, state: '{}', badLines: 0, unknownTypes: {}, session: null, lastRead: '2026-11-20T10:00:00.000Z',
  };
  try {
    await store.write((db) => commitBatches(db, [{ checkpoint, entries, sessions: [], bad: [] }]));
    acknowledged = next;
  } catch (error) {
    console.log(`failed ${JSON.stringify({ code: error.code ?? null, message: error.message, acknowledged })}`);
    const [row] = await store.read((db) => db.all('SELECT (SELECT count(*) FROM own.entries) AS entries, (SELECT max("offset") FROM own.sources) AS "offset"'));
    console.log(`left ${JSON.stringify(row)}`);
    process.exit(0);
  }
}
console.log('never full');
process.exit(1);
