/**
 * Spoils the lines of a log in every way that a crash, a foreign program or a new version may.
 * Deterministic from its random source.
 */
import type { Random } from '../redact/made-up.js';
import { placesOf } from './places.js';

interface Spoilt {
  bytes: Buffer;
  /** 1-based numbers of lines that hold nothing but garbage: no record can come from them. */
  garbage: Set<number>;
}

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '\uD800',
  '\u202E\u2066',
  '\u2028\u2029',
  '__proto__',
  'constructor',
  '../../../etc/passwd',
  '<system-reminder>',
  '-1',
  '9'.repeat(400),
  'é'.repeat(3000),
  'x'.repeat(70_000),
  '[REDACTED:',
  '\\u00',
  '%',
  '"}',
];
const ODD_TIMES = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  'Invalid Date',
  '2026-13-45T99:99:99Z',
  '1700000000',
  1.7e12,
  1.7e15,
  -1,
  1e308,
  '',
  null,
];
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\0',
  'k'.repeat(5000),
  'length',
  'type',
  'payload',
  'message',
  'uuid',
];
const GARBAGE = [
  'null',
  'true',
  '17',
  '"a string"',
  '[]',
  '[1,2]',
  'NaN',
  'hello there',
  '}{',
  '{',
  '"',
  '[[[[',
  '\u0007\u0008',
  '<html></html>',
  'data: x',
];

export function createMutator(random: Random, donors: readonly unknown[]) {
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;

  const nested = (depth: number): unknown => {
    let value: unknown = oneOf(ODD_TEXTS);
    for (let i = 0; i < depth; i++)
      value = random() < 0.5 ? [value] : { [oneOf(['a', 'content', 'message'])]: value };
    return value;
  };
  const junk = (): unknown =>
    oneOf<() => unknown>([
      () => oneOf(ODD_TEXTS),
      () => oneOf(ODD_TIMES),
      () => null,
      () => ({}),
      () => [],
      () => true,
      () => below(1e9) - 5e8,
      () => 1.5e300,
      () => nested(2 + below(90)),
      () => Array.from({ length: below(400) }, () => oneOf(ODD_TEXTS)),
      () => Object.fromEntries(Array.from({ length: below(300) }, (_, i) => [`k${i}`, i])),
      () => oneOf(donors),
      () => [oneOf(donors)],
      () => String.fromCharCode(...Array.from({ length: 1 + below(50) }, () => below(0xffff))),
    ])();

  /** One place of the tree takes another value, another name, or goes. */
  const spoilTree = (value: unknown): unknown => {
    const copy = JSON.parse(JSON.stringify(value)) as unknown;
    const places = placesOf(copy);
    if (places.length === 0) return copy;
    const { holder, key } = oneOf(places);
    const kind = below(6);
    if (kind === 0) delete holder[key];
    else if (kind === 1 && !Array.isArray(holder))
      Object.defineProperty(holder, oneOf(ODD_KEYS), {
        value: junk(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else if (kind === 2 && /time|date|at$/i.test(key)) holder[key] = oneOf(ODD_TIMES);
    else holder[key] = junk();
    return copy;
  };

  const spoilBytes = (line: Buffer): Buffer => {
    if (line.length < 2) return line;
    const at = below(line.length);
    return oneOf<() => Buffer>([
      () => line.subarray(0, at),
      () => line.subarray(at),
      () => Buffer.concat([line.subarray(0, at), Buffer.alloc(1 + below(2000)), line.subarray(at)]),
      () =>
        Buffer.concat([
          line.subarray(0, at),
          Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
          line.subarray(at),
        ]),
      () => Buffer.concat([line, line]),
      () => Buffer.concat([line.subarray(0, at), line]),
      () => Buffer.concat([Buffer.from('\uFEFF'), line, Buffer.from('\r')]),
      () => {
        const copy = Buffer.from(line);
        for (let i = 0; i < 1 + below(4); i++) copy[below(copy.length)] = below(256) || 1;
        return copy.includes(10) ? line : copy;
      },
      () => Buffer.from(`${'{"a":'.repeat(1000 + below(20_000))}1`),
    ])();
  };

  const garbageLine = (): Buffer =>
    random() < 0.7
      ? Buffer.from(oneOf(GARBAGE))
      : Buffer.from(Array.from({ length: 1 + below(300) }, () => 0x80 + below(0x7f)));

  return {
    /** @param lines whole lines of a log without their ends */
    spoil(lines: readonly string[]): Spoilt {
      const out: Buffer[] = [];
      const garbage = new Set<number>();
      for (const text of lines) {
        if (random() < 0.05) continue;
        let line: Buffer = Buffer.from(text);
        if (random() < 0.35)
          line = Buffer.from(JSON.stringify(spoilTree(JSON.parse(text))).replaceAll('\n', ' '));
        if (random() < 0.08) line = spoilBytes(line);
        out.push(line);
        if (random() < 0.06) garbage.add(out.push(garbageLine()));
        if (random() < 0.03) out.push(oneOf(out));
      }
      return { bytes: Buffer.concat(out.flatMap((line) => [line, Buffer.from('\n')])), garbage };
    },
    below,
    spoilTree,
    spoilBytes,
    oddText: () => oneOf(ODD_TEXTS),
    /** A file of nothing that anybody wrote as a record. */
    garbage: () =>
      Buffer.concat(
        Array.from({ length: 1 + below(40) }, () =>
          Buffer.concat([garbageLine(), Buffer.from('\n')]),
        ),
      ),
  };
}
