import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative as relativeTo, sep } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { tailOf, textLine } from '../../src/jobs/reading/reader-log.js';
import { matchLogs } from '../../src/projects/globs.js';
import {
  type Adapter,
  type RawEntry,
  type LogName,
  type LogRecord,
  type PreparedEntry,
  type SessionFacts,
  shapeOf,
  type Usage,
} from '../../src/types.js';
import { openDatabaseLog, openLog, parseLine, readBeside } from '../../src/watchers/index.js';
import { rootsOf } from '../../src/watchers/roots.js';
import { lastingFolder } from '../folder.js';

/** What a log gives when it is read from its first record to its last. */
export interface Folded {
  state: unknown;
  rawEntries: (RawEntry & { line: number })[];
  session: Partial<SessionFacts>;
  unknown: string[];
  usage: Usage[];
  /** Largest state, in bytes of JSON. */
  stateBytes: number;
}

/**
 * Folds records, starting from `from` or from the log's name; `stored` sends each state through
 * JSON as a checkpoint does.
 */
export function fold(
  adapter: Adapter,
  name: LogName,
  records: readonly LogRecord[],
  from?: unknown,
  stored = false,
): Folded {
  const folded: Folded = {
    state: from ?? adapter.start(name),
    rawEntries: [],
    session: {},
    unknown: [],
    usage: [],
    stateBytes: 0,
  };
  for (const record of records) {
    const step = adapter.step(folded.state, record);
    const json = JSON.stringify(step.state);
    folded.state = stored ? JSON.parse(json) : step.state;
    folded.stateBytes = Math.max(folded.stateBytes, Buffer.byteLength(json));
    folded.rawEntries.push(...step.rawEntries.map((raw) => ({ ...raw, line: record.line })));
    for (const [key, value] of Object.entries(step.session ?? {}))
      if (value !== null) Object.assign(folded.session, { [key]: value });
    folded.usage.push(...(step.usage ?? []));
    if (step.unknown !== undefined) folded.unknown.push(step.unknown);
  }
  return folded;
}

/** A log of a fixture home as the reader sees it. */
interface FixtureLog {
  relative: string;
  path: string;
  name: LogName;
  records: LogRecord[];
  /** Why it cannot be read, or null. */
  fault: string | null;
}

/**
 * The logs below a fixture home that one of the adapter's places names. A database stands there as
 * the statements that make it (`name.db.sql`), and places that only a config names lie in `named/`.
 */
export function logsOf(adapter: Adapter, home: string): FixtureLog[] {
  const laid = withDatabases(home);
  const found = adapter.places.flatMap((place) => {
    const roots = place.named
      ? [join(laid, 'named')]
      : rootsOf(adapter, place, { home: laid, env: {} }).map(({ path }) => path);
    const isLog = matchLogs(place.globs);
    return roots
      .map((root) => join(root, place.under))
      .flatMap((root) =>
        filesBelow(root)
          .filter(isLog)
          .map((relative) => readFixture(adapter, join(root, relative), relative)),
      );
  });
  return [...new Map(found.map((log) => [log.path, log])).values()];
}

function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relativeTo(root, join(file.parentPath, file.name)).split(sep).join('/'))
    .sort();
}

/** The home itself, or where it holds databases a copy in which they are made. */
function withDatabases(home: string): string {
  const sources = filesBelow(home).filter((name) => name.endsWith('.sql'));
  if (sources.length === 0) return home;
  const copy = lastingFolder();
  cpSync(home, copy, { recursive: true });
  for (const name of sources) {
    const db = new DatabaseSync(join(copy, name.replace(/\.sql$/, '')));
    db.exec(readFileSync(join(home, name), 'utf8'));
    db.close();
  }
  return copy;
}

/** Every record of a log, read as the reader does. */
export function readFixture(adapter: Adapter, path: string, relative: string): FixtureLog {
  const shape = shapeOf(adapter, relative);
  const folder = posix.join('/home/ana', posix.dirname(relative));
  const name: LogName = {
    relative,
    folder,
    beside: readBeside({ path, relative }, adapter.beside?.(relative) ?? []),
  };
  const log = shape === 'rows' ? openDatabaseLog(path) : openLog(path);
  const tail = tailOf(log, { path, saved: null }, { adapter }, shape, name);
  const records: LogRecord[] = [];
  let next = tail.pieces.next();
  for (; next.done !== true; next = tail.pieces.next())
    for (const line of next.value.lines) {
      const parsed = shape === 'text' ? textLine(line) : parseLine(line);
      records.push(...parsed.values.map((value) => ({ value, line: line.line })));
    }
  log.close();
  return { relative, path, name, records, fault: next.value.fault };
}

/** A raw entry in the short form of expected.json: what is null or empty is left out. */
export function shorten(raw: RawEntry & { line: number }): Record<string, unknown> {
  const { line, role, origin, text, native, ...rest } = raw;
  const said = Object.entries(rest).filter(
    ([key, value]) =>
      value !== null &&
      !(Array.isArray(value) && value.length === 0) &&
      !['time', 'cwd', 'branch'].includes(key),
  );
  return { line, role, origin, text, native, ...Object.fromEntries(said) };
}

const ROLES = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system'];
const ORIGINS = ['user', 'agent', 'tool', 'external', 'injected'];

/** An entry as an adapter gives it, or as it is stored. */
export function expectWellFormed(raw: Omit<RawEntry, 'native'> | PreparedEntry): void {
  expect(ROLES).toContain(raw.role);
  expect(ORIGINS).toContain(raw.origin);
  expect(typeof raw.text).toBe('string');
  expect(raw.text).not.toMatch(/[A-Za-z\d+/]{4000}/);
  if (raw.time !== null) expect(raw.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const key of ['tool', 'call', 'command', 'cwd', 'branch'] as const)
    expect(raw[key] === null || typeof raw[key] === 'string').toBe(true);
  if ('native' in raw) expect(raw.native === null || typeof raw.native === 'string').toBe(true);
  if (raw.exit !== null) expect(Number.isInteger(raw.exit)).toBe(true);
  expect(raw.files.every((file) => typeof file === 'string')).toBe(true);
}
