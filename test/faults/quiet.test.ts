/**
 * What the program says and asks for: nobody reads its errors, and it never speaks to another
 * machine.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { personAtWork } from './author.js';
import { NOTHING, compare, storedTexts } from './stored.js';

test('a whole run while nobody reads its errors, in all whose threads any connection would end the program', async () => {
  const { person, author } = personAtWork(51, 6);
  const { child, ended } = person.start(['run'], {
    preload: new URL('./children/no-network.mjs', import.meta.url).href,
  });
  child.stderr!.destroy();
  expect((await ended).code).toBe(0);
  expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
  const usage = person.start(['no-such-command']);
  usage.child.stderr!.destroy();
  expect((await usage.ended).code).toBe(2);
});

test('on the source: only models that a person configured are spoken to', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const speaks = /\bfetch\(|\bWebSocket\b|from 'node:(?:net|http|https|http2|tls|dgram|dns)/;
  expect(
    files
      .filter((name) => speaks.test(readFileSync(join(src, name), 'utf8')))
      .map((name) => name.replaceAll('\\', '/'))
      .sort(),
  ).toEqual([
    // This and llm/http: each to the server that the config names.
    'embed/endpoint.ts',
    'llm/http.ts',
    // Ask and answer on the daemon's socket in the home.
    'socket/in-daemon.ts',
    'socket/server.ts',
    // Listens on this machine.
    'web/command.ts',
    // In the browser, whose policy lets the page speak to its own server alone.
    'web/page/api.ts',
    // The client of that socket.
    'wire.ts',
  ]);
});
