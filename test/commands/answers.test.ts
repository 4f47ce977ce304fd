/**
 * What commands say at their end is what a person asked: nothing cut, counted twice or named by an
 * id alone.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { says } from '../jobs/made-log.js';
import { setStage } from '../stage.js';

const idOf = (digit: number): string => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;

test('a run that is interrupted says how many logs are left', async () => {
  const stage = setStage();
  for (const digit of [1, 2, 3])
    stage.log({ session: idOf(digit), cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
      says('hello'),
    ]);
  stage.stop.abort();
  expect(await stage.type('run')).toMatchObject({
    code: 130,
    err: expect.stringContaining('interrupted, 3 logs left') as string,
  });
});

test('HOME= is refused: the folder of the command would be taken for it', async () => {
  const stage = setStage();
  const io = { ...stage.io(), env: { HOME: '' } };
  const { main } = await import('../../src/commands/main.js');
  let err = '';
  expect(await main(['status'], { ...io, err: (text) => void (err += text) })).toBe(2);
  expect(err).toContain('HOME is set and empty');
});
