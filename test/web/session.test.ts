/** What a server keeps from answer to answer: nothing of what it answered. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { Session } from '../../src/web/session.js';
import { setStage } from '../commands/stage.js';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

test('no answer, read or written, stays in memory once it was given', async () => {
  const stage = setStage();
  onTestFinished(() => stage.remove());
  await using session = new Session(stage.io());
  const answered = async (kind: 'read' | 'write'): Promise<WeakRef<object>> =>
    new WeakRef(await session[kind](() => Promise.resolve({ large: 'answer' })));
  const answers = [await answered('read'), await answered('read'), await answered('write'), await answered('read')];
  await session.read(() => Promise.resolve(null));
  await session.write(() => Promise.resolve(null));
  await turn();
  collect();
  expect(answers.map((answer) => answer.deref())).toEqual(answers.map(() => undefined));
});

test('the end waits for what was asked before, and refuses what is asked later', async () => {
  const stage = setStage();
  onTestFinished(() => stage.remove());
  const session = new Session(stage.io());
  const ended: string[] = [];
  const asked = session.read(async () => {
    await turn();
    ended.push('answer');
  });
  const closed = session[Symbol.asyncDispose]().then(() => ended.push('end'));
  await expect(session.read(() => Promise.resolve())).rejects.toMatchObject({ code: 'ENDED' });
  await Promise.all([asked, closed]);
  expect(ended).toEqual(['answer', 'end']);
});
