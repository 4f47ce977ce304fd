/** A home's page in a browser, opened before the tests of a file and closed after them. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Stage } from '../stage.js';
import { openPage, serve, type Served, startBrowser } from './browser.js';

export interface Opened {
  stage: Stage;
  served: Served;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** What went wrong on the page since the test began. */
  wrong: string[];
  /** The address that opened it. */
  address: string;
}

export const TELEPHONE = { viewport: { width: 320, height: 740 } };

/**
 * @param make a home that was read
 * @param take what the tests use of it
 * @param flags of the browser's command line
 */
export function opened(
  make: () => Promise<Stage>,
  take: (ui: Opened) => void,
  {
    viewport,
    flags = [],
  }: { viewport?: { width: number; height: number }; flags?: readonly string[] } = {},
): void {
  const ui: Partial<Opened> = {};
  beforeAll(async () => {
    ui.stage = await make();
    ui.served = await serve(ui.stage);
    ui.browser = await startBrowser(...flags);
    ui.context = await ui.browser.newContext({ viewport });
    ui.address = await ui.served.address();
    take(Object.assign(ui, await openPage(ui.context, ui.address)) as Opened);
  });
  afterAll(async () => {
    await ui.browser?.close();
    await ui.served?.stop();
  });
  beforeEach(() => void ui.wrong?.splice(0));
}
