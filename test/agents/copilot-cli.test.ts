import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/watchers/index.js';
import { createSplitter } from '../../src/watchers/split-lines.js';
import { copilotCli } from '../../src/agents/copilot-cli.js';
import { fold } from './fold.js';

const event = (id: string, content: string): string =>
  JSON.stringify({ type: 'user.message', id, data: { content } });

function typed(bytes: string): { prompts: string[]; bad: number } {
  const splitter = createSplitter({ offset: 0, line: 0, midLine: false });
  const lines = [...splitter.push(Buffer.from(bytes))].map((line) => ({
    line: line.line,
    ...parseLine(line),
  }));
  const records = lines.flatMap(({ line, values }) => values.map((value) => ({ value, line })));
  const { rawEntries } = fold(copilotCli, { relative: 'a.jsonl' }, records);
  return {
    prompts: rawEntries.map((raw) => raw.text),
    bad: lines.filter((line) => line.bad !== null).length,
  };
}

describe('broken lines of the Copilot CLI', () => {
  test('a raw line separator inside a text ends no line', () => {
    expect(typed(`${event('1', 'one\u2028two')}\n${event('2', 'three')}\n`)).toEqual({
      prompts: ['one\u2028two', 'three'],
      bad: 0,
    });
  });

  test('two events glued on one line are two', () => {
    expect(typed(`${event('1', 'one')}${event('2', 'two')}\n`)).toEqual({
      prompts: ['one', 'two'],
      bad: 0,
    });
  });

  test('an event glued behind a torn one is read, and the torn one counted', () => {
    expect(
      typed(`${event('1', 'one').slice(0, -9)}${event('2', 'two')}\n${event('3', 'three')}\n`),
    ).toEqual({ prompts: ['two', 'three'], bad: 1 });
  });

  test('NUL bytes of a power loss cost nothing but a count', () => {
    expect(typed(`${event('1', 'one')}\n\0\0\0\0\0${event('2', 'two')}\n`)).toEqual({
      prompts: ['one', 'two'],
      bad: 1,
    });
  });
});
