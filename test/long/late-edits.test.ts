/**
 * What a person did after the crystal was last written holds when the same logs are read by another
 * extractor.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { type Stage, begunStage } from '../stage.js';
import { says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (first) => {
  first.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-18' }, [
    says('Remember: Always indent the recipes with tabs, never with spaces.'),
    says('Remember: Never push to main directly.'),
    says('Remember: Always run the kettle tests with `make brew` here, never with npm.'),
  ]);
  expect((await first.type('run')).code).toBe(0);
});
let stage: Stage;

function crystal(): string {
  return join(stage.folder('kettle'), 'crystal.json');
}

/**
 * The same sentences under other ids and words, as a newer extractor tells them; then all lessons
 * are computed.
 */
async function tellOtherwise(): Promise<void> {
  const app = await createApp({ ...stage.io(), access: 'write' });
  const changed = await app.store.write((db) =>
    db.run(
      `UPDATE own.candidates SET payload = json_merge_patch(payload, json_object('key', 'anew ' || (payload->>'$.key'), 'text', 'Anew: ' || (payload->>'$.text')))::VARCHAR`,
    ),
  );
  expect(changed).toBeGreaterThan(0);
  await app[Symbol.asyncDispose]();
  expect((await stage.type('run', '--only', 'decay,context')).code).toBe(0);
}

test.each([
  ['the crystal is the one from before', (before: string) => writeFileSync(crystal(), before)],
  ['there is none', () => rmSync(crystal())],
])('%s', async (_, put) => {
  stage = await begun();
  const before = readFileSync(crystal(), 'utf8');
  const all = await stage.lessons('--project', 'all');
  const idOf = (word: string): string => all.find(({ text }) => text.includes(word))!.id;
  await stage.type('lessons', 'forget', idOf('tabs'));
  await stage.type('lessons', 'pin', idOf('push'));
  await stage.type('lessons', 'edit', idOf('brew'), 'Brew with make, not npm');
  put(before);
  await tellOtherwise();
  const after = await stage.lessons('--project', 'all');
  const texts = after.map(({ text }) => text).join('\n');
  expect(texts).not.toContain('tabs');
  expect(after.filter(({ text }) => text.includes('push'))).toMatchObject([{ pinned: true }]);
  expect(texts).toContain('Brew with make, not npm');
  expect(texts).not.toContain('kettle tests');
  // Once more, from what was stored of it.
  expect((await stage.type('run', '--only', 'decay,crystallize,context')).code).toBe(0);
  expect(await stage.lessons('--project', 'all')).toEqual(after);
});
