import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adapters } from '../../src/agents/index.js';
import { type Checkpoint, type LogRecord, shapeOf } from '../../src/types.js';
import { openDatabaseLog, rowSource, tailRecords } from '../../src/watchers/index.js';
import { createRedactor, redactState } from '../../src/redact/index.js';
import { expectWellFormed, fold, logsOf, shorten } from './fold.js';
import { placesOf } from './places.js';
import { runs } from '../runs.js';

const redactor = createRedactor({ key: 'test' });
const fixtures = join(import.meta.dirname, '../fixtures');

interface Expected {
  [relative: string]: {
    session: unknown;
    unknown: string[];
    rawEntries: unknown[];
    usage?: unknown[];
  };
}

/**
 * Every adapter has invented logs in `test/fixtures/<agent>/`, laid out as under a home, and
 * `expected.json` beside them.
 */
describe.each(adapters.map((adapter) => ({ agent: adapter.agent, adapter })))(
  '$agent',
  ({ agent, adapter }) => {
    const home = join(fixtures, agent);
    const logs = logsOf(adapter, home);
    const expected = JSON.parse(readFileSync(join(home, 'expected.json'), 'utf8')) as Expected;

    test('has a log for every expectation', () => {
      expect(logs.map((log) => log.relative).sort()).toEqual(Object.keys(expected).sort());
    });

    test.each(logs)(
      '$relative gives the expected entries',
      ({ relative, name, records, fault }) => {
        const { rawEntries, session, unknown, usage } = fold(adapter, name, records);
        expect(fault).toBe(null);
        const told = {
          session,
          unknown,
          rawEntries: rawEntries.map(shorten),
          ...(usage.length > 0 ? { usage } : {}),
        };
        expect(told).toEqual(expected[relative]);
      },
    );

    test.each(logs)(
      '$relative: a state that went through JSON at every cut gives the same',
      ({ name, records }) => {
        expect(fold(adapter, name, records, undefined, true)).toEqual(fold(adapter, name, records));
        // The states of both ways are equal after each record, so that going on from any of them is
        // the same way.
        let kept = adapter.start(name);
        let stored = kept;
        for (const record of records) {
          kept = adapter.step(kept, record).state;
          stored = JSON.parse(JSON.stringify(adapter.step(stored, record).state)) as unknown;
          // The runner's own comparison of large states after each record takes seconds.
          if (!isDeepStrictEqual(stored, kept)) expect(stored).toEqual(kept);
        }
      },
    );

    test.each(logs)('$relative: a step changes nothing it was given', ({ name, records }) => {
      let state = adapter.start(name);
      for (const record of records) {
        const before = JSON.stringify([state, record]);
        const step = adapter.step(state, record);
        expect(JSON.stringify([state, record])).toBe(before);
        state = step.state;
      }
    });

    test.each(logs)(
      '$relative: entries are well formed, ids differ, the state is small',
      ({ name, records }) => {
        const { rawEntries, stateBytes } = fold(adapter, name, records);
        const natives = rawEntries.map((raw) => raw.native).filter((native) => native !== null);
        expect(new Set(natives).size).toBe(natives.length);
        expect(stateBytes).toBeLessThan(16 * 1024);
        for (const raw of rawEntries) expectWellFormed(raw);
      },
    );

    test.each(logs.filter(({ relative }) => shapeOf(adapter, relative) === 'rows'))(
      '$relative: only its newest rows are read again',
      ({ path }) => {
        const read = (saved: Checkpoint | null) => {
          const tail = tailRecords(openDatabaseLog(path), saved, rowSource(path, adapter.rows!));
          const found: { mark: number; place: unknown }[] = [];
          for (const { lines, placeAfter } of tail.pieces)
            for (const line of lines) {
              const { mark } = JSON.parse(line.bytes.toString()) as { mark: number };
              found.push({ mark, place: placeAfter(line) });
            }
          return found;
        };
        const all = read(null);
        const { mark, place } = all.at(-1)!;
        const oldest = mark - Math.max(...adapter.rows!.map(({ overlap }) => overlap));
        const again = read(place as Checkpoint).map((row) => row.mark);
        expect(again).toEqual(all.map((row) => row.mark).filter((each) => each >= oldest));
      },
    );

    test('a copied record keeps its id', () => {
      const all = new Map<string, string[]>();
      for (const { name, records } of logs)
        for (const raw of fold(adapter, name, records).rawEntries) {
          const same = JSON.stringify([raw.role, raw.origin, raw.text]);
          if (raw.native !== null) all.set(raw.native, [...(all.get(raw.native) ?? []), same]);
        }
      const copied = [...all.values()].filter((texts) => texts.length > 1);
      // An agent without record ids has nothing to copy by; its ids are made from role, time and
      // text.
      expect(copied.length > 0 || all.size === 0).toBe(true);
      for (const texts of copied) expect(new Set(texts).size).toBe(1);
    });

    test('bookkeeping gives nothing', () => {
      for (const value of [{}, [], null, 7, 'text', { type: 'no-such-type' }, { type: null }]) {
        expect(
          adapter.step(adapter.start({ relative: 'x/y.jsonl' }), { value, line: 1 }).rawEntries,
        ).toEqual([]);
      }
    });

    test('values of any shape never throw', () => {
      const shapes = logs.flatMap((log) => log.records);
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.nat(), fc.jsonValue(), fc.nat()), { maxLength: 12 }),
          (changes) => {
            let state = adapter.start({ relative: 'p/s.jsonl' });
            for (const [pick, junk, where] of changes) {
              const record = spoil(shapes[pick % shapes.length]!, junk, where);
              const step = adapter.step(state, record);
              step.rawEntries.forEach(expectWellFormed);
              state = JSON.parse(JSON.stringify(step.state));
            }
          },
        ),
        { numRuns: runs(60, 2_000) },
      );
    });

    test('a thousand open calls and queued prompts stay below 16 KiB', () => {
      const { stateBytes } = fold(
        adapter,
        logs[0]!.name,
        flood(logs.flatMap((log) => log.records)),
      );
      expect(stateBytes).toBeLessThan(16 * 1024);
    });

    test.each(logs)(
      '$relative: masking the state before it is stored changes nothing in it that joins records',
      async ({ name, records }) => {
        let state = adapter.start(name);
        for (const record of records) {
          state = adapter.step(state, record).state;
          const masked = JSON.stringify(await redactState(state, redactor));
          if (!masked.includes('[REDACTED:')) expect(masked).toBe(JSON.stringify(state));
          expect(joinsOf(JSON.parse(masked))).toEqual(joinsOf(state));
        }
      },
    );

    test('no text that may hold a secret waits in the state', () => {
      const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
      const spoiled = logs
        .flatMap((log) => log.records)
        .map((record) => ({
          ...record,
          value: JSON.parse(
            JSON.stringify(record.value).replaceAll(
              /pnpm|make|git|go test/g,
              `TOKEN=${secret} pnpm`,
            ),
          ) as unknown,
        }));
      let state = adapter.start({ relative: 'p/s.jsonl' });
      for (const record of spoiled) {
        state = adapter.step(state, record).state;
        expect(JSON.stringify(state)).not.toContain(secret);
      }
    });
  },
);

/** Values by which later records are joined: hex, UUIDs and numbers of programs. */
function joinsOf(state: unknown): string[] {
  return (
    JSON.stringify(state).match(/"(?:[\da-f-]{8,}|(?:toolu|call|msg|item|fc|req|ses|prt)_\w+)"/g) ??
    []
  );
}

/** The record with one value of its tree replaced. */
function spoil({ value, line }: LogRecord, junk: unknown, where: number): LogRecord {
  const copy = JSON.parse(JSON.stringify(value)) as unknown;
  const places = placesOf(copy);
  const place = places[where % Math.max(1, places.length)];
  if (place) place.holder[place.key] = junk;
  return { value: copy, line };
}

/** Every record thirty times with other ids, results left out, so that nothing is ever closed. */
function flood(records: LogRecord[]): LogRecord[] {
  const open = records.filter(
    ({ value }) =>
      !JSON.stringify(value).includes('"tool_result"') &&
      !JSON.stringify(value).includes('function_call_output'),
  );
  return Array.from({ length: 30 }, (_, round) =>
    open.map(({ value, line }) => ({
      value: JSON.parse(
        JSON.stringify(value).replaceAll(/(toolu_|call_|"content":")/g, `$1${round}x`),
      ) as unknown,
      line,
    })),
  ).flat();
}
