/** Offers of an installation to a person at a terminal, one question each; the default is no. */
import { loadConfig, userHomeOf, type HomePaths } from '../../config.js';
import { argumentsOf, type Command } from '../../command.js';
import { AppError } from '../../errors.js';
import type { Io } from '../../io.js';
import { neededMoments } from '../../links/hook-places.js';
import { missingMoments, usedPlaces } from '../../links/hooks.js';
import { shortPath } from '../../links/line.js';
import { readLinks } from '../../links/registry.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { linkCommand } from '../linking/link.js';
import { isAtHand, offerModel } from '../model/use.js';

/** Offers the link, hooks and a model, in this order, unless they are already set. */
export async function offerAll(io: Io, paths: HomePaths): Promise<void> {
  if (isAtHand(io)) {
    await offerLink(io, paths);
    await offerHooks(io, paths);
  }
  await offerModel(io, paths, loadConfig(paths.config));
}

/** Offers a link in this folder's repository; elsewhere in the agents' global instructions. */
async function offerLink(io: Io, paths: HomePaths): Promise<void> {
  const userHome = userHomeOf(io.env);
  const top = lookAtFolder(io.cwd).top;
  const repo = top === userHome ? null : top;
  if (readLinks(paths.links).some((link) => link.repo === repo)) return;
  const where = repo === null ? 'all projects' : shortPath(repo, userHome);
  await offer(
    io,
    `Add one line to your agents' instruction files of ${where}, so that they read their notes?`,
    linkCommand,
    repo === null ? { global: true } : {},
    repo === null ? [] : [repo],
  );
}

async function offerHooks(io: Io, paths: HomePaths): Promise<void> {
  const where = { userHome: userHomeOf(io.env), env: io.env };
  const moments = neededMoments(loadConfig(paths.config).hooks);
  const places = usedPlaces(where).filter(
    (place) => missingMoments(place, moments, where)?.length !== 0,
  );
  if (places.length === 0) return;
  const titles = places.map(({ title }) => title).join(', ');
  const question = `Add hooks to the settings of ${titles}, which show what fixed an error when a command fails?`;
  await offer(io, question, linkCommand, { hooks: true }, []);
}

/** Prints the error of a failed command, since the installation itself succeeded. */
async function offer(
  io: Io,
  question: string,
  command: Command,
  options: Record<string, boolean>,
  words: string[],
): Promise<void> {
  const answer = await io.ask?.(`${question} [y/N] `, '');
  if (!/^\s*y(?:es)?\s*$/i.test(answer ?? '')) return;
  try {
    await command.run(io, argumentsOf(command, options, words));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(
      `not done: ${error.message}\n${error.hint === undefined ? '' : `  next: ${error.hint}\n`}`,
    );
  }
}
