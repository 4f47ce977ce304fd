/**
 * The socket between hooks and the daemon: whatever comes or does not come, a hook is silent soon
 * and the daemon stays up.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, MOST_ASKED, PATIENCE_MS, type Answer, type MomentRequest } from '../../src/wire.js';
import { serveMoments } from '../../src/hooks/moments.js';
import { listen, prepareSocket } from '../../src/socket/server.js';
import { testFolder } from '../folder.js';

const ASKED: MomentRequest = {
  ...{ version: 1, ask: 'recall', type: 'failure', text: 'make', output: 'no rule' },
  ...{ cwd: '/w', session: 's', agent: 'claude-code' },
};
/** Where an answer is expected, a slow machine must not fail a test; in milliseconds. */
const PATIENT = 60_000;
const uid = process.getuid!();
let home: string;
let path: string;
let open: { close(): unknown }[];
beforeEach(() => {
  home = testFolder();
  path = join(home, 'daemon.sock');
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: process.pid, socket: path }));
  open = [];
});
afterEach(async () => {
  for (const each of open) await each.close();
});

interface Serving {
  counts: { answered: number; skipped: number };
  ended: boolean[];
  faults: unknown[];
}
async function serve(
  answer: Answer = async () => ({ text: 'x', ended: () => {} }),
): Promise<Serving> {
  const serving: Serving = { counts: { answered: 0, skipped: 0 }, ended: [], faults: [] };
  const noting: Answer = async (request) => {
    const reply = await answer(request);
    return reply && { ...reply, ended: (isPrinted) => void serving.ended.push(isPrinted) };
  };
  open.push(
    await listen(
      path,
      { recall: serveMoments(noting, serving.counts) },
      (error) => void serving.faults.push(error),
    ),
  );
  return serving;
}

/** Sends bytes and @returns what came back until the connection ended. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let back = '';
    const socket = connect(path, () => socket.write(bytes));
    socket.on('data', (part) => (back += part.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(back));
  });
}

test('a request is answered, and counts as told once the hook says that it printed the answer', async () => {
  let got: unknown;
  const serving = await serve(async (request) => {
    got = request;
    return { text: 'two\nlines', ended: () => {} };
  });
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  const heard = await ask(home, ASKED, PATIENT);
  expect([heard?.text, got, serving.ended]).toEqual(['two\nlines', ASKED, []]);
  heard!.printed();
  await expect.poll(() => serving.ended).toEqual([true]);
  expect(serving.counts).toEqual({ answered: 1, skipped: 0 });
  expect(await send(`${JSON.stringify(ASKED)}\n`.repeat(2))).toBe(
    '{"version":1,"text":"two\\nlines"}\n',
  );
});

test('a refusal comes over as one, and nothing else does', async () => {
  const replies = [{ deny: true }, { deny: false }, {}];
  await serve(async () => ({ text: 'x', ended: () => {}, ...replies.shift() }));
  const heard: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    const each = await ask(home, ASKED, PATIENT);
    each?.printed();
    heard.push(each?.deny);
  }
  expect(heard).toEqual([true, false, false]);
});

test('a hook waits 150 ms at most', () => expect(PATIENCE_MS).toBeLessThanOrEqual(150));

describe('silence', () => {
  const asked = async (): Promise<[text: string | undefined, ms: number]> => {
    const begun = process.hrtime.bigint();
    const heard = await ask(home, ASKED);
    return [heard?.text, Number(process.hrtime.bigint() - begun) / 1e6];
  };

  test('without a daemon, with the socket of a killed one, and with a broken daemon.json', async () => {
    expect(await ask(join(home, 'none'), ASKED)).toBeNull();
    expect(await ask(home, ASKED)).toBeNull();
    const killed = createServer().listen(path);
    await new Promise((resolve) => killed.once('listening', resolve));
    // As after kill -9: the name stays, and nobody listens.
    mkdirSync(join(home, 'kept'));
    const stale = join(home, 'kept/stale.sock');
    linkSync(path, stale);
    killed.close();
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ socket: stale }));
    expect(lstatSync(stale).isSocket()).toBe(true);
    expect(await ask(home, ASKED)).toBeNull();
    for (const text of ['', '{', '[]', '{"socket":7}', '{"socket":"daemon.sock"}']) {
      writeFileSync(join(home, 'daemon.json'), text);
      expect(await ask(home, ASKED), text).toBeNull();
    }
  });

  test('of a daemon that takes the request and never answers ends after the patience', async () => {
    open.push(createServer(() => {}).listen(path));
    const [text, ms] = await asked();
    expect(text).toBeUndefined();
    expect(ms).toBeGreaterThan(140);
  });

  test('of a daemon that thinks too long: it lets the request go, and nothing counts as told', async () => {
    let answerNow: () => void = () => {};
    const serving = await serve(
      () =>
        new Promise((resolve) => {
          answerNow = () => resolve({ text: 'late', ended: () => {} });
        }),
    );
    expect((await asked())[0]).toBeUndefined();
    answerNow();
    await expect.poll(() => serving.ended).toEqual([false]);
    expect(serving.counts).toEqual({ answered: 0, skipped: 1 });
  });

  test.each([
    ['no JSON', '{"version":1,\n'],
    ['half a line', '{"version":1'],
    ['more than a request may hold', `"${'x'.repeat(2 * MOST_ASKED)}`],
    ['bytes', '\u0000\u0001\n'],
  ])('to %s, and the next request is answered', async (_, bytes) => {
    const serving = await serve();
    expect(await send(bytes)).toBe('');
    expect((await ask(home, ASKED, PATIENT))?.text).toBe('x');
    expect(serving.faults).toEqual([]);
  });
});

describe('the place', () => {
  test('is a folder of mode 0700, and neither a link nor a file of another kind', () => {
    const folder = join(home, 'of-all');
    expect(prepareSocket(join(folder, 's.sock'))).toBeNull();
    chmodSync(folder, 0o777);
    expect(prepareSocket(join(folder, 's.sock'))).toBeNull();
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, 's.sock'), 'mine');
    expect(prepareSocket(join(folder, 's.sock'))).toContain('is not a socket');
    expect(existsSync(join(folder, 's.sock'))).toBe(true);
    symlinkSync(folder, join(home, 'link'));
    expect(prepareSocket(join(home, 'link/s.sock'))).toContain('not a folder of this user');
  });

  test.skipIf(uid !== 0)(
    "another user's folder is not taken, and another user's socket is not asked",
    async () => {
      const folder = join(home, 'theirs');
      mkdirSync(folder);
      chownSync(folder, 12345, 12345);
      expect(prepareSocket(join(folder, 's.sock'))).toContain('not a folder of this user');
      await serve();
      expect((await ask(home, ASKED, PATIENT))?.text).toBe('x');
      chownSync(path, 12345, 12345);
      expect(await ask(home, ASKED)).toBeNull();
    },
  );
});
