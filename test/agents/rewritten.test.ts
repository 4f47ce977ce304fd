import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cline } from '../../src/agents/cline.js';
import { geminiCli } from '../../src/agents/gemini.js';
import { qwenCode } from '../../src/agents/qwen.js';
import type { Adapter } from '../../src/types.js';
import { fold, shorten } from './fold.js';

const home = join(import.meta.dirname, '../fixtures');
const read = (path: string): string => readFileSync(join(home, path), 'utf8');
const lines = (path: string): unknown[] =>
  read(path)
    .trimEnd()
    .split('\n')
    .filter((line) => !line.includes('}{'))
    .map((line) => JSON.parse(line) as unknown);

const CHATS = 'gemini-cli/.gemini/tmp/shop/chats/session-2026-05-02T08-00-9e010000.jsonl';
const PROJECTS =
  'qwen-code/.qwen/projects/-home-ana-shop/chats/7e010000-0000-4000-8000-000000000001.jsonl';
const TASKS =
  'cline/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1770000000000/ui_messages.json';

/** What a reader holds who has looked after every growth: by id, the last text wins. */
function looks(
  adapter: Adapter,
  relative: string,
  contents: unknown[][],
): Map<string | null, unknown> {
  const held = new Map<string | null, unknown>();
  for (const content of contents) {
    const records = (adapter.unfold?.(content, { relative }) ?? []).map((value, at) => ({
      value,
      line: at + 1,
    }));
    for (const raw of fold(adapter, { relative }, records).rawEntries)
      held.set(raw.native, { ...shorten(raw), line: 0 });
  }
  return held;
}

test.each([
  ['Gemini CLI', geminiCli as Adapter, 'tmp/shop/chats/session.jsonl', lines(CHATS)],
  ['Qwen Code', qwenCode as Adapter, 'projects/p/chats/s.jsonl', lines(PROJECTS)],
  [
    'Cline',
    cline as Adapter,
    'tasks/1770000000000/ui_messages.json',
    JSON.parse(read(TASKS)) as unknown[],
  ],
])(
  '%s: looking at every growth of a log that is rewritten holds what one look at its end holds',
  (_, adapter, relative, all) => {
    const growing = all.map((__, at) => all.slice(0, at + 1));
    const once = looks(adapter, relative, [all]);
    expect(once.size).toBeGreaterThan(5);
    expect(new Map([...looks(adapter, relative, growing)].sort())).toEqual(
      new Map([...once].sort()),
    );
  },
);
