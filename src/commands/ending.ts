/**
 * What a `run` with news ends with: the best lines of the newest page, what came back, and one next
 * step that can be typed.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, relative, resolve } from 'node:path';
import { createApp, type App } from '../app.js';
import { pathsOf, homeOf, userHomeOf, type Environment } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import type { Summary } from '../jobs/publishing/summary.js';
import { readDaemon } from '../jobs/upkeep/daemon-note.js';
import { shortPath } from '../links/line.js';
import { readLinks } from '../links/registry.js';
import { isOnPath } from '../llm/index.js';
import { compiledFile } from '../place.js';
import { loadProjects } from '../store/index.js';
import { firstReplay } from './replay.js';
import type { Io } from '../io.js';

const BEST = 3;
/** Needs no quotes in any shell. */
const PLAIN_PATH = /^[\w~./:\\-]+$/;

/**
 * Prints it. The run is done: where the store is busy by now, it ends without what only the store
 * knows.
 */
export async function tellEnding(io: Io, summary: Summary): Promise<void> {
  const [newest] = summary.contexts;
  const best =
    newest && existsSync(newest.path) ? bestLines(readFileSync(newest.path, 'utf8')) : [];
  if (newest && best.length > 0)
    io.out(`\n${newest.slug} knows\n${best.map((line) => `  ${line}\n`).join('')}`);
  const { replayed, folder } = await askStore(io, summary);
  if (replayed.length > 0) io.out(`\n${replayed.join('\n')}\n`);
  io.out(typable(`\nnext: ${nextStep(io, { slug: newest?.slug ?? null, folder })}\n`, io));
}

/**
 * The first lessons of a page as they stand there, what the user said before what was learnt. Pure.
 */
function bestLines(page: string): string[] {
  const parts = page.split(/^## /m).slice(1);
  const said = parts.filter((part) => part.startsWith('The user said'));
  const lines = [...said, ...parts.filter((part) => !said.includes(part))].flatMap((part) =>
    part.split('\n'),
  );
  return lines.filter((line) => line.startsWith('- ')).slice(0, BEST);
}

async function askStore(
  io: Io,
  summary: Summary,
): Promise<{ replayed: string[]; folder: string | null }> {
  try {
    await using app = await createApp({ ...io, access: 'read' });
    const replayed = isFirst(summary) ? await firstReplay(app) : [];
    return { replayed, folder: await folderOf(app, summary.contexts[0]?.slug) };
  } catch (error) {
    if (!(error instanceof AppError && error.exitCode === EXIT.busy)) throw error;
    return { replayed: [], folder: null };
  }
}

/** Whether all that is stored was read by this run. */
function isFirst({ entries, new: { entries: fresh } }: Summary): boolean {
  return entries > 0 && fresh >= entries;
}

/** A folder of the project that still exists and can be linked. */
async function folderOf(app: App, slug: string | undefined): Promise<string | null> {
  const project = (await app.store.read((db) => loadProjects(db))).find(
    (each) => each.slug === slug,
  );
  const isThere = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return (
    project?.folders.find((path) => resolve(path) !== resolve(app.userHome) && isThere(path)) ??
    null
  );
}

/**
 * A page helps nobody whom nothing leads to it; then reading must go on; then memory is for asking.
 */
function nextStep(
  io: Io,
  { slug, folder }: { slug: string | null; folder: string | null },
): string {
  const paths = pathsOf(homeOf(io.env));
  const isLinked = readLinks(paths.links).some((link) => link.slug === slug);
  if (folder !== null && !isLinked)
    return `\`dripstone link ${typedPath(folder, io.env)}\` leads your agents to this page`;
  if (readDaemon(paths) === null)
    return '`dripstone service install` reads new sessions as they are written';
  return '`dripstone search "words"` finds what was said and done';
}

/** Cmd.exe knows no `~`. */
function typedPath(path: string, env: Environment): string {
  const short = process.platform === 'win32' ? path : shortPath(path, userHomeOf(env));
  return PLAIN_PATH.test(short) ? short : `"${path}"`;
}

/**
 * Our own sentences, with commands as they can be typed here: before an installation there is no
 * `dripstone` on PATH.
 */
export function typable(text: string, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string {
  // npx and `npm run` lend a PATH to the one command that they start.
  const lasting = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  if (isOnPath('dripstone', lasting.join(delimiter))) return text;
  const cli = compiledFile('cli.js');
  const near = relative(cwd, cli);
  const file = near.startsWith('..') || isAbsolute(near) ? cli : near;
  return text.replaceAll('`dripstone ', `\`node ${PLAIN_PATH.test(file) ? file : `"${file}"`} `);
}
