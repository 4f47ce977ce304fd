/**
 * A browser of this machine on the page of a made home. None is downloaded: Debian's Chromium, or
 * the one that CHROMIUM names.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { main } from '../../src/commands/main.js';
import { type Stage, samples, setStage } from '../stage.js';
import { answers, says } from '../jobs/made-log.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** @throws with what to install when there is none */
function findBrowser(env: NodeJS.ProcessEnv): string {
  const named = env['CHROMIUM'] ? [env['CHROMIUM']] : [];
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [...named, ...(named.length > 0 ? [] : onPath)].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found !== undefined) return found;
  throw new Error(
    `${named.length > 0 ? `CHROMIUM names ${named[0]}, which cannot be started` : `none of ${NAMES.join(', ')} is on PATH`}: ` +
      'install one (`apt-get install chromium`), or name it: CHROMIUM=/path/to/chrome make test-ui',
  );
}

/** @param flags of the browser's command line, e.g. names that lead elsewhere */
export function startBrowser(...flags: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser(process.env),
    args: ['--no-sandbox', '--disable-gpu', ...flags],
  });
}

/** `dripstone ui` on a stage, in this process. */
export interface Served {
  port: number;
  origin: string;
  /** An address that opens the page once. */
  address(): Promise<string>;
  stop(): Promise<void>;
}

export async function serve(stage: Stage): Promise<Served> {
  const stop = new AbortController();
  const told: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  const enters: (() => void)[] = [];
  const out = (text: string): void => void (waiting.shift()?.(text) ?? told.push(text));
  const next = (): Promise<string> =>
    told.length > 0 ? Promise.resolve(told.shift()!) : new Promise((done) => waiting.push(done));
  const lines = async function* (): AsyncGenerator<string> {
    for (;;) {
      await new Promise<void>((done) => enters.push(done));
      yield '';
    }
  };
  const io = stage.io();
  // Each look at the clock is a second later: what is newest among edits is told by their times.
  const clock = { ...io.clock, now: () => (stage.now = new Date(stage.now.getTime() + 1000)) };
  const ended = main(['ui'], {
    ...io,
    clock,
    signal: stop.signal,
    terminal: true,
    out,
    err: out,
    lines,
  });
  const addressIn = (text: string): string => /http:\S+/.exec(text)![0];
  const first = addressIn(await next());
  const { port, origin } = new URL(first);
  const unused = [first];
  return {
    port: Number(port),
    origin,
    async address() {
      if (unused.length > 0) return unused.pop()!;
      enters.shift()!();
      return addressIn(await next());
    },
    async stop() {
      stop.abort();
      const code = await ended;
      if (code !== 0) throw new Error(`dripstone ui ended with ${code}`);
    },
  };
}

/**
 * The sample home, with two lessons that contradict each other.
 * @param root where it stands, for pictures that show a path
 */
export async function setSamples(root?: string): Promise<Stage> {
  const stage = setStage({ from: samples, ...(root !== undefined && { root }) });
  const log = (session: string, text: string): void =>
    void stage.log({ session, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says(text),
      answers('Done.'),
    ]);
  log(
    '11111111-1111-4111-8111-111111111111',
    'Remember: Always indent with tabs here, not with spaces',
  );
  log(
    '22222222-2222-4222-8222-222222222222',
    'Remember: Always indent with spaces here, not with tabs',
  );
  const { code, err } = await stage.type('run');
  if (code !== 0) throw new Error(err);
  return stage;
}

/** A page that was opened, with everything that went wrong on it. */
export async function openPage(
  context: BrowserContext,
  address: string,
): Promise<{ page: Page; wrong: string[] }> {
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()),
  );
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on(
    'response',
    (answer) => answer.status() >= 400 && wrong.push(`${answer.status()} ${answer.url()}`),
  );
  await page.goto(address);
  await page.locator('main h1').waitFor();
  return { page, wrong };
}

/** Goes to a view of the page and waits until it is read. */
export async function visit(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await settled(page);
}

/** Until what was clicked is drawn, and what it asked for is there. */
export async function settled(page: Page): Promise<void> {
  const drawn =
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))';
  do await page.evaluate(drawn);
  while ((await page.locator('.loading').count()) > 0);
  await page.evaluate(drawn);
}

/** What the server answers to this page. */
export function ask<T>(page: Page, path: string): Promise<T> {
  const options = `{ headers: { authorization: 'Bearer ' + sessionStorage.getItem('token') } }`;
  return page.evaluate<T>(
    `fetch(${JSON.stringify(path)}, ${options}).then((answer) => answer.json())`,
  );
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe calls serious or critical, each with the first element that it means. */
export async function graveFaults(page: Page): Promise<string[]> {
  await page.evaluate(`${readFileSync(axe, 'utf8')}; undefined`);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>(`axe.run(document, { resultTypes: ['violations'] })`);
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)}`);
}
