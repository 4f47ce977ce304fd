/** A session is one document: the browser finds words in it, closed calls included. */
import { expect, test } from 'vitest';
import { setStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';
import { graveFaults, visit } from './browser.js';
import { opened, TELEPHONE, type Opened } from './opened.js';

const SESSION = '55555555-5555-4555-8555-555555555555';
const PLACE = `session/claude-code/${SESSION}`;

let { page, wrong } = {} as Opened;

opened(
  async () => {
    const stage = setStage();
    stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says('Where is the walrus?'),
      shell('grep seal zoo.txt', 'the otter is in pool 4', 0),
      ...Array.from({ length: 3000 }, (_, at) => answers(`Step ${at} is done.`)),
      answers(
        '# Result\n\n1. **found** in `zoo.txt`\n2. see [the map](map.md)\n\n> *seal*\n\n| animal | pool |\n| --- | --- |\n| otter | 4 |',
      ),
      answers(`${'A long way round. '.repeat(3000)}The Walrus sleeps.`),
    ]);
    expect((await stage.type('run')).code).toBe(0);
    return stage;
  },
  (ui) => ({ page, wrong } = ui),
  TELEPHONE,
);

test('all of it is there at once, and the browser finds what a closed call printed', async () => {
  await visit(page, PLACE);
  expect(await page.locator('.turn').count()).toBe(3004);
  expect(await page.evaluate(`window.find('Step 2999 is done.')`)).toBe(true);
  const call = page.locator('.turn.tool_call details');
  expect(await call.getAttribute('open')).toBeNull();
  expect(await call.textContent()).toContain('grep seal zoo.txt');
  expect(await call.textContent()).toContain('the otter is in pool 4');
  expect(wrong).toEqual([]);
});

test('Markdown is rendered, and of a very long text the browser finds the end', async () => {
  await visit(page, PLACE);
  const turn = page.locator('.turn', { hasText: 'Result' });
  expect(await turn.locator('ol li').allInnerTexts()).toEqual([
    'found in zoo.txt',
    'see the map (map.md)',
  ]);
  expect(await turn.locator('td').allInnerTexts()).toEqual(['otter', '4']);
  expect(await turn.innerText()).not.toMatch(/[#*`>|]/);
  await page.locator('.turn').last().getByText('The Walrus sleeps.').waitFor();
});

test('the line that resumes it is there, nothing is wider than a telephone, and axe finds nothing', async () => {
  await visit(page, PLACE);
  expect(await page.locator('main').innerText()).toContain(`claude --resume ${SESSION}`);
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await graveFaults(page)).toEqual([]);
  }
});
