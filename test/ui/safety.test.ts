/** Foreign text stays text, other pages can do nothing, and what opens the page is nowhere left. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { LessonRow } from '../../src/web/wire.js';
import { setStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';
import { ask, settled, visit } from './browser.js';
import { opened, type Opened } from './opened.js';
import { soon } from './soon.js';

const HOSTILE =
  '<script>pwned=1</script><img src=x onerror="pwned=1"><a href="javascript:pwned=1">click</a> [link](javascript:pwned=1) ' +
  '\u202egnirts desrever\u202c {{pwned=1}} ${pwned=1}';
const SESSION = '33333333-3333-4333-8333-333333333333';

let { served, browser, context, page, address } = {} as Opened;

opened(
  async () => {
    const stage = setStage();
    stage.lockWaitMs = 0;
    stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says(`Always boil twice. ${HOSTILE}`),
      shell(`echo '${HOSTILE}'`, HOSTILE, 1),
      answers(HOSTILE),
    ]);
    expect((await stage.type('run')).code).toBe(0);
    expect((await stage.type('lessons', 'add', HOSTILE, '--global')).code).toBe(0);
    return stage;
  },
  (ui) => ({ served, browser, context, page, address } = ui),
  { flags: ['--host-resolver-rules=MAP evil.example 127.0.0.1'] },
);

const texts = async (): Promise<string[]> =>
  (await ask<{ lessons: LessonRow[] }>(page, '/lessons?all=1')).lessons.map(({ text }) => text);

test('hostile text stays text on every view', async () => {
  const [lesson] = (await ask<{ lessons: LessonRow[] }>(page, '/lessons')).lessons.filter(
    ({ text }) => text.includes('script'),
  );
  const { projects } = await ask<{ projects: { slug: string }[] }>(page, '/start');
  const views = [
    '',
    'lessons',
    `lesson/${lesson!.id}`,
    'review',
    'context/all',
    `context/${projects[0]!.slug}`,
    '?q=pwned',
    'sessions',
    `session/claude-code/${SESSION}`,
    'health',
    `lessons?q=${encodeURIComponent(HOSTILE)}`,
    `?q=${encodeURIComponent(HOSTILE)}`,
  ];
  for (const view of views) {
    await visit(page, view);
    await page.evaluate(
      `for (const each of document.querySelectorAll('main details')) each.open = true`,
    );
    const found = await page.evaluate<[unknown, number, string[]]>(
      `[window.pwned, document.querySelectorAll('main :is(script, img, iframe, object, [onerror])').length,
        [...document.querySelectorAll('a')].map((each) => each.getAttribute('href')).filter((href) => !/^#/.test(href))]`,
    );
    expect(found, view).toEqual([undefined, 0, []]);
    // What turns writing around is shown, not obeyed; a field holds what was typed.
    expect(await page.locator('#page').innerText(), view).not.toMatch(/[\u202a-\u202e]/);
  }
  await visit(page, `lesson/${lesson!.id}`);
  const heading = await page.locator('h1').innerText();
  expect(heading).toContain('<script>pwned=1</script>');
  expect(heading).toContain('\\u202egnirts');
});

/** A page of somebody else, on another port of this machine. */
async function otherPage(): Promise<{ page: Page; origin: string }> {
  const server: Server = createServer((_, response) =>
    response.end('<!doctype html><title>evil</title><body>'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const evil = await context.newPage();
  await evil.goto(origin);
  onTestFinished(async () => {
    await evil.close();
    server.closeAllConnections();
    server.close();
  });
  return { page: evil, origin };
}

test('a page of another origin reads nothing and changes nothing', async () => {
  const before = await texts();
  const { page: evil } = await otherPage();
  const attempt = (script: string): Promise<string> =>
    evil.evaluate<string>(
      `(async () => { try { return String(await (${script})); } catch (error) { return 'refused'; } })()`,
    );
  const target = served.origin;
  for (const path of ['/lessons', '/start', '/', '/page.js'])
    expect(await attempt(`fetch('${target}${path}').then((answer) => answer.text())`), path).toBe(
      'refused',
    );
  const body = `JSON.stringify({ text: 'pwned', global: true })`;
  const json = `{ 'content-type': 'application/json', authorization: 'Bearer x' }`;
  expect(
    await attempt(
      `fetch('${target}/lessons', { method: 'POST', headers: ${json}, body: ${body} })`,
    ),
  ).toBe('refused');
  for (const path of ['/lessons', '/undo', '/ticket', '/review/abc'])
    await attempt(`fetch('${target}${path}', { method: 'POST', mode: 'no-cors', body: ${body} })`);
  expect(
    await attempt(
      `new Promise((done, fail) => { const each = new WebSocket('${target.replace('http', 'ws')}/'); each.onopen = done; each.onerror = fail; })`,
    ),
  ).toBe('refused');
  // A form and a frame need nobody's leave to be sent; the answer to the first is a refusal, the
  // second stays empty.
  const answer = evil.waitForResponse((each) => each.url() === `${target}/lessons`);
  await evil.evaluate(`document.body.innerHTML = '<iframe name="frame"></iframe><form method="post" enctype="text/plain" target="frame" ' +
    'action="${target}/lessons"><input name=\\'{"text":"pwned","global":true,"x":"\\' value=\\'"}\\'></form>'; document.forms[0].submit()`);
  expect((await answer).status()).toBe(403);
  const framed = await fetch(`${target}/`);
  expect(framed.headers.get('x-frame-options')).toBe('DENY');
  expect(framed.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  await evil.evaluate(`document.body.innerHTML = '<iframe src="${target}/"></iframe>'`);
  await soon(() => Promise.resolve(evil.frames().at(-1)!.url())).toMatch(/^chrome-error:/);
  expect(await texts()).toEqual(before);
});

test('the page asks nobody but its server, and may not', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.reload();
  await settled(page);
  await visit(page, 'health');
  expect(new Set(asked)).toEqual(new Set([served.origin]));
  const { origin } = await otherPage();
  expect(await page.evaluate(`fetch('${origin}').then(() => 'sent', () => 'refused')`)).toBe(
    'refused',
  );
  expect(
    await page.evaluate(`try { document.body.innerHTML = '<b>'; 'set' } catch { 'refused' }`),
  ).toBe('refused');
});

test('token and ticket stand in no address, no history and no storage that stays; the address works once', async () => {
  const token = await page.evaluate<string>(`sessionStorage.getItem('token')`);
  expect(token.length).toBeGreaterThan(30);
  const other = await context.newPage();
  const second = await served.address();
  await other.goto(second);
  await other.locator('h1', { hasText: 'Search' }).waitFor();
  await visit(other, 'lessons');
  const left = await other.evaluate<string>(
    `JSON.stringify([location.href, document.cookie, { ...localStorage }, history.state])`,
  );
  expect(left).toBe(JSON.stringify([`${served.origin}/#/lessons`, '', {}, null]));
  await other.goBack();
  expect(other.url()).toBe(`${served.origin}/#/`);
  await other.close();
  expect(await context.cookies()).toEqual([]);
  for (const used of [address, second]) {
    const stranger = await browser.newContext();
    const late = await stranger.newPage();
    await late.goto(used);
    expect(await late.locator('h1').innerText()).toContain('not open any more');
    expect(late.url()).toBe(`${served.origin}/#/`);
    // A new address in the same tab changes only what stands after the #.
    await late.goto(await served.address());
    await late.locator('h1', { hasText: 'Search' }).waitFor();
    expect(late.url()).toBe(`${served.origin}/#/`);
    await stranger.close();
  }
});
