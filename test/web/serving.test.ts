/** Who may ask: the page with its key, and nobody else; and the command that opens it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/commands/main.js';
import { PORT, type Stage, type Web, openWeb, samplesStage } from '../stage.js';
import { Tickets } from '../../src/web/guard.js';

let stage: Stage;
let web: Web;
beforeAll(async () => {
  stage = await samplesStage();
  web = openWeb(stage);
}, 120_000);
afterAll(async () => {
  await web.close();
});

describe('the guard', () => {
  test.each([
    ['another host', { host: 'evil.example' }, 403],
    ['a name that points here', { host: `rebound.example:${PORT}` }, 403],
    ['our host at another port', { host: '127.0.0.1:80' }, 403],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['no origin of its own', { origin: 'null' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['the same site, another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer x' }, 401],
    ['a key in another form', { authorization: 'Basic eDp5' }, 401],
  ])('refuses %s, for reading as for writing', async (_, headers, status) => {
    for (const [method, path, body] of [
      ['GET', '/lessons', undefined],
      ['POST', '/undo', {}],
      ['GET', '/start', undefined],
      ['GET', '/nothing', undefined],
    ] as const) {
      const refused = await web.page(method, path, body, headers);
      expect([path, refused.status]).toEqual([path, status]);
      expect(refused.body['error'].next).toMatch(/\S/);
    }
  });

  test('no answer may be kept, framed or run elsewhere, and none sets a cookie', async () => {
    const { headers } = await web.page('GET', '/status');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('a ticket opens the page once, within two minutes', async () => {
    const bare = { authorization: '' };
    const ticket = web.tickets.issue();
    const opened = await web.page('POST', '/ticket', { ticket }, bare);
    expect(
      (
        await web.page('GET', '/status', undefined, {
          authorization: `Bearer ${opened.body['token']}`,
        })
      ).status,
    ).toBe(200);
    expect((await web.page('POST', '/ticket', { ticket }, bare)).status).toBe(401);
    expect((await web.page('POST', '/ticket', { ticket: 'guessed' }, bare)).status).toBe(401);
    let time = 0;
    const timed = new Tickets({ now: () => new Date(0), mono: () => time });
    const old = timed.issue();
    time = 120_001;
    expect(timed.exchange(old)).toBeNull();
  });
});

describe('the command', { timeout: 60_000 }, () => {
  test('opens a port, prints another address at Enter, and ends at Ctrl-C', async () => {
    const stop = new AbortController();
    const printed: string[] = [];
    const ran: string[][] = [];
    const redirects: string[] = [];
    let enter = (): void => {};
    const pressed = new Promise<void>((resolve) => (enter = resolve));
    let told = (): void => {};
    const twice = new Promise<void>((resolve) => (told = resolve));
    const io = {
      ...stage.io(),
      env: { ...stage.io().env, DISPLAY: ':1' },
      signal: stop.signal,
      terminal: true,
      out: (text: string) => {
        printed.push(text);
        if (printed.length === 1) enter();
        if (printed.length === 2) told();
      },
      runProgram: async (program: string, args: readonly string[]) => {
        ran.push([program, ...args]);
        redirects.push(readFileSync(new URL(args.at(-1)!), 'utf8'));
        return 0;
      },
      lines: async function* () {
        await pressed;
        yield '';
      },
    };
    await web.rest();
    const ended = main(['ui'], io);
    await twice;
    const [first, again] = printed.map(
      (text) => /http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]+/.exec(text)?.[0],
    );
    expect(new Set([first, again, undefined]).size).toBe(3);
    // The browser is given a file, never the address itself.
    expect(ran.flat().join(' ')).not.toContain('ticket');
    if (process.platform === 'linux') expect(redirects[0]).toContain('#ticket=');
    const { origin, hash } = new URL(first!);
    const exchanged = await fetch(`${origin}/ticket`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket: hash.slice('#ticket='.length) }),
    });
    const { token } = (await exchanged.json()) as { token: string };
    const answer = await fetch(`${origin}/lessons`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([
      answer.status,
      ((await answer.json()) as { lessons: unknown[] }).lessons.length > 0,
    ]).toEqual([200, true]);
    stop.abort();
    expect(await ended).toBe(0);
    expect(existsSync(join(stage.stone, 'ui-open.html'))).toBe(false);
  });

  test('--json prints where it listens; --json, --no-open, a pipe, an agent or no screen start no browser; a taken port is named', async () => {
    const starts: [string[], object][] = [
      [['ui', '--json'], { terminal: true }],
      [['ui', '--no-open'], { terminal: true }],
      [['ui'], { terminal: false }],
      [['ui'], { terminal: true, caller: () => ({ kind: 'agent', name: 'toy' }) }],
      [['ui'], { terminal: true, env: stage.io().env }],
    ];
    for (const [argv, more] of starts) {
      const stop = new AbortController();
      let ran = 0;
      let open = (_: string): void => {};
      const line = new Promise<string>((resolve) => (open = resolve));
      const io = {
        ...stage.io(),
        env: { ...stage.io().env, DISPLAY: ':1' },
        ...more,
        signal: stop.signal,
        out: open,
      };
      const ended = main(argv, { ...io, runProgram: async () => ran++ });
      const printed = await line;
      const port = Number(/127\.0\.0\.1:(\d+)\/#ticket=/.exec(printed)![1]);
      if (argv.includes('--json')) expect(JSON.parse(printed)).toMatchObject({ version: 1, port });
      const taken = await stage.type('ui', '--port', String(port));
      expect([taken.code, taken.err]).toEqual([
        1,
        expect.stringContaining('another program has it') as string,
      ]);
      stop.abort();
      expect([await ended, ran]).toEqual([0, 0]);
    }
  });
});
