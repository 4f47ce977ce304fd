/** Reads a home's logs into memory through the adapters, without a store: for measuring what is learnt. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { adapters } from '../src/agents/index.js';
import { failureSignature } from '../src/text/error-signature.js';
import { BARE_ENTRY } from '../test/entry.js';
import type { Adapter, RawEntry, Entry, SessionFacts } from '../src/types.js';

/** All entries of one session with what its log says of it. */
export interface ReadSession {
  agent: string;
  session: string;
  facts: SessionFacts;
  entries: Entry[];
}

function sha(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

function toEntry(
  agent: string,
  session: string,
  raw: RawEntry,
  at: { path: string; line: number; block: number },
  seen: Map<string, number>,
): Entry {
  const base = raw.native === null ? `${raw.role}\u0000${raw.time ?? ''}\u0000${raw.text}` : raw.native;
  const nth = raw.native === null ? (seen.get(base) ?? 0) : 0;
  seen.set(base, nth + 1);
  const failed = raw.role === 'tool_result' && raw.outcome === 'failed';
  return {
    ...BARE_ENTRY,
    ...raw,
    agent,
    session,
    id: sha(`${agent}\u0000${base}\u0000${nth}`, 32),
    hash: sha(raw.text, 16),
    seq: at.line * 1000 + at.block,
    error: failed ? failureSignature(raw.text) : null,
    marks: raw.marks ?? [],
    copied: raw.copied ?? false,
    path: at.path,
    line: at.line,
  };
}

function values(text: string): { value: unknown; line: number }[] {
  return text.split('\n').flatMap((raw, i) => {
    try {
      return raw.trim() === '' ? [] : [{ value: JSON.parse(raw) as unknown, line: i + 1 }];
    } catch {
      return [];
    }
  });
}

/** Adds one log to the sessions read so far. Entries with an id that was seen keep their first session. */
function readLog(adapter: Adapter, base: string, relative: string, sessions: Map<string, ReadSession>, ids: Set<string>): void {
  const path = join(base, relative);
  let state = adapter.start({ relative });
  let session = relative;
  const seen = new Map<string, number>();
  for (const record of values(readFileSync(path, 'utf8'))) {
    const step = adapter.step(state, record);
    state = step.state;
    if (step.session !== undefined) session = step.session.session;
    const known = sessions.get(`${adapter.agent}\u0000${session}`) ?? {
      agent: adapter.agent,
      session,
      facts: { session },
      entries: [],
    };
    sessions.set(`${adapter.agent}\u0000${session}`, known);
    for (const [key, value] of Object.entries(step.session ?? {}))
      if (value !== null && value !== undefined) Object.assign(known.facts, { [key]: value });
    step.rawEntries.forEach((raw, block) => {
      const entry = toEntry(adapter.agent, session, raw, { path, line: record.line, block }, seen);
      if (ids.has(entry.id)) return;
      ids.add(entry.id);
      known.entries.push(entry);
    });
  }
}

/** All sessions below a home, in the order of their ids. */
export function readHome(home: string): ReadSession[] {
  const sessions = new Map<string, ReadSession>();
  const ids = new Set<string>();
  for (const adapter of adapters) {
    for (const place of adapter.places) {
      const base = join(home, place.root, place.under);
      if (!existsSync(base)) continue;
      const isLog = picomatch(place.globs);
      const logs = readdirSync(base, { recursive: true, encoding: 'utf8' })
        .filter((f) => isLog(f))
        .sort();
      for (const log of logs) readLog(adapter, base, log, sessions, ids);
    }
  }
  return [...sessions.values()].filter((s) => s.entries.length > 0).sort((a, b) => (a.session < b.session ? -1 : 1));
}
