import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aider } from '../../src/agents/aider.js';
import { fold } from './fold.js';

const path = join(import.meta.dirname, '../fixtures/aider/named/.aider.chat.history.md');

/** Entries by what makes their ids: role and text, each the n-th of its kind. */
function entriesOf(text: string): string[] {
  const records = (aider.unfold!(text, { relative: 'x.md' }) ?? []).map((value, index) => ({
    value,
    line: index + 1,
  }));
  const seen = new Map<string, number>();
  return fold(aider, { relative: 'x.md' }, records).rawEntries.map(({ role, text: said }) => {
    const key = `${role}\0${said}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return `${key}\0${seen.get(key)!}`;
  });
}

test('a history that grows keeps its entries: what the program has appended never becomes another one', () => {
  const lines = readFileSync(path, 'utf8').split('\n');
  const whole = entriesOf(lines.join('\n'));
  // The program appends its own words, prompts and answers each at once: it is never seen between
  // two lines of one.
  const cuts = lines.flatMap((line, at) =>
    line.endsWith('  ') && !/^####|^\S.*\S$/.test(lines[at + 1] ?? '') ? [at + 1] : [],
  );
  expect(cuts.length).toBeGreaterThan(10);
  for (const cut of cuts) {
    const grown = entriesOf(`${lines.slice(0, cut).join('\n')}\n`);
    expect(whole.slice(0, grown.length)).toEqual(grown);
  }
});

test('half a line waits', () => {
  expect(
    entriesOf('# aider chat started at 2026-06-24 10:11:12\n\n#### use tabs  \n\nYes, ta'),
  ).toEqual([`user\0use tabs\0${1}`]);
});

test.each([
  ['it answers', 'Tabs it is.', ['Tabs it is.']],
  ['it was stopped', '', []],
])('what a model thinks is no answer: %s', (_, said, answers) => {
  const tag = `thinking-content-${'a1'.repeat(16)}`;
  const thought = `<${tag}>\n\nThe user wants tabs.${said === '' ? '' : `\n\n</${tag}>\n\n${said}`}`;
  const entries = entriesOf(
    `# aider chat started at 2026-06-24 10:11:12\n\n#### use tabs  \n\n${thought}\n`,
  );
  expect(entries).toContain(`thinking\0The user wants tabs.\0${1}`);
  expect(entries.filter((each) => each.startsWith('assistant'))).toEqual(
    answers.map((each) => `assistant\0${each}\0${1}`),
  );
});
