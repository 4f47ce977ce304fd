/**
 * What hooks told comes back in logs, beside a result or at its end: it is known there, and proves
 * nothing.
 */
import { beforeEach, expect, test } from 'vitest';
import { createAnswers } from '../../src/hooks/answers.js';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import { CURE, CWD, ERROR, curedHome, failedCommand } from './home.js';
import { type Stage, daemonApp } from '../stage.js';
import { shell } from '../jobs/made-log.js';

let stage: Stage;
let told: string;
beforeEach(async () => {
  stage = await curedHome();
  const app = await daemonApp(stage);
  const payload = failedCommand('b2');
  const reply = await createAnswers(app)(askedBy('claude-code', payload));
  await app[Symbol.asyncDispose]();
  const { hookSpecificOutput } = JSON.parse(printedFor('claude-code', payload, reply!).out) as {
    hookSpecificOutput: { additionalContext: string };
  };
  told = hookSpecificOutput.additionalContext;
  expect(told).toContain(CURE);
});

const attached = (text: string) => ({
  records: [
    {
      type: 'attachment',
      attachment: {
        ...{
          type: 'hook_additional_context',
          content: [text],
          hookName: 'PostToolUseFailure:Bash',
        },
        ...{ toolUseID: 'toolu_1', hookEvent: 'PostToolUseFailure' },
      },
    },
  ],
});

test.each([
  ['as an attachment', () => [shell('pnpm test:broker', ERROR, 1), attached(told)]],
  [
    'at the end of the result',
    () => [shell('pnpm test:broker', `${ERROR}\n\n<hook_context>${told}</hook_context>`, 1)],
  ],
])('%s', async (_, turns) => {
  stage.log({ session: 'b2', cwd: CWD, day: '2026-11-20' }, turns());
  await stage.type('run');
  expect(await stage.rows(`SELECT DISTINCT error FROM errors WHERE session = 'b2'`)).toEqual(
    await stage.rows(`SELECT DISTINCT error FROM errors WHERE session = 'a1'`),
  );
  expect(await stage.rows(`SELECT text FROM prompts WHERE session = 'b2'`)).toEqual([]);
  expect(
    await stage.rows(
      `SELECT fact FROM facts WHERE session = 'b2' AND fact IN ('changed', 'before', 'edited', 'absent')`,
    ),
  ).toEqual([]);
  expect(
    await stage.rows(
      `SELECT DISTINCT origin FROM entries WHERE session = 'b2' AND starts_with(trim(text), 'Notes from')`,
    ),
  ).toEqual(turns().length === 1 ? [] : [{ origin: 'injected' }]);
});
