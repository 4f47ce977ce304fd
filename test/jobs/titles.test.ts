/** What a session is called. */
import { expect, test } from 'vitest';
import { begunStage } from '../stage.js';
import { answers, claudeLog, says } from './made-log.js';

const CWD = '/home/mira/code/kettle';
const PROMPTS: Readonly<Record<string, string>> = {
  aaaa1111: 'Remember: the pump starts before the boiler',
  bbbb2222:
    'Look at [the plan of the pump](https://docs.example/plan) with @src/pump.ts <b>first</b>',
  cccc3333: 'https://docs.example/issue/7 why does the boiler stop?',
};

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (stage) => {
  for (const [session, prompt] of Object.entries(PROMPTS))
    stage.put(
      `.claude/projects/-home-mira-code-kettle/${session}.jsonl`,
      claudeLog({ session, cwd: CWD, day: '2026-11-19' }, [says(prompt), answers('It is done.')]),
    );
  stage.put(
    `.claude/projects/-home-mira-code-kettle/dddd4444.jsonl`,
    claudeLog({ session: 'dddd4444', cwd: CWD, day: '2026-11-18' }, [
      says('**Remember:** the lid opens to the left'),
      answers('Noted.'),
      says('Draw the lid anew'),
      answers('It is drawn.'),
    ]),
  );
  await stage.type('run');
});

test('a title is the first request without links, tags and mentions; one that only asks to remember has its line', async () => {
  const stage = await begun();
  const page = (await stage.type('context', '--project', 'kettle')).out;
  const titles = new Map(
    [...page.matchAll(/^\* \S+ \S+ `(\w+)`: (.*)$/gm)].map(([, id, title]) => [id, title]),
  );
  expect(Object.fromEntries(titles)).toEqual({
    aaaa1111: 'Remember: the pump starts before the boiler',
    bbbb2222: 'Look at the plan of the pump with first',
    cccc3333: 'why does the boiler stop?',
    dddd4444: 'Draw the lid anew',
  });
});
