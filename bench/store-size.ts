/**
 * Fills a store with so many MB of real source text, cut into sessions: for measuring what learning
 * and tiers cost at that size. HOME MB [SESSION_MB]
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitBatches, openStore } from '../src/store/index.js';
import { hashedTermsOf } from '../src/terms/index.js';
import { BARE_ENTRY } from '../test/entry.js';
import type { Checkpoint, PreparedEntry } from '../src/types.js';

const [home = '', mb = '200', sessionMb = '8'] = process.argv.slice(2);
const [TOTAL, SESSION, TEXT] = [Number(mb) * 1e6, Number(sessionMb) * 1e6, 20_000];
const DAY_MS = 86_400_000;

/** Source text of the dependencies, some tens of MB. */
function source(): string {
  const files = readdirSync('node_modules/typescript/lib')
    .filter((name) => /\.(js|d\.ts)$/.test(name))
    .map((name) => join('node_modules/typescript/lib', name));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

function hex(kind: number, n: number): string {
  return (kind * 2 ** 40 + n).toString(16).padStart(32, '0');
}

mkdirSync(home, { recursive: true, mode: 0o700 });
writeFileSync(join(home, 'config.yaml'), 'embed: {enabled: false}\n');
const store = openStore({
  path: join(home, 'memory.duckdb'),
  clock: { now: () => new Date(), mono: () => performance.now() },
  lockWaitMs: 1000,
});
const text = source();
let at = 0;
function slice(length: number): string {
  at = (at * 48271 + 12345) % (text.length - length);
  return text.slice(at, at + length);
}
for (let session = 0, written = 0; written < TOTAL; session++) {
  const start = Date.now() - (2 + (session % 300)) * DAY_MS;
  const base = {
    agent: 'claude-code',
    session: `s${session}`,
    cwd: `/home/ann/work/made-${session % 10}`,
    path: `/l/s${session}.jsonl`,
  };
  const one = (n: number, more: Partial<PreparedEntry> & { text: string }): PreparedEntry => {
    const { terms, length } = hashedTermsOf(more.text);
    return {
      ...BARE_ENTRY,
      ...base,
      id: hex(session, n),
      hash: hex(session, n).slice(-16),
      seq: n * 1000,
      time: new Date(start + n * 1000).toISOString(),
      branch: 'main',
      line: n,
      terms,
      length,
      ...more,
    };
  };
  let entries = [one(1, { text: 'Always use pnpm instead of npm in this repository.' })];
  const flush = async (): Promise<void> => {
    const checkpoint: Checkpoint = {
      agent: base.agent,
      path: base.path,
      device: '1',
      inode: String(session),
      offset: 1,
      line: 1,
      headLength: 1,
      headHash: String(session),
      tailLength: 1,
      tailHash: 't',
      size: 1,
      mtimeMs: 1,
      state: '{}',
      badLines: 0,
      unknownTypes: {},
      session: base.session,
      lastRead: new Date(start).toISOString(),
    };
    await store.write((db) =>
      commitBatches(db, [
        {
          checkpoint,
          entries,
          sessions: [{ agent: base.agent, session: base.session, cwd: base.cwd }],
          bad: [],
        },
      ]),
    );
    entries = [];
  };
  for (let n = 2, held = 0; held < SESSION; n += 2) {
    const call = `c${n}`;
    entries.push(
      one(n, {
        role: 'tool_call',
        origin: 'agent',
        tool: 'Bash',
        call,
        command: 'cat dump.txt',
        text: 'cat dump.txt',
      }),
    );
    entries.push(
      one(n + 1, {
        role: 'tool_result',
        origin: 'tool',
        tool: 'Bash',
        call,
        command: 'cat dump.txt',
        exit: 0,
        outcome: 'ok',
        text: slice(TEXT),
      }),
    );
    held += TEXT;
    written += TEXT;
    if (entries.length >= 400) await flush();
  }
  await flush();
}
await store.close();
