/**
 * Every page opens, in the light and in the dark, on a telephone, by its address, by keys, and for
 * those who do not see it.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LessonRow, SessionRow } from '../../src/web/wire.js';
import { ask, graveFaults, setSamples, settled, visit } from './browser.js';
import { opened, type Opened } from './opened.js';
import { soon } from './soon.js';

let { page, wrong } = {} as Opened;
/** Places of the page with the words that its heading has. */
let places: [place: string, heading: RegExp][];

opened(setSamples, (ui) => ({ page, wrong } = ui), { viewport: { width: 1280, height: 900 } });
beforeAll(async () => {
  const { lessons } = await ask<{ lessons: LessonRow[] }>(page, '/lessons');
  const { sessions } = await ask<{ sessions: SessionRow[] }>(page, '/sessions?project=lanternfish');
  const lesson = lessons.find(({ sessions: several }) => several > 1)!;
  const session = sessions.find(({ title }) => title === 'Invoice totals off by a cent')!;
  places = [
    ['', /^Search$/],
    ['review', /^Review$/],
    ['lessons', /^Lessons$/],
    ['lessons?status=withheld', /^Lessons$/],
    [`lesson/${lesson.id}`, /make check/],
    ['context/lanternfish-37f8', /^Page of a project$/],
    ['context/all', /^Page of a project$/],
    ['?q=lint+test', /^Search$/],
    ['sessions', /^Sessions$/],
    [`session/${session.agent}/${session.session}`, /Invoice totals/],
    ['health', /^Health$/],
  ];
});

test('each view opens by its address without an error, and has a title and a heading', async () => {
  for (const [place, heading] of places) {
    await visit(page, place);
    expect(await page.locator('h1').innerText(), place).toMatch(heading);
    expect(await page.title(), place).toMatch(/dripstone/);
    expect(await page.locator('.wrong').count(), place).toBe(0);
  }
  expect(wrong).toEqual([]);
});

test('there are five views, and each puts first what a person looks for first', async () => {
  expect(await page.locator('header li a').allInnerTexts()).toEqual([
    'Search',
    'Sessions',
    'Lessons',
    expect.stringMatching(/^Review\s*\d+/),
    'Health',
  ]);
  for (const view of ['', 'sessions']) {
    await visit(page, view);
    const times = await page
      .locator('.rows time')
      .evaluateAll((all) => all.map((each) => each.getAttribute('datetime')));
    expect(times.length, view).toBeGreaterThan(5);
    expect(times, view).toEqual([...times].sort().reverse());
  }
  await visit(page, 'review');
  expect(await page.locator('h2').allInnerTexts()).toEqual([
    'You typed this',
    'New lessons',
    'Rules',
  ]);
  await visit(page, 'health');
  const health = await page.locator('main').innerText();
  expect(health).not.toContain('Everything works');
  expect(health.match(/not running/g)).toHaveLength(1);
});

test('all buttons look alike, and all lists are of one style', async () => {
  const looks = new Set<string>();
  for (const [place] of places) {
    await visit(page, place);
    const found = await page.evaluate<[string[], string[]]>(
      `[[...document.querySelectorAll('button')].map((each) => {
          const { borderRadius, borderColor, backgroundColor, fontSize, padding } = getComputedStyle(each);
          return [borderRadius, borderColor, backgroundColor, fontSize, padding].join(' ');
        }),
        [...document.querySelectorAll('main :is(ul, ol):not(.prose *, .rows, .plain, .turns, .context)')].map((each) => each.outerHTML)]`,
    );
    found[0].forEach((look) => looks.add(look));
    expect(found[1], place).toEqual([]);
  }
  expect(looks.size).toBe(1);
});

test('each place that Tab reaches is marked', async () => {
  await page.reload();
  for (const view of ['', 'review', 'health']) {
    await visit(page, view);
    const places = await page.locator('main :is(a, button, select, summary)').count();
    for (let step = 0; step < Math.min(places, 20); step++) {
      await page.keyboard.press('Tab');
      const style = await page.evaluate(
        `document.activeElement === document.body ? 'solid' : getComputedStyle(document.activeElement).outlineStyle`,
      );
      expect(style, `${view}, ${step}`).toBe('solid');
    }
  }
});

test('no view needs scrolling sideways, from 320 to 1920 pixels', async () => {
  for (const width of [1920, 360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    for (const [place] of places) {
      await visit(page, place);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        `${place} on ${width}`,
      ).toBeLessThanOrEqual(0);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('axe finds nothing serious on any view, light or dark', async () => {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [place] of places) {
      await visit(page, place);
      await page.evaluate(
        `for (const each of document.querySelectorAll('main details')) each.open = true`,
      );
      faults.push(
        ...(await graveFaults(page)).map((fault) => `${place}, ${colorScheme}: ${fault}`),
      );
    }
  }
  expect(faults).toEqual([]);
});

describe('addresses', () => {
  test('a filter stands in the address; back, forward and reload show what was there', async () => {
    await visit(page, 'lessons');
    const rows = page.locator('.rows > li');
    const all = await rows.count();
    await page.getByLabel('Kind').first().selectOption('gotcha');
    await settled(page);
    const some = await rows.count();
    expect(some).toBeLessThan(all);
    expect(page.url()).toContain('#/lessons?kind=gotcha');
    await page.getByLabel('Words').fill('pytest');
    await soon(() => page.locator('.found').innerText()).toBe('1 lesson');
    await page.reload();
    await settled(page);
    expect(await rows.count()).toBe(1);
    expect(await page.getByLabel('Words').inputValue()).toBe('pytest');
    await page.goBack();
    await settled(page);
    expect([page.url().split('#')[1], await rows.count()]).toEqual(['/lessons', all]);
    await page.goForward();
    await settled(page);
    expect(await rows.count()).toBe(1);
  });

  test('from a lesson its quote leads to the place in the session', async () => {
    await visit(page, places[4]![0]);
    await page.locator('.evidence a').last().click();
    await settled(page);
    const meant = page.locator('.turn.meant');
    expect(await meant.innerText()).toContain('make check');
    expect(await meant.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
      true,
    );
    expect(page.url()).toMatch(/#\/session\/claude-code\/.*\?at=/);
  });

  test('a search marks what matched and leads to its place', async () => {
    await visit(page, '');
    await page.locator('main textarea').fill('discount code');
    await page.keyboard.press('Enter');
    await settled(page);
    expect(page.url()).toContain('#/?q=discount+code');
    expect((await page.locator('.hits mark').allInnerTexts()).join(' ')).toMatch(/discount/i);
    await page.locator('.hits a.row-text').first().click();
    await settled(page);
    expect(await page.locator('.turn.meant').count()).toBe(1);
  });
});

test('an error that is pasted into the box gets what fixed it first, as by `dripstone fix`', async () => {
  await visit(page, '?project=lanternfish-37f8');
  const noise = 'ok test/cart.test.ts\n'.repeat(200);
  await page
    .locator('main textarea')
    .fill(`${noise}FAIL test/checkout.test.ts\nError: connect ECONNREFUSED 127.0.0.1:5432`);
  await page.getByRole('button', { name: 'Search' }).click();
  await settled(page);
  const known = page.locator('section.box');
  await known.waitFor();
  expect(await known.locator('b').first().innerText()).toBe('What fixed it');
  expect(await known.innerText()).toContain('make db');
});

test('less than 450 lines of style; packed, 40 kB of JavaScript and 3 kB of style', () => {
  expect(readFileSync('src/web/page/page.css', 'utf8').split('\n').length).toBeLessThan(451);
  const packed = (name: string): number => gzipSync(readFileSync(`dist/web/${name}`)).length;
  expect(packed('page.js')).toBeLessThan(40_000);
  expect(packed('page.css')).toBeLessThan(3000);
});
