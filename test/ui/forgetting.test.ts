/**
 * Several lessons are forgotten at once, by keys alone: asked first, with their number; taken back
 * as one; and a button waits meanwhile.
 */
import { expect, test } from 'vitest';
import type { LessonRow } from '../../src/web/wire.js';
import { setStage } from '../commands/stage.js';
import { answers, claudeLog, says } from '../jobs/made-log.js';
import { ask, graveFaults, settled, visit } from './browser.js';
import { opened, TELEPHONE, type Opened } from './opened.js';
import { soon } from './soon.js';

const [ONE, TWO] = ['66666666-6666-4666-8666-666666666666', '77777777-7777-4777-8777-777777777777'];
const SHARED = 'Always descale the kettle in May';
const OWN = [
  'Always use the blue cup for tea',
  'Never pour tea over the router',
  'Always write the date on the tin',
];

let { page, wrong } = {} as Opened;

opened(
  async () => {
    const stage = setStage();
    const log = (session: string, day: string, texts: string[]): void =>
      void stage.put(
        `.claude/projects/-home-ann-kettle/${session}.jsonl`,
        claudeLog({ session, cwd: '/home/ann/kettle', day }, [
          ...texts.map((text) => says(`Remember: ${text}`)),
          answers('Noted.'),
        ]),
      );
    log(ONE, '2026-11-10', [...OWN, SHARED]);
    log(TWO, '2026-11-12', [SHARED, 'Always close the garden gate']);
    expect((await stage.type('run')).code).toBe(0);
    return stage;
  },
  (ui) => ({ page, wrong } = ui),
  TELEPHONE,
);

const texts = async (): Promise<string[]> =>
  (await ask<{ lessons: LessonRow[] }>(page, '/lessons')).lessons.map(({ text }) => text).sort();
const said = (): Promise<string> => page.locator('.said .note span').first().innerText();
const dialog = () => page.locator('dialog[open]');

/** Opens a list of what would be forgotten, looks at it, and says yes. */
async function forget(name: RegExp, meant: readonly string[]): Promise<void> {
  const before = await texts();
  await page.getByRole('button', { name }).press('Enter');
  expect(await dialog().locator('li').allInnerTexts()).toEqual(expect.arrayContaining([...meant]));
  expect(await dialog().locator('li').count()).toBe(meant.length);
  expect(await dialog().locator('h2').innerText()).toBe(`Forget ${meant.length} lessons?`);
  // Whoever presses Enter without reading has done nothing.
  await page.keyboard.press('Enter');
  expect(await dialog().count()).toBe(0);
  expect(await texts()).toEqual(before);
  await page.getByRole('button', { name }).press('Enter');
  await dialog()
    .getByRole('button', { name: `Forget ${meant.length} lessons` })
    .press('Enter');
  await soon(said).toBe(`forgotten: ${meant.length} lessons`);
  expect(await texts()).toEqual(before.filter((text) => !meant.includes(text)));
}

test('those that rest on one session alone are forgotten from its page, and come back', async () => {
  const all = await texts();
  await visit(page, `session/claude-code/${ONE}`);
  await page.getByText('Lessons from this session').press('Enter');
  await settled(page);
  await soon(() => page.locator('details[open] .rows > li').count()).toBe(4);
  await forget(/only this session supports/, OWN);
  await page.locator('.said').getByRole('button', { name: 'Undo' }).press('Enter');
  await soon(said).toBe('taken back: 3 lessons');
  expect(await texts()).toEqual(all);
  expect(wrong).toEqual([]);
});

test('all of one kind that are shown are forgotten from the list; a pinned one stays', async () => {
  const all = await texts();
  const pinned = (await ask<{ lessons: LessonRow[] }>(page, '/lessons')).lessons.find(
    ({ text }) => text === OWN[1],
  )!;
  await visit(page, `lesson/${pinned.id}`);
  await page.keyboard.press('p');
  await soon(said).toBe('pinned');
  await visit(page, 'lessons');
  expect(await page.getByRole('button', { name: /Forget all/ }).count()).toBe(0);
  await visit(page, `lessons?kind=${pinned.kind}&q=t`);
  const meant = all.filter((text) => text !== pinned.text && text.includes('t'));
  await forget(/Forget all \d+ of these/, meant);
  await page.keyboard.press('u');
  await soon(said).toBe(`taken back: ${meant.length} lessons`);
  expect(await texts()).toEqual(all);
  await visit(page, `lesson/${pinned.id}`);
  await page.keyboard.press('p');
  await soon(said).toBe('no longer pinned');
});

test('in the review a kind, or what waits from one session, goes at once; u takes it back as one', async () => {
  const all = await texts();
  await visit(page, 'review');
  const place = (): Promise<string> => page.locator('.found').first().innerText();
  const total = Number((await place()).split(' ').at(-1));
  await page.getByText('Forget several at once').press('Enter');
  await page.getByRole('button', { name: /of the kind/ }).waitFor();
  expect(await page.getByRole('button', { name: /of the kind/ }).innerText()).toContain(
    `Forget all ${total}`,
  );
  await settled(page);
  for (
    let at = 2;
    at <= total && !(await page.getByRole('button', { name: /from its session/ }).count());
    at++
  ) {
    await page.keyboard.press('s');
    await soon(place).toBe(`${at} of ${total}`);
    await settled(page);
  }
  const button = page.getByRole('button', { name: /from its session/ });
  const number = Number(/all (\d+)/.exec(await button.innerText())![1]);
  await button.press('Enter');
  const meant = await dialog().locator('li').allInnerTexts();
  expect(meant.every((text) => OWN.includes(text))).toBe(true);
  await dialog().getByRole('button', { name: 'Forget' }).press('Enter');
  await soon(said).toBe(`forgotten: ${number} lessons`);
  expect(await texts()).toEqual(all.filter((text) => !meant.includes(text)));
  await page.keyboard.press('u');
  await soon(said).toBe(`taken back: ${number} lessons`);
  expect(await texts()).toEqual(all);
  expect(wrong).toEqual([]);
});

test('while an edit is under way its button says so and waits, no other edit begins, and the focus comes back', async () => {
  await visit(page, 'lessons');
  await page.locator('a[data-row]').first().press('Enter');
  await settled(page);
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/lessons/*', async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  const pin = page.getByRole('button', { name: 'Pin' });
  await pin.press('Enter');
  const states = () =>
    page.evaluate<[boolean, string][]>(
      `[...document.querySelectorAll('.actions button')].map((each) => [each.disabled, each.getAttribute('aria-busy')])`,
    );
  // Edit only opens a form.
  await soon(states).toEqual([
    [false, null],
    [true, 'true'],
    [true, 'false'],
  ]);
  await soon(said).toBe('under way: pinned');
  expect(await graveFaults(page)).toEqual([]);
  goOn();
  await soon(said).toBe('pinned');
  await soon(() => page.evaluate('document.activeElement.textContent')).toBe('Unpin p');
  await page.unroute('**/lessons/*');
  await page.keyboard.press('Enter');
  await soon(said).toBe('no longer pinned');
});

test('nothing of it is wider than a telephone, and axe finds nothing serious, light or dark', async () => {
  for (const [place, button] of [
    ['review', /of the kind/],
    ['lessons?kind=preference', /of these/],
  ] as const) {
    await visit(page, place);
    await page.evaluate(
      `for (const each of document.querySelectorAll('main details')) each.open = true`,
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await graveFaults(page)).toEqual([]);
      await page.getByRole('button', { name: button }).press('Enter');
      expect(await graveFaults(page)).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
    }
  }
});
