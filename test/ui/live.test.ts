/**
 * Sessions that run now: seen in the list, growing on their page; asked for only while somebody
 * looks.
 */
import { expect, test } from 'vitest';
import { setStage } from '../commands/stage.js';
import { answers, claudeLog, says } from '../jobs/made-log.js';
import { graveFaults, visit } from './browser.js';
import { opened, TELEPHONE, type Opened } from './opened.js';
import { soon } from './soon.js';

const SESSION = '99999999-9999-4999-8999-999999999999';

let { stage, served, context, page } = {} as Opened;

/** The log with so many answers. */
function write(turns: number): void {
  stage.put(
    `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says('Boil the kettle'),
      ...Array.from({ length: turns }, (_, at) => answers(`It is ${at} degrees now.`)),
    ]),
  );
}

async function grow(turns: number): Promise<void> {
  write(turns);
  // The page asks in between, and one process has the database open once.
  await soon(async () => (await stage.type('run')).code).toBe(0);
}

opened(
  async () => {
    stage = setStage({ now: '2026-11-10T09:02:00Z' });
    write(1);
    expect((await stage.type('run')).code).toBe(0);
    return stage;
  },
  (ui) => ({ stage, served, context, page } = ui),
  TELEPHONE,
);

test('a session that runs stands above the others, and its page grows with it', async () => {
  await visit(page, 'sessions');
  const live = page.getByRole('region', { name: 'Running now' });
  await live.waitFor();
  expect(await live.innerText()).toContain('2 entries');
  await grow(2);
  await soon(() => live.innerText()).toContain('3 entries');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await graveFaults(page)).toEqual([]);
  }
  await live.getByRole('link').press('Enter');
  await soon(() => page.locator('.running').count()).toBe(1);
  expect(await page.locator('.turn').count()).toBe(3);
  await grow(4);
  await soon(() => page.locator('.turn').count()).toBe(5);
  expect(await page.locator('.turns').innerText()).toContain('It is 3 degrees now.');
  expect(await graveFaults(page)).toEqual([]);
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
});

test('nothing is asked while the page is hidden, or shows something else', async () => {
  const tab = await context.newPage();
  let asked = 0;
  tab.on(
    'request',
    (request) => void (asked += Number(new URL(request.url()).pathname === '/view/live')),
  );
  await tab.clock.install();
  await tab.goto(`${served.origin}/#/sessions`);
  const look = (): Promise<number> => Promise.resolve(asked);
  await soon(look).toBeGreaterThan(0);
  const first = asked;
  await soon(async () => {
    await tab.clock.runFor(4000);
    return asked;
  }).toBeGreaterThan(first);
  const show = (hidden: boolean): Promise<void> =>
    tab.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
       document.dispatchEvent(new Event('visibilitychange'))`,
    );
  await show(true);
  const hidden = asked;
  await tab.clock.runFor(60_000);
  expect(asked).toBe(hidden);
  await show(false);
  await soon(look).toBeGreaterThan(hidden);
  await visit(tab, 'usage');
  const elsewhere = asked;
  await tab.clock.runFor(60_000);
  expect(asked).toBe(elsewhere);
  await tab.close();
});
