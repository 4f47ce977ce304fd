/** A session as the page gets it: clipped texts, its lessons, the line that resumes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Known, type Stage, type Web, openWeb, setStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';

const SESSION = '44444444-4444-4444-8444-444444444444';
const OF = `agent=claude-code&session=${SESSION}`;
const LATER = '77777777-7777-4777-8777-777777777777';
const LONG = `${'one two three '.repeat(3000)}the Übermut at its end`;

let stage: Stage;
let web: Web;

beforeAll(async () => {
  stage = setStage();
  stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
    says('Please boil the red kettle'),
    shell('boil --kettle red', 'it steams', 0),
    answers(LONG),
    says('And the blue KETTLE, 100%'),
  ]);
  const later = (session: string, text: string): void =>
    void stage.log({ session, cwd: '/home/ann/kettle', day: '2026-11-12' }, [
      says('Remember: Always descale it in May'),
      says(`Remember: ${text}`),
      answers('Noted.'),
    ]);
  later(LATER, 'Never boil milk in it');
  later('88888888-8888-4888-8888-888888888888', 'Always close the lid');
  expect((await stage.type('run')).code).toBe(0);
  web = openWeb(stage);
});
afterAll(async () => {
  await web?.close();
});

const view = async (path: string): Promise<Known> => (await web.page('GET', `/${path}`)).body;
test('of a text that is cut the number of its characters is told', async () => {
  const { entries } = await view(`session?${OF}`);
  const cut = (entries as Known[]).find(({ length }) => length > 30_000)!;
  expect([cut['text'].length, cut['length']]).toEqual([30_000, LONG.length]);
});
