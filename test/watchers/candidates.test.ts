import { expect, test } from 'vitest';
import { join } from 'node:path';
import { looksLikeSession } from '../../src/agents/index.js';
import { findCandidates } from '../../src/watchers/index.js';
import { tempFolder } from './temp.js';

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const said = (role: string, n: number) =>
  line({ role, content: `text ${n}`, cwd: '/home/ana/shop', timestamp: `2026-11-02T08:00:0${n}Z` });
const session = said('user', 1) + said('assistant', 2) + said('user', 3);

test('folders whose JSON lines look like sessions are found, known ones and other data are not', () => {
  const home = tempFolder({
    '.newagent/sessions/2026/a.jsonl': session,
    '.local/share/other/chats/b.jsonl': session,
    '.claude/projects/x/c.jsonl': session,
    '.dripstone/inbox/d.jsonl': session,
    '.metrics/e.jsonl': line({ type: 'metric', value: 1 }) + line({ type: 'metric', value: 2 }),
    '.npm/f.jsonl': session,
    'work/repo/g.jsonl': session,
  });
  const known = [join(home, '.claude/projects'), join(home, '.dripstone')];
  expect(findCandidates(home, known, looksLikeSession)).toEqual([
    { path: join(home, '.newagent'), files: 1 },
    { path: join(home, '.local/share/other'), files: 1 },
  ]);
});

test('what looks like a session has somebody who asks and another sign', () => {
  const records = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each) as unknown);
  expect(looksLikeSession(records(session))).toBe(true);
  expect(looksLikeSession(records(said('assistant', 1) + said('assistant', 2)))).toBe(false);
  expect(
    looksLikeSession([
      { level: 'info', time: 1793600000, msg: 'a' },
      { level: 'info', time: 1793600001, msg: 'b' },
    ]),
  ).toBe(false);
  expect(looksLikeSession([null, 7, 'x', []])).toBe(false);
});
