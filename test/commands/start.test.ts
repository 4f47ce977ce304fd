/** Between two turns of a daemon whose config was edited another process may have the home. */
import { expect, test } from 'vitest';
import { openPatiently } from '../../src/commands/start.js';
import { AppError } from '../../src/errors.js';

const failing = (exitCode: 11 | 12) => new AppError('X', 'held', { exitCode });

test('a daemon that begins anew waits for a command that took the home meanwhile', async () => {
  let tries = 0;
  const open = (): Promise<string> =>
    ++tries < 3 ? Promise.reject(failing(11)) : Promise.resolve('open');
  expect(await openPatiently(open, new AbortController().signal, 1)).toBe('open');
  expect(tries).toBe(3);
});

test('it ends when it is stopped, or when another daemon has the home', async () => {
  const stop = new AbortController();
  const busy = (): Promise<string> => {
    stop.abort();
    return Promise.reject(failing(11));
  };
  expect(await openPatiently(busy, stop.signal, 60_000)).toBeNull();
  await expect(
    openPatiently(() => Promise.reject(failing(12)), new AbortController().signal, 1),
  ).rejects.toMatchObject({ exitCode: 12 });
});
