/** Edits in any order leave, once the logs are learnt from again, what learning with them gives. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { applyEdit } from '../../src/jobs/learning/edit.js';
import {
  planAdd,
  planApart,
  planForget,
  planPin,
  planReword,
  planUndo,
} from '../../src/lessons/index.js';
import { addNewEdits, markDirty } from '../../src/store/index.js';
import type { Edit } from '../../src/types.js';
import { answers, says, shell } from '../jobs/made-log.js';
import { seeded } from '../redact/made-up.js';
import { type Stage, begunStage } from '../stage.js';

const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  const passes = shell('pytest', 'ok, 12 passed', 0);
  const sessions = [
    [says('Remember: Always warm the pot before you brew, never after.'), passes],
    [
      says('Remember: Always warm the pot before you brew the tea, never after.'),
      passes,
      answers('Done. Remember: The lid of the kettle has 4 screws.'),
    ],
    [
      says('Remember: Never use vinegar in the boiler.'),
      answers('Remember: The lid of the kettle has 3 screws.'),
    ],
  ];
  for (const [n, turns] of sessions.entries()) {
    const session = '11111111-1111-4111-8111-111111111111'.replaceAll('1', String(n + 1));
    stage.log({ session, cwd: '/home/ann/kettle', day: `2026-11-1${n}` }, turns);
  }
  expect((await stage.type('run')).code).toBe(0);
});

/** Every file that is written for agents and people, by its path. */
function files(stage: Stage): Record<string, string> {
  const names = readdirSync(stage.stone, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(md|json)$/.test(name),
  );
  return Object.fromEntries(
    names.filter((name) => /^(projects|global)/.test(name)).map((name) => [name, stage.read(name)]),
  );
}
test('in any order, then learnt: the same bytes as learning with the edits', async () => {
  const random = seeded(1);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const first = await begun();
  const owner = await first.ask((db) =>
    db.all<{ id: string; slug: string }>('SELECT id, slug FROM own.projects'),
  );
  const kettle = owner.find(({ slug }) => slug.startsWith('kettle-'))!.id;
  const ids = (await first.lessons('--project', 'all', '--all'))
    .filter(({ project }) => project?.startsWith('kettle-'))
    .map(({ id }) => id);
  const words = [
    'Never warm the pot before you brew.',
    'The lid of the kettle has 5 screws.',
    'Never use vinegar in a boiler.',
  ];
  const edits: Edit[] = [];
  for (let n = 0; n < 14; n++) {
    const time = `2026-11-20T1${n % 2}:${String(10 + n)}:00.000Z`;
    const all = [
      ...ids,
      ...edits.filter(({ action }) => action === 'add').map(({ lesson }) => lesson),
    ];
    const edit = oneOf<() => Edit | null>([
      () => planAdd(kettle, 'gotcha', oneOf(words), time),
      () => planReword(oneOf(all), oneOf(words), null, time),
      () => planPin(oneOf(all), random() < 0.7, time),
      () => planForget(oneOf(all), time),
      () => planApart(oneOf(all), oneOf(all), time),
      () => planUndo(edits, time),
      () => ({ ...planAdd(kettle, 'fact', oneOf(words), time), author: 'claude-code' }),
    ])();
    if (edit !== null) edits.push(edit);
  }
  const finished = async (stage: Stage, work: (app: App) => Promise<unknown>) => {
    {
      await using app = await createApp({ ...stage.io(), access: 'write' });
      await work(app);
    }
    const before = files(stage);
    expect((await stage.type('run')).code).toBe(0);
    expect((await stage.type('crystallize')).code).toBe(0);
    return { before, after: files(stage) };
  };
  const stepwise = await finished(first, async (app) => {
    for (const edit of edits) await applyEdit(app, edit, kettle, edit.time);
  });
  const second = await begun();
  const whole = await finished(second, (app) =>
    app.store.write(async (db) => {
      await addNewEdits(db, kettle, edits);
      await markDirty(db, [kettle]);
    }),
  );
  expect(stepwise.after).toEqual(whole.after);
  // What the person read at once is what stays.
  const pages = (all: Record<string, string>) =>
    Object.entries(all).filter(([name]) => name.endsWith('.md'));
  expect(pages(stepwise.before)).toEqual(pages(whole.after));
});
