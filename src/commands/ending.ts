/**
 * The last lines of a `run` with news: the last cure, request and session of the newest project,
 * repeated errors, and one next step to type.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, relative, resolve } from 'node:path';
import { createApp, type App } from '../app.js';
import { pathsOf, homeOf, userHomeOf, type Environment } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import type { Summary } from '../jobs/publishing/summary.js';
import { retentionOf } from '../jobs/reading/log-retention.js';
import { readDaemon } from '../jobs/upkeep/daemon-note.js';
import { shortPath } from '../links/line.js';
import { readLinks } from '../links/registry.js';
import { isOnPath } from '../llm/index.js';
import { compiledFile } from '../place.js';
import { SHORT_ID } from '../recall/answer/sessions.js';
import { lastAsked, newestCure } from '../recall/newest.js';
import { loadProjects } from '../store/index.js';
import { counted } from '../text/amounts.js';
import type { Project } from '../types.js';
import { firstReplay } from './replay.js';
import type { Io } from '../io.js';

/** A path that needs no quotes in any shell. */
const PLAIN_PATH = /^[\w~./:\\-]+$/;

/** Prints the end of a run; without the lines from the store if it is busy. */
export async function printEnding(io: Io, summary: Summary): Promise<void> {
  const [newest] = summary.contexts;
  if (isFirst(summary)) for (const line of keptLines(io, summary)) io.out(`\n${line}\n`);
  const { lines, replayed, folder } = await askStore(io, summary);
  const ended = newest && existsSync(newest.path) ? lastSession(newest.path) : [];
  const known = [...lines, ...ended];
  if (newest && known.length > 0)
    io.out(
      withRunnableCommands(`\n${newest.slug}\n${known.map((line) => `  ${line}\n`).join('')}`, io),
    );
  if (replayed.length > 0) io.out(`\n${replayed.join('\n')}\n`);
  io.out(
    withRunnableCommands(`\nnext: ${next_step(io, { slug: newest?.slug ?? null, folder })}\n`, io),
  );
}

/** Folders that an agent cleans after some days, with the number of stored sessions. */
function keptLines({ env }: Io, { agents }: Summary): string[] {
  const userHome = userHomeOf(env);
  return agents.flatMap(({ agent, sessions }) => {
    const found = retentionOf(agent, { userHome, env });
    if (found === null) return [];
    const [folder, days] = [shortPath(found.folder, userHome), counted(found.days, 'day')];
    return `${folder}: ${agent} deletes logs there after ${days}; what ${counted(sessions, 'session')} said stays here`;
  });
}

/** The newest session's line on the page. */
function lastSession(page: string): string[] {
  const line = /^\* (.*)$/m.exec(readFileSync(page, 'utf8'))?.[1];
  return line === undefined ? [] : [`ended   ${line}`];
}

interface FromStore {
  lines: string[];
  replayed: string[];
  folder: string | null;
}

async function askStore(io: Io, summary: Summary): Promise<FromStore> {
  try {
    await using app = await createApp({ ...io, access: 'read' });
    const slug = summary.contexts[0]?.slug;
    const projects = await app.store.read((db) => loadProjects(db));
    const project = projects.find((each) => each.slug === slug) ?? null;
    return {
      lines: project === null ? [] : await newestLines(app, project),
      replayed: isFirst(summary) ? await firstReplay(app) : [],
      folder: folderOf(app, project),
    };
  } catch (error) {
    if (!(error instanceof AppError && error.exitCode === EXIT.busy)) throw error;
    return { lines: [], replayed: [], folder: null };
  }
}

async function newestLines(app: App, project: Project): Promise<string[]> {
  const [cure, asked] = [await newestCure(app, project), await lastAsked(app, project)];
  const shown = (id: string): string => `(\`dripstone show ${id.slice(0, SHORT_ID)}\`)`;
  return [
    ...(cure === null ? [] : [`cured   ${cure.text} ${shown(cure.id)}`]),
    ...(asked === null ? [] : [`asked   "${asked.text}" ${shown(asked.id)}`]),
  ];
}

/** Whether this run read all stored entries. */
function isFirst({ entries, new: { entries: fresh } }: Summary): boolean {
  return entries > 0 && fresh >= entries;
}

/** A folder of the project that still exists and can be linked. */
function folderOf(app: App, project: Project | null): string | null {
  const isThere = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return (
    project?.folders.find((path) => resolve(path) !== resolve(app.userHome) && isThere(path)) ??
    null
  );
}

/** Suggests the first missing step: a link, then the service, then a search. */
function next_step(
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

/** cmd.exe does not expand `~`. */
function typedPath(path: string, env: Environment): string {
  const short = process.platform === 'win32' ? path : shortPath(path, userHomeOf(env));
  return PLAIN_PATH.test(short) ? short : `"${path}"`;
}

/** Makes commands in our text runnable before an installation puts `dripstone` on PATH. */
export function withRunnableCommands(text: string, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string {
  // npx and `npm run` add their folder to PATH only for the command that they start.
  const lasting = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  if (isOnPath('dripstone', lasting.join(delimiter))) return text;
  const cli = compiledFile('cli.js');
  const near = relative(cwd, cli);
  const file = near.startsWith('..') || isAbsolute(near) ? cli : near;
  return text.replaceAll('`dripstone ', `\`node ${PLAIN_PATH.test(file) ? file : `"${file}"`} `);
}
