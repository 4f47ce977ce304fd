// Commits batch after batch and acknowledges each, until it is killed. Starts from the checkpoint
// that the store holds.
import { commitBatches, loadCheckpoints, openStore } from '../../../dist/store/index.js';

const [path, size] = process.argv.slice(2);
const clock = { now: () => new Date(), mono: () => performance.now() };
const store = openStore({ path, clock, lockWaitMs: 5000, checkpointMb: 1, holdMs: 200, freeMs: 1 });
const hex = (n) => n.toString(16).padStart(32, '0');
const entry = (n) => ({
  id: hex(n), agent: 'codex', session: `s${n % 7}`, seq: n, time: '2026-11-20T10:00:00.000Z', role: 'user', origin: 'user', tool: null,
  text: `entry ${n} `.repeat(40), hash: hex(n).slice(16), call: null, command: null, exit: null, outcome: null, error: null, files: [], cwd: null, branch: null,
  marks: [], copied: false, path: '/logs/a.jsonl', line: n, terms: { hashes: BigInt64Array.of(BigInt(n), -1n), counts: Int32Array.of(1, 2) }, length: 2,
});
let offset = (await store.read((db) => loadCheckpoints(db)))[0]?.offset ?? 0;
console.log(`start ${offset}`);
for (;;) {
  const entries = Array.from({ length: Number(size) }, (_, i) => entry(offset + i));
  const next = offset + entries.length;
  const checkpoint = {
    agent: 'codex', path: '/logs/a.jsonl', device: '1', inode: '1', offset: next, line: next, headLength: 1, headHash: 'h', tailLength: 1, tailHash: 't',
    size: next, mtimeMs: 1, state: '{}', badLines: 0, unknownTypes: {}, session: null, lastRead: '2026-11-20T10:00:00.000Z',
  };
  await store.write((db) => commitBatches(db, [{ checkpoint, entries, sessions: [], bad: [] }]));
  offset = next;
  console.log(`done ${offset}`);
}
