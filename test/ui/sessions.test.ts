/**
 * A session on the page: found in, taken away, taken up again; by keys alone, and on a telephone.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { setStage } from '../commands/stage.js';
import { answers, claudeLog, says, shell } from '../jobs/made-log.js';
import { graveFaults, settled, visit } from './browser.js';
import { opened, TELEPHONE, type Opened } from './opened.js';
import { soon } from './soon.js';

const SESSION = '55555555-5555-4555-8555-555555555555';
const PLACE = `session/claude-code/${SESSION}`;

let { context, page, wrong } = {} as Opened;

opened(
  async () => {
    const stage = setStage();
    // More than one window, with what is looked for at both ends, in a folded call, and behind the
    // fold of a long text.
    stage.put(
      `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`,
      claudeLog({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
        says('Where is the walrus?'),
        shell('grep walrus zoo.txt', 'walrus: pool 4', 0),
        ...Array.from({ length: 130 }, (_, at) => answers(`Step ${at} is done.`)),
        answers(`${'A long way round. '.repeat(900)}The Walrus sleeps.`),
      ]),
    );
    expect((await stage.type('run')).code).toBe(0);
    return stage;
  },
  (ui) => ({ context, page, wrong } = ui),
  TELEPHONE,
);

const marks = (): Promise<number> =>
  page.evaluate<number>(`CSS.highlights.get('found')?.size ?? 0`);
const place = (): Promise<string> => page.getByRole('search').getByRole('status').innerText();
const meant = (): Promise<string> => page.locator('.turn.meant').innerText();
const isFocused = (selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.matches('${selector}')`);

test('words are found in the whole session, marked, and gone through by keys', async () => {
  await visit(page, PLACE);
  await page.keyboard.press('/');
  await page.keyboard.type('walrus');
  await page.keyboard.press('Enter');
  await soon(place).toBe('1 of 4');
  expect(await meant()).toContain('Where is the walrus?');
  expect(await marks()).toBeGreaterThan(2);
  // The field keeps the focus: Enter goes on, Shift-Enter back, around the end into another window.
  await page.keyboard.press('Enter');
  await soon(place).toBe('2 of 4');
  expect(await meant()).toContain('grep walrus zoo.txt');
  for (const _ of [1, 2]) await page.keyboard.press('Shift+Enter');
  await soon(place).toBe('4 of 4');
  await soon(meant).toContain('The Walrus sleeps.');
  expect(await isFocused('input[type=search]')).toBe(true);
  await soon(marks).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await soon(place).toBe('1 of 4');
  await soon(() => isFocused('.turn.meant')).toBe(true);
  await page.keyboard.press('Shift+N');
  await soon(place).toBe('4 of 4');
  expect(page.url()).toMatch(/find=walrus/);
  await page.reload();
  await settled(page);
  await soon(place).toBe('4 of 4');
  await page.getByLabel('Find in this session').fill('unicorn');
  await page.keyboard.press('Enter');
  await soon(place).toBe('not in this session');
  expect(await marks()).toBe(0);
  expect(wrong).toEqual([]);
});

test('the session is saved as Markdown', async () => {
  await visit(page, PLACE);
  const save = page.getByRole('button', { name: 'Save as Markdown' });
  await save.focus();
  const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(saved.suggestedFilename()).toBe('claude-code-55555555.md');
  const text = readFileSync(await saved.path(), 'utf8');
  expect(text).toMatch(/^# .*\n\n- Agent: claude-code\n/);
  expect(text).toContain('The Walrus sleeps.');
  expect(wrong).toEqual([]);
});

test('the line that resumes it is copied', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit(page, PLACE);
  expect(await page.locator('.take-away').innerText()).toContain('/home/ann/kettle');
  await page.getByRole('button', { name: 'Copy' }).click();
  await soon(() => page.locator('.said .note').innerText()).toContain(
    `copied: claude --resume ${SESSION}`,
  );
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`claude --resume ${SESSION}`);
});

test('nothing of it is wider than a telephone, and axe finds nothing serious, light or dark', async () => {
  await visit(page, `${PLACE}?find=walrus`);
  await soon(place).toBe('1 of 4');
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await graveFaults(page)).toEqual([]);
  }
});
