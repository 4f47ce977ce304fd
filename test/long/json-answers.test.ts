/**
 * The fields that docs/cli.md names for `--json` are those that the commands print: read from the
 * page, over the samples.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Stage, samplesStage } from '../stage.js';

const manual = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');

/**
 * Fields of an object by name, `of` an array its elements; null: anything. `isOpen`: the page
 * leaves fields out (`…`).
 */
type Shape =
  { fields: Map<string, Shape>; isOpen: boolean } | { of: Shape } | { each: Shape } | null;

/**
 * `{"version":1,"near":{"words"},"hits":[{"id"}],"daemon":null|{"pid"}}` as the page writes shapes;
 * a word in capitals is named.
 */
function shapeOf(text: string, named: ReadonlyMap<string, string>): Shape {
  let at = 0;
  const take = (sign: string): boolean => text.startsWith(sign, at) && (at += sign.length) > 0;
  const value = (): Shape => {
    let shape: Shape = null;
    do {
      const one = alone();
      shape ??= one;
    } while (take('|'));
    return shape;
  };
  const alone = (): Shape => {
    if (take('{')) return object();
    if (take('[')) {
      const of = text[at] === ']' ? null : value();
      expect(take(']'), `${text} at ${at}`).toBe(true);
      return { of };
    }
    const [word] = /^(?:"[^"]*"|[\w…]+)/.exec(text.slice(at)) ?? [''];
    at += word.length;
    return named.has(word) ? shapeOf(named.get(word)!, named) : null;
  };
  const object = (): Shape => {
    const fields = new Map<string, Shape>();
    let isOpen = false;
    if (take('NAME:')) {
      const each = alone();
      take('}');
      return { each };
    }
    while (!take('}')) {
      const [, key] = /^"(\w+)"/.exec(text.slice(at)) ?? [];
      if (key === undefined) {
        isOpen = take('…');
        expect(isOpen, `${text} at ${at}`).toBe(true);
      } else {
        at += key.length + 2;
        fields.set(key, take(':') ? value() : null);
      }
      take(',');
    }
    return { fields, isOpen };
  };
  return value();
}

/** What differs between an answer and its shape. */
function differences(shape: Shape, value: unknown, path = ''): string[] {
  if (shape === null || value === null) return [];
  if ('each' in shape)
    return Object.entries(value as object).flatMap(([key, one]) =>
      differences(shape.each, one, `${path}.${key}`),
    );
  if ('of' in shape)
    return (value as unknown[]).flatMap((each) => differences(shape.of, each, `${path}[]`));
  const keys = Object.keys(value as object);
  return [
    ...[...shape.fields.keys()]
      .filter((key) => !keys.includes(key))
      .map((key) => `${path}.${key} is named and not there`),
    ...(shape.isOpen
      ? []
      : keys.filter((key) => !shape.fields.has(key)).map((key) => `${path}.${key} is not named`)),
    ...[...shape.fields].flatMap(([key, inner]) =>
      keys.includes(key)
        ? differences(inner, (value as Record<string, unknown>)[key], `${path}.${key}`)
        : [],
    ),
  ];
}

/** The part of the page about a command's answers: from its first label to the end of the point. */
function pointOf(label: string): string {
  const points = manual.split('## JSON')[1]!.split(/^- /m);
  const point = points.find((text) => text.includes(`\`${label}\``) && /`\{"version/.test(text))!;
  return point.slice(point.indexOf(`\`${label}\``));
}
/** The shapes behind a label, in order. */
function shapesOf(label: string): Shape[] {
  const spans = [...pointOf(label).matchAll(/`([^`]+)`/g)].map(([, span]) =>
    span!.replaceAll(/\s+/g, ''),
  );
  const named = new Map([
    ['LINE', spans.find((span) => span.startsWith('{"key","agent"')) ?? '{…}'],
  ]);
  return spans
    .filter((span) => span.startsWith('{"version":1'))
    .map((span) => shapeOf(span, named));
}

const SLUG = 'lanternfish-37f8';
/** What is typed for each label of the page; the last ones may change the home. */
const TYPED: [label: string, ...argvs: string[][]][] = [
  ['search', ['search', 'openapi', '--json']],
  ['context', ['context', '--json', '--project', SLUG]],
  ['recall', ['recall', '--type', 'edit', 'src/api/client.gen.ts', '--json', '--project', SLUG]],
  ['fix', ['fix', 'Error: no such table: tides', '--json', '--project', SLUG]],
  ['sessions', ['sessions', '--json', '--project', SLUG]],
  ['review', ['review', '--json']],
  ['replay', ['replay', '--json', '--since', 'all']],
  ['rules', ['rules', '--json']],
  ['status', ['status', '--json']],
  ['status --check', ['status', '--check', '--json']],
  ['usage', ['usage', '--json', '--since', 'all']],
  ['sql', ['sql', 'FROM projects', '--json']],
  ['model', ['model', '--json']],
  ['config', ['config', '--json']],
  ['projects', ['projects', '--json']],
  ['export', ['export', 'FILE', '--json']],
  ['export --parquet', ['export', '--parquet', 'PARQUET', '--json']],
  ['export --agents-md', ['export', '--agents-md', '--project', SLUG, '--json']],
  ['import', ['import', 'FILE', '--json']],
  ['link', ['link', 'REPO', '--only', 'all', '--json']],
  ['link --hooks', ['link', '--hooks', '--only', 'all', '--print', '--json']],
  ['unlink', ['unlink', '--all', '--json']],
  ['service status', ['service', 'status', '--json']],
  ['lessons list', ['lessons', 'list', '--json']],
  ['lessons show', ['lessons', 'show', 'use pnpm, not npm', '--json']],
  [
    'lessons why',
    ['lessons', 'why', 'use pnpm, not npm', '--json'],
    ['lessons', 'why', 'totals are off by one cent', '--json'],
  ],
  ['lessons add', ['lessons', 'add', 'Zeppelins land at noon', '--project', SLUG, '--json']],
  ['show', ['show', 'ENTRY', '--json']],
  ['run', ['run', '--json'], ['crystallize', '--json']],
  ['purge', ['purge', '--match', 'zeppelins', '--dry-run', '--json']],
];

const answers = new Map<string, Record<string, unknown>>();
let stage: Stage;
beforeAll(async () => {
  stage = await samplesStage();
  stage.put('repo/.git/HEAD', 'ref: refs/heads/main\n');
  const { hits } = (await stage.type('search', 'openapi', '--kind', 'entry', '--json')).json<{
    hits: { id: string }[];
  }>();
  const real: Record<string, string> = {
    FILE: join(stage.home, 'x.json.gz'),
    PARQUET: join(stage.home, 'parquet'),
    REPO: join(stage.home, 'repo'),
    ENTRY: hits[0]!.id,
  };
  for (const argv of TYPED.flatMap(([, ...argvs]) => argvs)) {
    const said = await stage.type(...argv.map((word) => real[word] ?? word));
    expect(said.out.trimEnd().split('\n'), argv.join(' ')).toHaveLength(1);
    answers.set(argv.join(' '), said.json());
  }
  const purged = await stage.type('purge', '--match', 'Zeppelins', '--yes', '--json');
  answers.set('purge', purged.json());
});

test.each(TYPED)(
  '%s: each answer has the fields that the manual names, and no other',
  (label, ...argvs) => {
    const shapes = label === 'run' ? [...shapesOf(label), ...shapesOf(label)] : shapesOf(label);
    argvs.forEach((argv, at) => {
      const answer = answers.get(argv.join(' '))!;
      expect(answer['version']).toBe(1);
      expect(differences(shapes[at]!, answer), argv.join(' ')).toEqual([]);
    });
  },
);

test('what a command adds to its answer is named, too', () => {
  const more = (label: string, from: string): Shape => {
    const text = pointOf(label).replaceAll(/\s+/g, ' ');
    const [, spans] = new RegExp(`${from}((?:(?:,| and)? ?\`[^\`]+\`)+)`).exec(text)!;
    const fields = [...spans!.matchAll(/`([^`]+)`/g)].map(([, span]) =>
      span!.replace(/:\[…\]$/, ''),
    );
    return shapeOf(`{${fields.join(',')}}`.replaceAll(' ', ''), new Map());
  };
  const purge = answers.get('purge')!;
  const known = shapesOf('purge')[0] as { fields: Map<string, Shape> };
  const added = more('purge', 'after a purge also ') as { fields: Map<string, Shape> };
  expect(
    differences({ fields: new Map([...known.fields, ...added.fields]), isOpen: false }, purge),
  ).toEqual([]);
  const entry = more('show', 'of an entry ') as { fields: Map<string, Shape> };
  expect(
    differences({ fields: entry.fields, isOpen: true }, answers.get('show ENTRY --json')),
  ).toEqual([]);
});

test('times are ISO 8601 UTC, counts are numbers, and `project` is the slug', () => {
  const bad: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (
      typeof value === 'string' &&
      /^\d{4}-\d\d-\d\d[T ]\d\d/.test(value) &&
      !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)
    )
      bad.push(`${path}: ${value}`);
    if (
      /\.(?:files|entries|lessons|sessions|tokens|bytes|score|answers)$/.test(path) &&
      typeof value === 'string'
    )
      bad.push(path);
    if (
      /\.project$/.test(path) &&
      typeof value === 'string' &&
      !/^[\w.@+-]+-[0-9a-f]{4}$/.test(value)
    )
      bad.push(`${path}: ${value}`);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
  };
  for (const [argv, answer] of answers) walk(answer, argv);
  expect(bad).toEqual([]);
});
