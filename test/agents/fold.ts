import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitGlued } from '../../src/agents/index.js';
import type { Adapter, Draft, LogRecord, SessionFacts } from '../../src/types.js';

/** What a log gives when it is read from its first record to its last. */
export interface Folded {
  state: unknown;
  drafts: (Draft & { line: number })[];
  session: Partial<SessionFacts>;
  unknown: string[];
  /** Largest state, in bytes of JSON. */
  stateBytes: number;
}

/** Records of a log's text; a line that cannot be read is left out. */
export function recordsOf(text: string): LogRecord[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [{ value: JSON.parse(line) as unknown, line: index + 1 }];
    } catch {
      return (splitGlued(line) ?? []).map((value) => ({ value, line: index + 1 }));
    }
  });
}

/** Folds records, starting from `from` or from the log's name; `stored` sends each state through JSON as a checkpoint does. */
export function fold(adapter: Adapter, relative: string, records: LogRecord[], from?: unknown, stored = false): Folded {
  const folded: Folded = { state: from ?? adapter.start({ relative }), drafts: [], session: {}, unknown: [], stateBytes: 0 };
  for (const record of records) {
    const step = adapter.step(folded.state, record);
    const json = JSON.stringify(step.state);
    folded.state = stored ? JSON.parse(json) : step.state;
    folded.stateBytes = Math.max(folded.stateBytes, Buffer.byteLength(json));
    folded.drafts.push(...step.drafts.map((draft) => ({ ...draft, line: record.line })));
    for (const [key, value] of Object.entries(step.session ?? {}))
      if (value !== null) Object.assign(folded.session, { [key]: value });
    if (step.unknown !== undefined) folded.unknown.push(step.unknown);
  }
  return folded;
}

/**
 * The logs below a fixture home that one of the adapter's places names, by their path relative to the place; documents as lines.
 */
export function logsOf(adapter: Adapter, home: string): { relative: string; text: string }[] {
  const lines = (text: string): string =>
    (adapter.unfold?.(JSON.parse(text)) ?? []).map((record) => JSON.stringify(record)).join('\n');
  return adapter.places.flatMap((place) => {
    const root = join(home, place.root, place.under);
    let names: string[];
    try {
      names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    } catch {
      return [];
    }
    return names
      .filter((name) => /\.jsonl?$/.test(name))
      .sort()
      .map((name) => ({
        relative: name.split('\\').join('/'),
        text: name.endsWith('.json') ? lines(readFileSync(join(root, name), 'utf8')) : readFileSync(join(root, name), 'utf8'),
      }));
  });
}

/** A draft in the short form of expected.json: what is null or empty is left out. */
export function shorten(draft: Draft & { line: number }): Record<string, unknown> {
  const { line, role, origin, text, native, ...rest } = draft;
  const said = Object.entries(rest).filter(
    ([key, value]) => value !== null && !(Array.isArray(value) && value.length === 0) && !['time', 'cwd', 'branch'].includes(key),
  );
  return { line, role, origin, text, native, ...Object.fromEntries(said) };
}
