import { describe, expect, test } from 'vitest';
import { extractUserSentences } from '../../src/extract/sentences.js';
import { answered, sessionOf, typed } from './session-of.js';

const settled = (question: string, answer: string) =>
  extractUserSentences(sessionOf([answered(question), typed(answer)])).filter((one) => one.tags.includes('picked')).map((one) => one.text);

describe('a short answer takes its words from the question', () => {
  test.each([
    ['Should I use pnpm or npm for the workspaces?', 'pnpm', 'Use pnpm instead of npm for the workspaces'],
    ['The lock file is stale. Should we use `vitest` or `jest`?', 'the second', 'Use `jest` instead of `vitest`'],
    ['Do you want me to store times in UTC or local time?', 'UTC please', null],
    ['Do you want me to store times in UTC or local time?', 'UTC', 'Store times in UTC instead of local time'],
    ['Which package manager should we use in the docs?', 'use yarn', 'Use yarn as the package manager in the docs'],
    ['Which zone should forecasts be stored in?', 'UTC', 'Forecasts should be stored in UTC'],
    ['There are two ways. Which language should error messages be written in?', 'German', 'Error messages should be written in German'],
    ['Do you want me to always run `make lint` before a push?', 'yes', 'Always run `make lint` before a push'],
  ])('%s %s', (question, answer, text) => {
    expect(settled(question, answer)).toEqual(text === null ? [] : [text]);
  });

  test.each([
    ['Should I use pnpm or npm?', 'what is the difference?'],
    ['Should I use pnpm or npm?', 'neither'],
    ['Should I use pnpm or npm? And which Node version?', 'npm'],
    ['Which title should we use?', 'Fix the cart'],
    ['Which branch should we use?', 'main'],
    ['Which branch should this be merged to?', 'main'],
    ['Should I use a new file or the current one for now?', 'the first'],
    ['Should I push?', 'yes'],
  ])('unclear or of this task only: %s %s', (question, answer) => {
    expect(settled(question, answer)).toEqual([]);
  });

  test('an answer to a tool that asks; question and answer are quoted', () => {
    const asking = { role: 'tool_call' as const, origin: 'agent' as const, tool: 'AskUserQuestion', text: 'Should we use `uv` or `poetry` for the scripts?\nuv | poetry' };
    const [one] = extractUserSentences(sessionOf([typed('set up the scripts'), asking, typed('uv', { marks: ['question'] })])).filter((c) => c.tags.includes('picked'));
    expect(one).toMatchObject({ text: 'Use `uv` instead of `poetry` for the scripts', saidBy: 'user', alone: false });
    expect(one?.evidence.quote).toBe('uv (to: Should we use `uv` or `poetry` for the scripts?)');
  });
});

describe('rules in other shapes', () => {
  const said = (text: string) => extractUserSentences(sessionOf([answered('Done.'), typed(text)])).filter((one) => one.alone).map((one) => one.text);

  test.each([
    ['if a job fails, always exit with 1', 'If a job fails, always exit with 1'],
  ])('%s', (text, rule) => {
    expect(said(text)).toEqual([rule]);
  });

  test('a review asked for by what it has to find waits for a second session', () => {
    const text = "can you check the new fixtures that they don't repeat each other, are not random and stay small?";
    expect(extractUserSentences(sessionOf([answered('Done.'), typed(text)])).map((one) => [one.text, one.alone])).toEqual([["Check the new fixtures that they don't repeat each other, are not random and stay small", false]]);
  });

  test.each(['can you check that the new fixtures are there?', 'review the cart please', 'if a job fails, tell me'])('a task: %s', (text) => {
    expect(said(text)).toEqual([]);
  });
});
