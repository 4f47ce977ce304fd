/** Invented material for the distiller's tests. */
import fc from 'fast-check';
import {
  type Candidate,
  type Lesson,
  LESSON_KINDS,
  type LessonEvent,
  type Project,
} from '../../src/types.js';
import { type Material, type ProjectClock } from '../../src/lessons/index.js';

export const PROJECT: Project = {
  id: '3fa91c0027b4d855',
  slug: 'shop-3fa9',
  name: 'shop',
  remote: null,
  folders: ['/home/ada/shop'],
  aliases: [],
};
export const DAY = '2026-11-20';

export function event(given: Partial<LessonEvent> = {}): LessonEvent {
  return {
    agent: 'claude-code',
    session: 's1',
    entry: null,
    day: DAY,
    trust: 0.9,
    supports: true,
    quote: 'quote',
    ...given,
  };
}

/** Every calendar day, as a project has them in which something is logged each day. */
const EVERY_DAY = Array.from({ length: 1500 }, (_, n) =>
  new Date(Date.UTC(2024, 0, 1) + n * 86_400_000).toISOString().slice(0, 10),
);

/** The clock of a project in which something is logged each day. */
export function busy(day: string): ProjectClock {
  return { day, activeDays: EVERY_DAY };
}

export type Placed = Candidate & { project: string };

export function candidate(
  given: Partial<Omit<Placed, 'evidence'>> & { evidence?: Partial<LessonEvent> } = {},
): Placed {
  return {
    ...{ project: PROJECT.id, kind: 'preference', scope: 'project', said_by: 'user', alone: true },
    ...{ text: 'Prefer small commits', key: 'prefer small commits', importance: 4, worth: 0.8 },
    ...{ tags: [], files: [], mentions: [], extractor: 6 },
    ...given,
    evidence: event(given.evidence),
  };
}

export function material(given: Partial<Material> = {}): Material {
  const nothing = { candidates: [], remembered: [], edits: [], typed: '', uses: new Map() };
  return { project: PROJECT, ...nothing, clock: busy(DAY), ...given };
}

/** Text of the lessons that are shown. */
export function shown(lessons: readonly Lesson[]): string[] {
  return lessons
    .filter((l) => l.status === 'live')
    .map((l) => l.text)
    .sort();
}

export function byText(lessons: readonly Lesson[], text: string): Lesson {
  const found = lessons.find((l) => l.text === text);
  if (!found)
    throw new Error(`no lesson "${text}" among ${lessons.map((l) => l.text).join(' | ')}`);
  return found;
}

export function day(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
}

export const anyKind = fc.constantFrom(...LESSON_KINDS);
const anyDay = fc.integer({ min: 0, max: 320 }).map(day);

export const anyEvent: fc.Arbitrary<LessonEvent> = fc.record({
  agent: fc.constantFrom('claude-code', 'codex'),
  session: fc.constantFrom('s1', 's2', 's3', 's4', 's5'),
  entry: fc.option(fc.constantFrom('e1', 'e2', 'e3', 'e4'), { nil: null }),
  day: anyDay,
  trust: fc.constantFrom(0.4, 0.6, 0.9),
  supports: fc.boolean(),
  quote: fc.constantFrom('q1', 'q2'),
});

const TEXTS = [
  'Use `pnpm` for installs',
  'Use `pnpm` for all installs',
  'Never use `npm` for installs',
  'The server listens on port 8080',
  'The server listens on port 8081',
  'Test: `pnpm test`',
  'Test: `pnpm vitest run FILE`',
  'Lint: `pnpm lint`',
  'Prefer small commits',
  'Run `make db` before the tests: migrations are not automatic',
];

export const anyCandidate: fc.Arbitrary<Placed> = fc
  .record({
    kind: anyKind,
    text: fc.constantFrom(...TEXTS),
    importance: fc.constantFrom(2, 3, 4, 5) as fc.Arbitrary<Candidate['importance']>,
    said_by: fc.constantFrom('user', 'observed', 'agent') as fc.Arbitrary<Candidate['said_by']>,
    alone: fc.boolean(),
    worth: fc.constantFrom(0.2, 0.5, 0.9),
    tags: fc.constantFrom([], ['class:test'], ['class:lint', 'entry']),
    evidence: anyEvent,
    extractor: fc.constantFrom(6, 7),
  })
  .map((given) => candidate({ ...given, tags: [...given.tags], key: given.text.toLowerCase() }));
