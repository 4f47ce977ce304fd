/** `make screenshots`: pictures of the page on the sample home, for the README and docs/. */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LessonRow } from '../../src/web/wire.js';
import type { Stage } from '../stage.js';
import { ask, openPage, serve, setSamples, startBrowser, visit } from './browser.js';

/** What the README can carry. */
const MOST_BYTES = 150_000;
const WIDTH = 1080;

const FAILED = ['FAIL test/checkout.test.ts', 'Error: connect ECONNREFUSED 127.0.0.1:5432'];

/** What a person sees who asks about a failure. */
async function terminalOf(stage: Stage): Promise<string> {
  stage.stdin = FAILED;
  const { out } = await stage.type('fix', '--project', 'lanternfish');
  const [cure] = out.split('\n\n## Earlier');
  const lines = ['$ npm test', ...FAILED, '$ npm test 2>&1 | dripstone fix', cure!];
  const text = lines
    .join('\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/^(?:FAIL|Error).*$/gm, '<span style="color:#f3a09b">$&</span>')
    .replaceAll(/^(?:\$|##) .*$/gm, '<b style="color:#74cdc1">$&</b>');
  return `<body style="margin:0;background:#14171c"><pre style="margin:0;padding:20px 24px;width:${WIDTH - 48}px;
    white-space:pre-wrap;font:15px/1.5 ui-monospace,monospace;color:#dfe3ea">${text}</pre></body>`;
}

const root = join(tmpdir(), 'dripstone-pictures');
rmSync(root, { recursive: true, force: true });
const stage = await setSamples(root);
const terminal = await terminalOf(stage);
const served = await serve(stage);
const browser = await startBrowser();
try {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 640 } });
  const { page } = await openPage(context, await served.address());
  const drawn = await (
    await browser.newContext({ viewport: { width: WIDTH, height: 300 } })
  ).newPage();
  await drawn.setContent(terminal);
  const picture = fileURLToPath(new URL('../../docs/terminal.png', import.meta.url));
  await drawn.locator('pre').screenshot({ path: picture });
  const { lessons } = await ask<{ lessons: LessonRow[] }>(page, '/lessons?project=lanternfish');
  const often = lessons.find(({ sessions }) => sessions > 2)!;
  const pictures: [name: string, place: string, height: number, scheme: 'light' | 'dark'][] = [
    ['search', '?q=ECONNREFUSED', 640, 'light'],
    ['lesson', `lesson/${often.id}`, 760, 'light'],
    ['review', 'review', 500, 'dark'],
  ];
  for (const [name, place, height, colorScheme] of pictures) {
    await page.setViewportSize({ width: WIDTH, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await visit(page, place);
    const path = fileURLToPath(new URL(`../../docs/ui-${name}.png`, import.meta.url));
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`docs/ui-${name}.png: ${Math.round(size / 1000)} kB`);
    if (size > MOST_BYTES)
      throw new Error(`docs/ui-${name}.png is larger than ${MOST_BYTES} bytes`);
  }
} finally {
  await browser.close();
  await served.stop();
}
