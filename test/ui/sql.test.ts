/**
 * SQL on the page: asked and stopped by keys, drawn, saved; a link fills the field and asks
 * nothing.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { graveFaults, setSamples, visit } from './browser.js';
import { opened, TELEPHONE, type Opened } from './opened.js';
import { soon } from './soon.js';

let { context, page, wrong } = {} as Opened;

opened(setSamples, (ui) => ({ context, page, wrong } = ui), TELEPHONE);

const said = (): Promise<string> => page.locator('main [role=status]').innerText();
const link = (sql: string): string => `sql?q=${encodeURIComponent(sql)}`;
const field = () => page.getByLabel('Statement');
async function ask(sql: string): Promise<void> {
  await visit(page, link(sql));
  await field().press('Control+Enter');
}

test('a question is asked by keys, and stands in the address; its link fills the field and asks nothing', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visit(page, 'sql');
  await field().focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('SELECT slug, name FROM projects ORDER BY slug');
  await page.keyboard.press('Control+Enter');
  await soon(said).toMatch(/^\d+ rows, /);
  expect(await page.locator('tbody').innerText()).toContain('lanternfish-37f8');
  expect(page.url()).toContain('#/sql?q=SELECT+slug');
  expect(asked.filter((path) => path === '/view/sql')).toHaveLength(1);
  const tab = await context.newPage();
  tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await tab.goto(page.url());
  await tab.getByLabel('Statement').waitFor();
  expect(await tab.getByLabel('Statement').inputValue()).toBe(
    'SELECT slug, name FROM projects ORDER BY slug',
  );
  await tab.locator('.catalogue details').first().waitFor();
  await tab.close();
  expect(asked.filter((path) => path === '/view/sql')).toHaveLength(1);
  expect(wrong).toEqual([]);
});

test('what cannot be asked says why, with the place', async () => {
  await ask('SELECT nothing FROM sessions');
  await soon(() => page.locator('.wrong').innerText()).toMatch(/nothing[\s\S]*\^/);
  await ask('DELETE FROM own.entries');
  await soon(() => page.locator('.wrong').innerText()).toContain('nothing can be changed');
});

test('one that takes long is stopped, and the next one is answered', async () => {
  await ask(
    'SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range * b.range = -1',
  );
  const run = page.getByRole('button', { name: 'Run' });
  await soon(() => run.getAttribute('aria-busy')).toBe('true');
  expect(await run.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Stop' }).press('Enter');
  await soon(() => run.isDisabled()).toBe(false);
  await ask('SELECT 42 AS answer');
  await soon(said).toMatch(/^1 row, /);
});

test('a label and a number are drawn: days as a chart, names as bars; anything else is not', async () => {
  await ask(
    "SELECT day::DATE AS day, n FROM (VALUES ('2026-11-01', 3), ('2026-11-03', 5)) t(day, n)",
  );
  await soon(() => page.locator('canvas').count()).toBe(1);
  await ask(
    "SELECT agent, count(*) AS sessions FROM (FROM sessions UNION ALL BY NAME SELECT 'toy' AS agent) GROUP BY ALL",
  );
  await soon(() => page.locator('.bars > li').count()).toBeGreaterThan(1);
  expect(await page.locator('canvas').count()).toBe(0);
  await ask(
    "SELECT day::DATE AS day, n FROM (VALUES ('0001-01-01', 3), ('9999-11-03', 5)) t(day, n)",
  );
  await soon(() => page.locator('.bars > li').count()).toBe(2);
  await ask('SELECT 1 AS a, 2 AS b, 3 AS c');
  await soon(said).toMatch(/^1 row, /);
  expect(await page.locator('.chart').count()).toBe(0);
});

test('the table is saved as CSV, in which no text is a formula', async () => {
  await ask(
    `SELECT * FROM (VALUES ('=1+1', -2, 'a "b", c'), (NULL, 3, E'two\\nlines')) t("a,b", n, words)`,
  );
  await soon(said).toMatch(/^2 rows, /);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).press('Enter'),
  ]);
  expect(saved.suggestedFilename()).toBe('dripstone.csv');
  expect(readFileSync(await saved.path(), 'utf8')).toBe(
    `"a,b",n,words\r\n'=1+1,-2,"a ""b"", c"\r\n,3,"two\nlines"\r\n`,
  );
});

test('views and facts stand beside it with their columns, and are a beginning', async () => {
  await visit(page, 'sql');
  await page.locator('summary', { hasText: 'fact_works' }).press('Enter');
  const open = page.locator('.catalogue details[open]');
  expect(await open.innerText()).toContain('known_at');
  await open.getByRole('link').press('Enter');
  await soon(() => field().inputValue()).toContain('FROM fact_works(');
  await field().press('Control+Enter');
  await soon(said).toMatch(/rows?, /);
});

test('nothing of it is wider than a telephone, and axe finds nothing serious, light or dark', async () => {
  await ask('FROM sessions');
  await soon(said).toMatch(/rows, /);
  await page.evaluate(
    `for (const each of document.querySelectorAll('main details')) each.open = true`,
  );
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await graveFaults(page)).toEqual([]);
  }
  expect(wrong).toEqual([]);
});
