/** What a server keeps from answer to answer: nothing of what it answered. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { App } from '../../src/app.js';
import { Session } from '../../src/web/session.js';
import { samplesStage } from '../commands/begun-stage.js';
import { testStage } from '../commands/test-stage.js';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

test('no answer stays in memory once it was given', async () => {
  const stage = testStage();
  await using session = new Session(stage.io());
  const answered = async (): Promise<WeakRef<object>> =>
    new WeakRef(await session.read(() => Promise.resolve({ large: 'answer' })));
  const answers = [await answered(), await answered(), await answered()];
  await session.read(() => Promise.resolve(null));
  await turn();
  collect();
  expect(answers.map((answer) => answer.deref())).toEqual(answers.map(() => undefined));
});

test('a changed config.yaml takes the database from nobody who still reads, and the next one reads with it', async () => {
  const stage = await samplesStage();
  await using session = new Session(stage.io());
  let [enter, leave] = [(): void => {}, (): void => {}];
  const [entered, mayLeave] = [
    new Promise<void>((go) => (enter = go)),
    new Promise<void>((go) => (leave = go)),
  ];
  const count = (app: App) =>
    app.store.read((db) => db.all('SELECT count(*)::INT AS n FROM own.entries'));
  const long = session.read(async (app) => {
    enter();
    await mayLeave;
    return count(app);
  });
  await entered;
  writeFileSync(
    join(stage.stone, 'config.yaml'),
    'embed: {enabled: false}\ncontext: {budget_tokens: 1234}\n',
  );
  const next = [0, 1, 2].map(() =>
    session.read(async (app) => [app.config.context.budget_tokens, await count(app)]),
  );
  await turn();
  leave();
  const counted = await long;
  expect(counted).not.toEqual([{ n: 0 }]);
  expect(await Promise.all(next)).toEqual([0, 1, 2].map(() => [1234, counted]));
});

test('the end waits for what was asked before, and refuses what is asked later', async () => {
  const stage = testStage();
  const session = new Session(stage.io());
  const ended: string[] = [];
  const asked = session.read(async () => {
    await turn();
    ended.push('answer');
  });
  const closed = session[Symbol.asyncDispose]().then(() => ended.push('end'));
  const late = session
    .read(() => Promise.resolve())
    .catch(({ code }: { code: string }) => ended.push(code));
  await Promise.all([asked, closed, late]);
  expect(ended).toEqual(['answer', 'end', 'ENDED']);
});
