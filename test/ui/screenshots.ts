/** `make screenshots`: pictures of the page on the sample home, for the README and docs/. */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LessonRow } from '../../src/web/wire.js';
import { ask, openPage, serve, setSamples, startBrowser, visit } from './browser.js';

/** What the README can carry. */
const MOST_BYTES = 150_000;
const WIDTH = 1080;

const root = join(tmpdir(), 'dripstone-pictures');
rmSync(root, { recursive: true, force: true });
const stage = await setSamples(root);
const served = await serve(stage);
const browser = await startBrowser();
try {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 640 } });
  const { page } = await openPage(context, await served.address());
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
