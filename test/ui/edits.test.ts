/** Each edit is made by hand on the page, and is then in crystal.json and in context.md. */
import { describe, expect, test } from 'vitest';
import type { LessonRow } from '../../src/web/wire.js';
import { setStage } from '../stage.js';
import { answers, claudeLog, says } from '../jobs/made-log.js';
import { ask, openPage, serve, setSamples, visit } from './browser.js';
import { opened, type Opened } from './opened.js';
import { soon } from './soon.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const [SHOP, KETTLE] = ['lanternfish-37f8', 'kettle-94e0'];
const FORCE = 'We never force-push shared branches, rebase on origin first';
const SPACES = 'Always indent with spaces here, not with tabs';

let { stage, browser, page, wrong } = {} as Opened;

opened(setSamples, (ui) => ({ stage, browser, page, wrong } = ui));

const context = (slug: string): string => stage.read(`projects/${slug}/context.md`);
/** As the page shows it: code without its marks. */
const plain = (text: string): string => text.replaceAll('`', '');

interface Crystal {
  lessons: { text: string; pinned: boolean }[];
}
const inCrystal = (slug: string, text: string) =>
  (JSON.parse(stage.read(`projects/${slug}/crystal.json`)) as Crystal).lessons.find(
    (lesson) => lesson.text === text,
  );

/** What the page said that it did. */
const said = (): Promise<string> => page.locator('.said .note span').first().innerText();

async function open(text: string): Promise<void> {
  const { lessons } = await ask<{ lessons: LessonRow[] }>(page, '/lessons?all=1');
  const own = lessons.find((lesson) => lesson.text === text && lesson.project !== null);
  await visit(page, `lesson/${own!.id}`);
}

async function click(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: false }).first().click();
}

/** Undo is offered with what was done, and takes exactly that back. */
async function undo(): Promise<void> {
  await page.locator('.said').getByRole('button', { name: 'Undo' }).click();
  await soon(said).toMatch(/^taken back/);
}

describe('a lesson', () => {
  test('is forgotten and comes back', async () => {
    await open(FORCE);
    expect(context(SHOP)).toContain(FORCE);
    await click('Forget');
    await soon(said).toBe(`forgotten: ${FORCE}`);
    expect(context(SHOP)).not.toContain(FORCE);
    expect(inCrystal(SHOP, FORCE)).toBeUndefined();
    await undo();
    expect(context(SHOP)).toContain(FORCE);
    expect(inCrystal(SHOP, FORCE)).toBeDefined();
    expect(wrong).toEqual([]);
  });

  test('is said in other words by keys alone', async () => {
    await open(FORCE);
    await page.getByRole('button', { name: 'Edit' }).press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Never force-push `main`: rebase on origin first');
    await page.keyboard.press('Control+Enter');
    await soon(said).toBe('changed: Never force-push `main`: rebase on origin first');
    await soon(() => page.locator('h1').innerText()).toBe(
      'Never force-push main: rebase on origin first',
    );
    expect(context(SHOP)).toContain('- Never force-push `main`: rebase on origin first\n');
    expect(inCrystal(SHOP, 'Never force-push `main`: rebase on origin first')).toBeDefined();
    await undo();
    expect(context(SHOP)).toContain(FORCE);
  });
});

test('review: k keeps, f forgets, e says it otherwise, p pins, s leaves it; each is taken back', async () => {
  await visit(page, `review?project=${SHOP}`);
  const shown = (): Promise<string> => page.locator('h3').innerText();
  const place = (): Promise<string> => page.locator('.found').innerText();
  const total = Number((await place()).split(' ').at(-1));
  const press = async (key: string, number: number): Promise<void> => {
    await page.keyboard.press(key);
    await soon(place).toBe(`${number} of ${total}`);
  };
  const first = await shown();
  const takeBack = async (number: number): Promise<void> => {
    await undo();
    await soon(place).toBe(`${number} of ${total}`);
  };
  await press('k', 2);
  await takeBack(1);
  expect(await shown()).toBe(first);
  await press('k', 2);
  const second = await shown();
  await press('f', 3);
  expect(plain(context(SHOP))).not.toContain(second);
  await takeBack(2);
  expect(plain(context(SHOP))).toContain(second);
  await press('s', 3);
  await press('p', 4);
  await page.keyboard.press('e');
  await page.getByLabel('Say it in other words').fill('Run `pnpm test` before every push');
  await page.getByRole('button', { name: 'Save' }).click();
  await soon(place).toBe(`5 of ${total}`);
  expect(context(SHOP)).toContain('Run `pnpm test` before every push');
  // Kept, pinned and changed are looked at; the one that was left for later is not.
  const { waiting } = await ask<{ waiting: LessonRow[] }>(page, `/review?project=${SHOP}`);
  expect(waiting.length).toBe(total - 3);
  expect(plain(waiting[0]!.text)).toBe(second);
  expect(wrong).toEqual([]);
});

test('a page that was opened inside an agent says so and may not do what only the person may', async () => {
  const other = setStage();
  other.put(
    '.claude/projects/-home-ann-kettle/1.jsonl',
    claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says(`Remember: ${SPACES}`),
      answers('Done.'),
    ]),
  );
  expect((await other.type('run')).code).toBe(0);
  other.caller = { kind: 'agent', name: 'claude-code' };
  const agents = await serve(other);
  const { page: opened } = await openPage(await browser.newContext(), await agents.address());
  expect(await opened.locator('.box').innerText()).toContain('claude-code');
  await visit(opened, 'lessons');
  await opened.locator('a.row-text').first().click();
  await opened.getByRole('button', { name: 'Forget' }).click();
  await soon(() => opened.locator('.note.bad').innerText()).toMatch(/agent/);
  await opened.close();
  await agents.stop();
  expect(other.read(`projects/${KETTLE}/context.md`)).toContain(SPACES);
});
