/** The shipped sample sessions through the whole program: what must and must not come of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Said, type Stage, samples, setStage } from '../stage.js';

interface Item {
  what: string;
  match: string[];
}
interface Expected {
  sessions: { files: number; machine: string[]; unfinished: string[] };
  secrets: string[];
  projects: Record<
    string,
    { said: Item[]; learnt: Item[]; lessons: Item[]; superseded: Item[]; never: Item[] }
  >;
}
interface LessonRow {
  text: string;
  status: string;
  project: string | null;
}

const expected = JSON.parse(
  readFileSync(new URL('../samples/expectations.json', import.meta.url), 'utf8'),
) as Expected;
const names = Object.keys(expected.projects);

let stage: Stage;
let first: Said;
let lessons: LessonRow[];
const slugs = new Map<string, string>();

beforeAll(async () => {
  stage = setStage({ from: samples, now: '2026-11-18T12:00:00Z' });
  first = await stage.type('run', '--json');
  for (const slug of readdirSync(join(stage.stone, 'projects')))
    if (!slug.startsWith('.')) slugs.set(slug.replace(/-[0-9a-f]{4}$/, ''), slug);
  lessons = await stage.lessons('--all', '--project', 'all');
});

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}
function isMatch(line: string, item: Item): boolean {
  return item.match.every((pattern) => new RegExp(pattern, 'i').test(line));
}
function zone(slug: string, heading: string): string[] {
  const text = stage.read(`projects/${slug}/context.md`);
  return (text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('- '));
}

describe('the samples', () => {
  test('a run reads every log and ends well', () => {
    expect(first.err).toBe('');
    expect(first.code).toBe(0);
    expect(first.json()).toMatchObject({ version: 1, files: expected.sessions.files, errors: [] });
  });

  describe.each(names)('%s', (name) => {
    const { said, learnt, lessons: wanted, superseded, never } = expected.projects[name]!;

    test('what the user said stands in its zone', () => {
      const lines = zone(slugs.get(name)!, 'The user said');
      expect(
        said.filter((item) => !lines.some((line) => isMatch(line, item))).map((item) => item.what),
        lines.join('\n'),
      ).toEqual([]);
    });

    test('what was learnt stands in its zone', () => {
      const lines = zone(slugs.get(name)!, 'Learnt here');
      expect(
        learnt
          .filter((item) => !lines.some((line) => isMatch(line, item)))
          .map((item) => item.what),
        lines.join('\n'),
      ).toEqual([]);
    });

    test('the other lessons are known', () => {
      const texts = lessons
        .filter((lesson) => lesson.project === slugs.get(name) && lesson.status === 'live')
        .map((lesson) => lesson.text);
      expect(
        wanted
          .filter((item) => !texts.some((text) => isMatch(text, item)))
          .map((item) => item.what),
        texts.join('\n'),
      ).toEqual([]);
    });

    test('what was replaced is not shown', () => {
      const lines = stage.read(`projects/${slugs.get(name)!}/context.md`).split('\n');
      expect(
        superseded.flatMap((item) =>
          lines.filter((line) => isMatch(line, item)).map((line) => `${item.what}: ${line}`),
        ),
      ).toEqual([]);
    });

    test('what must never be published is nowhere', () => {
      const folder = join(stage.stone, 'projects', slugs.get(name)!);
      const published = files(folder).filter((path) => path.endsWith('.md'));
      const found = never.flatMap((item) =>
        published
          .filter((path) =>
            readFileSync(path, 'utf8')
              .split('\n')
              .some((line) => isMatch(line, item)),
          )
          .map((path) => `${item.what}: ${path}`),
      );
      expect(found).toEqual([]);
    });
  });

  test('no secret is in any byte that was written', () => {
    const leaks = files(stage.stone).flatMap((path) => {
      const bytes = readFileSync(path);
      const text = path.endsWith('.gz')
        ? gunzipSync(bytes).toString('latin1')
        : bytes.toString('latin1');
      return expected.secrets
        .filter((secret) => text.includes(secret))
        .map((secret) => `${secret.slice(0, 6)}… in ${path}`);
    });
    expect(leaks).toEqual([]);
  });

  test('machine-made sessions yield no lesson', async () => {
    const evidence = await stage.type('lessons', 'list', '--all', '--project', 'all', '--json');
    expect(evidence.out).not.toMatch(new RegExp(expected.sessions.machine.join('|')));
  });

  test('only the person can read what was written', () => {
    const open = files(stage.stone).filter(
      (path) => !path.endsWith('config.yaml') && (statSync(path).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  });
});
