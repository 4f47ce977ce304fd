/** What the page is told of sessions: where words are, and the session to take away. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setStage, type Stage } from '../commands/stage.js';
import { answers, claudeLog, says, shell } from '../jobs/made-log.js';
import { openWeb, type Known, type Web } from './stage.js';

const SESSION = '44444444-4444-4444-8444-444444444444';
const OF = `agent=claude-code&session=${SESSION}`;
const LATER = '77777777-7777-4777-8777-777777777777';
const LONG = `${'one two three '.repeat(2000)}the Übermut at its end`;

let stage: Stage;
let web: Web;

beforeAll(async () => {
  stage = setStage();
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says('Please boil the red kettle'),
      shell('boil --kettle red', 'it steams', 0),
      answers(LONG),
      says('And the blue KETTLE, 100%'),
    ]),
  );
  const later = (session: string, text: string): void =>
    void stage.put(
      `.claude/projects/-home-ann-kettle/${session}.jsonl`,
      claudeLog({ session, cwd: '/home/ann/kettle', day: '2026-11-12' }, [
        says('Remember: Always descale it in May'),
        says(`Remember: ${text}`),
        answers('Noted.'),
      ]),
    );
  later(LATER, 'Never boil milk in it');
  later('88888888-8888-4888-8888-888888888888', 'Always close the lid');
  expect((await stage.type('run')).code).toBe(0);
  web = openWeb(stage);
});
afterAll(async () => {
  await web?.close();
  stage?.remove();
});

const view = async (path: string): Promise<Known> => (await web.page('GET', `/view/${path}`)).body;
const textsWith = async (words: string): Promise<string[]> => {
  const { entries } = await view(`session?${OF}`);
  const found = (await view(`found?${OF}&words=${encodeURIComponent(words)}`))['entries'] as {
    id: string;
    place: number;
  }[];
  return found.map(({ id, place }) => {
    expect(entries[place].id).toBe(id);
    return (entries[place].text ?? entries[place].command) as string;
  });
};

test('all words must be there, in any case, in text or command, and each is a text, not a pattern', async () => {
  expect(await textsWith('kettle')).toEqual([
    'Please boil the red kettle',
    'boil --kettle red',
    'And the blue KETTLE, 100%',
  ]);
  expect(await textsWith('RED kettle boil')).toEqual([
    'Please boil the red kettle',
    'boil --kettle red',
  ]);
  expect(await textsWith('übermut')).toHaveLength(1);
  expect(await textsWith('0%')).toEqual(['And the blue KETTLE, 100%']);
  for (const words of ['_ettle', "kettle' OR '1'='1", 'nowhere'])
    expect(await textsWith(words)).toEqual([]);
});

test('of a text that is cut the number of its characters is told', async () => {
  const { entries } = await view(`session?${OF}`);
  const cut = (entries as Known[]).find(({ length }) => length > 8000)!;
  expect([cut['text'].length, cut['length']]).toEqual([8000, LONG.length]);
});

test('the Markdown is what the command prints, and so is the line that resumes the session', async () => {
  const { text } = await view(`markdown?${OF}`);
  const { resume, folder } = await view(`session?${OF}`);
  await web.rest();
  expect(text).toBe((await stage.type('sessions', 'show', SESSION, '--markdown')).out);
  const told = (await stage.type('sessions', 'show', SESSION, '--json')).json<{
    resume: string;
    session: { cwd: string };
  }>();
  expect([resume, folder]).toEqual([told.resume, told.session.cwd]);
  expect(resume).toBe(`claude --resume ${SESSION}`);
  expect((await web.page('GET', '/view/markdown?agent=claude-code&session=nobody')).status).toBe(
    404,
  );
});

test('lessons that rest on a session are named', async () => {
  const { lessons } = await view(`learnt?agent=claude-code&session=${LATER}`);
  expect((lessons as Known[]).map(({ text }) => text as string).sort()).toEqual([
    'Always descale it in May',
    'Never boil milk in it',
  ]);
  expect((await view('learnt?agent=codex&session=nobody'))['lessons']).toEqual([]);
});
