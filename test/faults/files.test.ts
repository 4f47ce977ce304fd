/**
 * What we write is the person's alone from the first byte, and no name in a log leads out of the
 * home.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { personAtWork } from './author.js';
import { storedTexts } from './stored.js';
import { type Stage, setStage } from '../stage.js';

function isOpen(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & 0o077) !== 0;
}
function everything(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => [
    join(folder, each.name),
    ...(each.isDirectory() ? everything(join(folder, each.name)) : []),
  ]);
}

test('a parent with umask 022: every file and folder is 0600 or 0700 from the moment it can be seen', async () => {
  const { person } = personAtWork(31, 12);
  // What the person and the agents made there is theirs.
  const own = new Set(everything(person.stone));
  const { ended } = person.start(['run'], { umask: '022' });
  const open = new Set<string>();
  let [over, looks] = [false, 0];
  void ended.then(() => (over = true));
  while (!over) {
    looks++;
    try {
      for (const path of everything(person.stone))
        if (!own.has(path) && isOpen(path)) open.add(path);
    } catch {
      // A folder that was renamed under the look.
    }
    await pause(2);
  }
  expect((await ended).code).toBe(0);
  expect(looks).toBeGreaterThan(20);
  expect([...open].map((path) => path.replace(/\d{2,}|[0-9a-f]{8}/g, '#'))).toEqual([]);
  expect(everything(person.stone).filter((path) => !own.has(path) && isOpen(path))).toEqual([]);
});

const NAMES = [
  '../../../outside',
  '/etc/outside',
  '..',
  '.',
  'a/../../../../outside',
  'nul\0byte',
  'new\nline',
  '-rf',
  '$(touch outside)',
  "'; DROP TABLE own.entries; --",
  'x'.repeat(300),
  '🦀🦀🦀',
  '\u202Eevil',
  '__proto__',
  '[glob*]?',
  '</context>',
  '@/etc/passwd',
];

/** Logs in which a name stands wherever an agent writes one. */
function plant(person: Stage, name: string, i: number): string[] {
  const base = {
    isSidechain: false,
    userType: 'external',
    version: name,
    gitBranch: name,
    entrypoint: 'cli',
  };
  const cwd = [name, `/home/ana/${name}`, join(person.home, 'code') + `/${name}`][i % 3]!;
  const time = '2025-11-03T09:00:00.000Z';
  const record = (n: number, more: object): string =>
    JSON.stringify({
      ...base,
      cwd,
      sessionId: name,
      uuid: `u${i}-${n}`,
      parentUuid: name,
      timestamp: time,
      ...more,
    });
  person.put(
    `.claude/projects/-home-ana-shop/c${i}.jsonl`,
    `${[
      record(1, {
        type: 'user',
        message: { role: 'user', content: `claude said ${i}` },
        promptSource: 'typed',
        origin: { kind: 'human' },
      }),
      record(2, {
        type: 'assistant',
        message: {
          id: 'm',
          role: 'assistant',
          model: name,
          content: [
            { type: 'tool_use', id: name, name, input: { file_path: name, command: name } },
          ],
        },
      }),
      record(3, {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: name, content: 'done', is_error: false }],
        },
      }),
      JSON.stringify({
        type: 'pr-link',
        sessionId: name,
        prRepository: name,
        prUrl: name,
        prNumber: 1,
        timestamp: time,
      }),
      JSON.stringify({
        type: 'worktree-state',
        sessionId: name,
        worktreeSession: { originalCwd: name, worktreePath: name, worktreeName: name },
      }),
    ].join('\n')}\n`,
  );
  const codex = (type: string, payload: object): string =>
    JSON.stringify({ timestamp: time, type, payload });
  person.put(
    `.codex/sessions/2025/11/03/rollout-2025-11-03T10-00-00-x${i}.jsonl`,
    `${[
      codex('session_meta', {
        id: name,
        timestamp: time,
        cwd,
        originator: name,
        cli_version: name,
        source: 'cli',
        git: { branch: name, repository_url: name, commit_hash: name },
      }),
      codex('turn_context', { turn_id: name, cwd, model: name }),
      codex('event_msg', { type: 'user_message', message: `codex said ${i}` }),
      codex('response_item', {
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: name,
        input: `*** Begin Patch\n*** Update File: ${name}\n+x\n*** End Patch`,
      }),
    ].join('\n')}\n`,
  );
  return [`claude said ${i}`, `codex said ${i}`];
}

test('names with paths, NUL, line breaks, quotes and 300 characters in every field: nothing is written outside, nothing is lost', async () => {
  const person = setStage({ isLive: true });
  person.put('code/shop/.gitignore', 'dist\n');
  const texts = NAMES.flatMap((name, i) => plant(person, name, i));
  const outside = (): string[] => [...everything(person.home), ...readdirSync(person.root)].sort();
  const before = outside();
  const said = await person.type('run', '--only', 'ingest,extract,context,rollup');
  expect(said.err).toBe('');
  expect(said.code).toBe(0);
  expect(outside()).toEqual(before);
  const stored = await storedTexts(person);
  expect(texts.filter((text) => stored.get(text) !== 1)).toEqual([]);
  const strange = everything(person.stone)
    .map((path) => path.slice(person.stone.length + 1))
    .filter(
      (path) =>
        !/^[\w.-]+(?:\/[\w.-]+)*$/.test(path) ||
        path.split('/').includes('..') ||
        path.split('/').some((part) => part.length > 80),
    );
  expect(strange).toEqual([]);
  expect(existsSync('/etc/outside')).toBe(false);
  for (const file of person.files('projects').filter((path) => path.endsWith('context.md')))
    expect(readFileSync(file, 'utf8')).not.toMatch(/\0|\u202E|<\/context>/);
});

test('links out of a place are not followed, whatever they are called', async () => {
  const person = setStage({ isLive: true });
  const line = (text: string): string =>
    `${JSON.stringify({ type: 'user', uuid: text, sessionId: 's', cwd: '/home/ana/shop', timestamp: '2025-11-03T09:00:00.000Z', message: { role: 'user', content: text }, promptSource: 'typed' })}\n`;
  person.put('.claude/projects/shop/good.jsonl', line('inside'));
  const target = person.put('elsewhere/hidden.jsonl', line('outside by file'));
  person.put('elsewhere/folder/more.jsonl', line('outside by folder'));
  symlinkSync(target, join(person.home, '.claude/projects/shop/linked.jsonl'));
  symlinkSync(join(person.home, 'elsewhere/folder'), join(person.home, '.claude/projects/linked'));
  symlinkSync('/etc/passwd', join(person.home, '.claude/projects/shop/passwd.jsonl'));
  symlinkSync('.', join(person.home, '.claude/projects/shop/loop'));
  expect((await person.type('run', '--only', 'ingest')).code).toBe(0);
  expect([...(await storedTexts(person)).keys()]).toEqual(['inside']);
  const checked = await person.type('status');
  for (const name of ['linked.jsonl', 'projects/linked', 'passwd.jsonl'])
    expect(checked.out).toContain(name);
});
