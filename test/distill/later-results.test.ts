import { describe, expect, test } from 'vitest';
import { distillProject } from '../../src/distill/index.js';
import { busy, byText, candidate, material } from './build.js';

const FACT = 'Settings of the worker stand in `config/worker.yaml`';
function fact(more: Parameters<typeof candidate>[0] = {}) {
  return candidate({
    kind: 'fact',
    saidBy: 'agent',
    text: FACT,
    key: 'fact',
    files: ['config/worker.yaml'],
    ...more,
    evidence: { session: 'a', entry: 'e1', day: '2026-11-10', trust: 0.4, ...more?.evidence },
  });
}
function absent(name: string, of: string | null, evidence: { session: string; day: string }) {
  return candidate({
    kind: 'fact',
    saidBy: 'observed',
    alone: false,
    text: `\`${name}\` is missing`,
    key: `absent:${of ?? ''}:${name}`,
    tags: ['absent'],
    subject: of,
    value: name,
    evidence: { ...evidence, entry: `x${evidence.session}`, trust: 0.6, supports: false },
  });
}

function lessonsOf(...candidates: ReturnType<typeof candidate>[]) {
  return distillProject(material({ candidates, clock: busy('2026-11-20') })).lessons;
}

describe('what later sessions show', () => {
  test('a file that is gone speaks against the lessons that name it, and is no lesson itself', () => {
    const before = byText(lessonsOf(fact()), FACT).confidence;
    const lessons = lessonsOf(fact(), absent('config/worker.yaml', null, { session: 'b', day: '2026-11-20' }));
    expect(lessons).toHaveLength(1);
    expect(lessons[0]!.confidence).toBeCloseTo(before * 0.4, 10);
    expect(lessonsOf(fact(), absent('config/other.yaml', null, { session: 'b', day: '2026-11-20' }))[0]!.confidence).toBe(before);
  });

  test('not before the lesson was learnt, not in its own session, not against what the user wishes', () => {
    const before = byText(lessonsOf(fact()), FACT).confidence;
    expect(lessonsOf(fact(), absent('config/worker.yaml', null, { session: 'b', day: '2026-11-09' }))[0]!.confidence).toBe(
      before,
    );
    expect(lessonsOf(fact(), absent('config/worker.yaml', null, { session: 'a', day: '2026-11-12' }))[0]!.confidence).toBe(
      before,
    );
    const wish = candidate({
      text: 'Keep `config/worker.yaml` sorted',
      files: ['config/worker.yaml'],
      evidence: { session: 'a', day: '2026-11-10' },
    });
    expect(lessonsOf(wish, absent('config/worker.yaml', null, { session: 'b', day: '2026-11-20' }))[0]!.evidence).toHaveLength(1);
  });

  test('an option that is not taken, a script that is gone', () => {
    const gotcha = candidate({
      kind: 'gotcha',
      saidBy: 'agent',
      text: '`acme build --fast` skips the cache',
      key: 'g',
      evidence: { session: 'a', day: '2026-11-10', trust: 0.4 },
    });
    expect(
      lessonsOf(gotcha, absent('--fast', 'acme', { session: 'b', day: '2026-11-20' }))[0]!.evidence.map((e) => e.supports),
    ).toEqual([true, false]);
    expect(lessonsOf(gotcha, absent('--fast', 'other', { session: 'b', day: '2026-11-20' }))[0]!.evidence).toHaveLength(1);
    const denied = candidate({
      kind: 'command',
      saidBy: 'observed',
      alone: false,
      text: 'Build: `acme build`',
      key: 'build:acme build',
      tags: ['class:build'],
      evidence: { session: 'b', day: '2026-11-20', trust: 0.6, supports: false },
    });
    expect(lessonsOf(gotcha, denied)[0]!.evidence.map((e) => e.supports)).toEqual([true, false]);
    expect(lessonsOf(gotcha, { ...denied, tags: ['class:build', 'fails'] })[0]!.evidence).toHaveLength(1);
  });

  test('a later success that uses what an agent told bears it out; a denial is not borne out by it', () => {
    const told = fact({ text: 'The schema is made by `npm run generate`', files: [] });
    const works = candidate({
      kind: 'command',
      saidBy: 'observed',
      text: 'Generate: `npm run generate`',
      key: 'generate:npm run generate',
      tags: ['class:generate'],
      evidence: { session: 'b', entry: 'e2', day: '2026-11-20', trust: 0.6 },
    });
    expect(byText(lessonsOf(told, works), told.text)).toMatchObject({ sessions: 2, lastSeen: '2026-11-20' });
    const denies = fact({ text: 'The schema is not made by `npm run generate`', files: [] });
    expect(byText(lessonsOf(denies, works), denies.text).sessions).toBe(1);
  });
});

describe('a move from one runner to another', () => {
  const command = (text: string, session: string, day: string) =>
    candidate({
      kind: 'command',
      saidBy: 'observed',
      text,
      key: text,
      tags: [`class:${text.split(':')[0]!.toLowerCase()}`, 'entry'],
      evidence: { session, entry: `${session}${text}`, day, trust: 0.6 },
    });
  const status = (lessons: ReturnType<typeof lessonsOf>, text: string) => byText(lessons, text).status;

  test('what worked with the old one is superseded and linked', () => {
    const lessons = lessonsOf(
      command('Test: `npm test`', 'a', '2026-11-01'),
      command('Lint: `npm run lint`', 'a', '2026-11-01'),
      command('Test: `pnpm test`', 'b', '2026-11-10'),
      command('Test: `pnpm test`', 'c', '2026-11-12'),
    );
    expect(status(lessons, 'Test: `pnpm test`')).toBe('live');
    expect(byText(lessons, 'Test: `npm test`').supersededBy).toBe(byText(lessons, 'Test: `pnpm test`').id);
    expect(status(lessons, 'Lint: `npm run lint`')).toBe('superseded');
  });

  test('not after one session, not while both are used, not in another folder', () => {
    expect(
      status(
        lessonsOf(command('Test: `npm test`', 'a', '2026-11-01'), command('Lint: `pnpm lint`', 'b', '2026-11-10')),
        'Test: `npm test`',
      ),
    ).toBe('live');
    expect(
      status(
        lessonsOf(
          command('Lint: `npm run lint`', 'a', '2026-11-01'),
          command('Test: `pnpm test`', 'b', '2026-11-05'),
          command('Test: `pnpm test`', 'c', '2026-11-06'),
          command('Lint: `npm run lint`', 'd', '2026-11-12'),
        ),
        'Lint: `npm run lint`',
      ),
    ).toBe('live');
    expect(
      status(
        lessonsOf(
          command('Test: `npm test`', 'a', '2026-11-01'),
          command('Test: `cd web && pnpm test`', 'b', '2026-11-10'),
          command('Test: `cd web && pnpm test`', 'c', '2026-11-12'),
          command('Lint: `npm run lint`', 'a', '2026-11-01'),
        ),
        'Lint: `npm run lint`',
      ),
    ).toBe('live');
  });

  test('task runners move target by target', () => {
    const lessons = lessonsOf(
      command('Test: `make test`', 'a', '2026-11-01'),
      command('Release: `make release`', 'a', '2026-11-01'),
      command('Test: `just test`', 'b', '2026-11-10'),
      command('Test: `just test`', 'c', '2026-11-12'),
    );
    expect(status(lessons, 'Test: `make test`')).toBe('superseded');
    expect(status(lessons, 'Release: `make release`')).toBe('live');
  });
});

describe('a claim that a later session takes back', () => {
  const claim = fact({ text: '`postfix` ignores `MAIL_HOST` when it stands in `main.cf`', files: [] });
  const denied = (names: string[], day = '2026-11-18') =>
    candidate({
      kind: 'fact',
      saidBy: 'agent',
      alone: false,
      text: 'The earlier note was wrong',
      key: 'denied',
      tags: ['denied'],
      value: names.join('\n'),
      evidence: { session: 'b', day, trust: 0.9, supports: false },
    });
  test('fades, if the words name two of its things', () => {
    const [lesson] = lessonsOf(claim, denied(['mail_host', 'postfix']));
    expect(lesson).toMatchObject({ status: 'faded' });
    expect(lessonsOf(claim, denied(['postfix', 'nginx']))[0]).toMatchObject({ status: 'live' });
  });
  test('not what a person said', () => {
    expect(
      lessonsOf({ ...claim, saidBy: 'user', evidence: { ...claim.evidence, trust: 0.9 } }, denied(['mail_host', 'postfix']))[0]
        ?.evidence,
    ).toHaveLength(1);
  });
  test('a thing that is gone, called with or without brackets', () => {
    const gone = { ...absent('legacyRelay', null, { session: 'b', day: '2026-11-18' }) };
    gone.evidence.trust = 0.9;
    expect(lessonsOf(fact({ text: '`legacyRelay()` must be awaited', files: [] }), gone)[0]).toMatchObject({ status: 'faded' });
  });
});
