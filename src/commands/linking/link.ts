/** `dripstone link`: a line in each agent's instruction file that points to context.md. */
import { statSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';
import { createApp, type App } from '../../app.js';
import {
  projectFolder,
  homeOf,
  loadConfig,
  pathsOf,
  userHomeOf,
  type Config,
} from '../../config.js';
import { EXIT, usage, type ExitCode } from '../../errors.js';
import { LINK_PLACES, type LinkPlace } from '../../links/agents.js';
import { changeAll, removeEmpty } from '../../links/files.js';
import { choosePlaces, newFoldersFor, planLink, type LinkPlan } from '../../links/plan.js';
import { addLink, readLinks, renderLinks, type Link } from '../../links/registry.js';
import { publishFile } from '../../store/index.js';
import type { Project } from '../../types.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { isYes, printJson, type Arguments, type Command, value, flag } from '../../command.js';
import type { Io } from '../../io.js';
import { foreseeProject } from '../../recall/projects.js';
import { readDaemon } from '../../jobs/upkeep/daemon-note.js';
import { HOOK_PLACES, neededMoments, type HookPlace } from '../../links/hook-places.js';
import { missingMoments, planHooks, planHooksOut, usedPlaces } from '../../links/hooks.js';
import { compiledFile } from '../../place.js';
import { shellWord } from '../../supervisor/program.js';

export const linkCommand: Command = {
  name: 'link',
  summary: 'point agents to context.md with one line in their instruction files',
  usage:
    '[REPO] [--only A,…] [--print] | --global [--only A,…] [--print] | --hooks [--only A,…] [--print]',
  options: {
    only: value(
      'A,…',
      `these agents, or all: ${LINK_PLACES.map((place) => place.agent).join(', ')}; default: those used on this machine ` +
        'or in this repository',
    ),
    global: flag('link global/context.md in ~/.claude, ~/.codex and ~/.gemini instead'),
    hooks: flag(
      'instead add hooks to the settings of the agents used here; they show what helps at the moments in `hooks.moments`',
    ),
    print: flag('only show what would be written'),
    json: flag(
      'print {"version":1,"project","repo","files":[{"agent","path","line","change","committed","note"}]}',
    ),
  },
  exits: { [EXIT.busy]: 'the store is in use by another process' },
  examples: [
    'dripstone link',
    'dripstone link ~/src/shop --only codex',
    'dripstone link --print --only all',
    'dripstone link --global',
    'dripstone link --hooks',
  ],
  async run(io, args) {
    if (args.words.length > 1) throw usage('link takes one folder', 'type `dripstone link FOLDER`');
    if (args.flag('hooks')) return linkHooks(io, args);
    if (args.flag('global') && args.words.length > 0)
      throw usage('--global concerns no repository', 'leave the folder out');
    const all = LINK_PLACES.filter((place) => !args.flag('global') || place.globalFile !== null);
    const named = placesNamed(args.text('only'), all, 'agent to link');
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    const repo = args.flag('global')
      ? null
      : repositoryOf(app, resolve(io.cwd, args.words[0] ?? '.'));
    const project = repo === null ? null : await foreseeProject(app, repo);
    await app.store.close();
    const context = join(projectFolder(app.paths, project), 'context.md');
    const seen = named ?? choosePlaces(repo, app);
    // Writes nothing without an agent in use and without --only.
    const isShown = args.flag('print') || seen.length === 0;
    const chosen = named === null && !isShown ? await withoutRefused(io, seen, repo, app) : seen;
    const places = chosen.length === 0 && seen.length === 0 ? all : chosen;
    const plan = planLink({ userHome: app.userHome, env: app.env, repo, places, context });
    if (!isShown) await apply(app, repo, project?.slug ?? null, plan);
    const left = all.filter((place) => !places.includes(place));
    printReport(io, args, { repo, project, plan, left, isShown });
    if (seen.length === 0)
      io.err(
        'no agent was found here: nothing was written; `--only` names those that you use, `--only all` all\n',
      );
    return EXIT.done;
  },
};

/** The root of a folder's repository, else the folder itself. */
function repositoryOf(app: Pick<App, 'userHome' | 'paths'>, folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`${folder} is not a folder`, 'name the folder of a repository');
  const repo = lookAtFolder(folder).top ?? folder;
  if (repo === resolve(app.userHome))
    throw usage(
      `${repo} is your home, not a repository`,
      'name a repository, or use --global for the lessons of all your projects',
    );
  if (join(repo, '.dripstone') === app.paths.home)
    throw usage(`${repo} contains dripstone's own home`, 'name another folder');
  return repo;
}

/** Leaves out places that need a new folder, unless the person accepts them at a terminal. */
async function withoutRefused(
  io: Io,
  places: readonly LinkPlace[],
  repo: string | null,
  where: Pick<App, 'userHome' | 'env'>,
): Promise<LinkPlace[]> {
  const kept: LinkPlace[] = [];
  for (const place of places) {
    const [folder] = newFoldersFor(place, repo, where);
    const isAsked = folder !== undefined && io.terminal;
    if (
      folder === undefined ||
      (isAsked && (await isYes(io, `${folder} is not there: make it for ${place.title}? [y/N] `)))
    ) {
      kept.push(place);
    } else if (!isAsked)
      io.err(
        `${place.agent} is left out: ${folder} is not there (\`--only ${place.agent}\` makes it)\n`,
      );
  }
  return kept;
}

/** Writes the registry first, since `uninstall` removes only lines in the registry. */
async function apply(
  app: App,
  repo: string | null,
  slug: string | null,
  plan: LinkPlan,
): Promise<void> {
  const known = readLinks(app.paths.links);
  const files = plan.lines.map(({ agent, path }) => ({ agent, path }));
  // A copy by an earlier version stays up to date until `unlink` removes it.
  const copy = known.some((each) => each.repo === repo && each.copy);
  const link: Link = { repo, slug, copy, folders: [], files };
  await publishFile(app.paths.links, renderLinks(addLink(known, link)));
  try {
    const folders = changeAll(plan.changes);
    await publishFile(app.paths.links, renderLinks(addLink(known, { ...link, folders })));
  } catch (error) {
    await publishFile(app.paths.links, renderLinks(known));
    throw error;
  }
}

interface LinkReport {
  repo: string | null;
  project: Project | null;
  plan: LinkPlan;
  left: readonly LinkPlace[];
  /** Nothing was written. */
  isShown: boolean;
}

function printReport(
  io: Io,
  args: Arguments,
  { repo, project, plan, left, isShown }: LinkReport,
): void {
  if (args.flag('json')) {
    printJson(io, {
      project: project?.slug ?? null,
      repo,
      files: plan.lines.map(({ title: _, ...line }) => line),
    });
    return;
  }
  const lines = plan.lines.flatMap(({ title, path, line, change, committed, note }) => [
    `${path}  (${title}${isShown ? '' : `, ${change}`})`,
    `  ${line}`,
    ...(committed
      ? [
          '  note: this file is usually committed; others then see this line, and nothing happens where the notes do not exist',
        ]
      : []),
    ...(note === null ? [] : [`  note: ${note}`]),
  ]);
  if (lines.length > 0) io.out(`${lines.join('\n')}\n`);
  if (left.length > 0 && lines.length > 0 && args.text('only') === null)
    io.err(
      `not linked, since not seen here: ${left.map((place) => place.agent).join(', ')} (\`--only all\` links them too)\n`,
    );
}

// `link --hooks` and `unlink --hooks`: hooks in the settings of agents.

function linkHooks(io: Io, args: Arguments): ExitCode {
  if (args.flag('global'))
    throw usage('--hooks concerns no repository', 'type `dripstone link --hooks` alone');
  if (args.words.length > 0)
    throw usage(
      '--hooks takes no folder',
      'hooks work in every project: type `dripstone link --hooks`',
    );
  if (process.platform === 'win32')
    throw usage(
      'hooks are commands of a Unix shell',
      'add the MCP server `dripstone mcp` to your agent instead',
    );
  const paths = pathsOf(homeOf(io.env));
  const moments = neededMoments(loadConfig(paths.config).hooks);
  const where = { userHome: userHomeOf(io.env), env: io.env };
  const places =
    placesNamed(args.text('only'), HOOK_PLACES, 'agent with hooks') ?? usedPlaces(where);
  const plan = planHooks(places, moments, (place) => hookLine(place, paths.home), where);
  if (!args.flag('print')) changeAll(plan.changes);
  if (args.flag('json')) {
    printJson(io, { moments, hooks: plan.hooks.map(({ title: _, ...hook }) => hook) });
    return EXIT.done;
  }
  for (const { title, path, events, change, note } of plan.hooks) {
    io.out(
      `${path}  (${title}, ${args.flag('print') ? 'not written' : change})\n  ${events.join(', ')}\n`,
    );
    if (note !== null) io.out(`  note: ${note}\n`);
  }
  if (plan.hooks.length === 0)
    io.err('no agent that has hooks was found here: nothing was written\n');
  else if (readDaemon(paths) === null)
    io.err(
      'hooks are silent until the daemon runs: `dripstone service install` keeps it running\n',
    );
  return EXIT.done;
}

/** Titles of agents in use that support guards and lack our hooks. */
export function unhookedAgents(io: Pick<Io, 'env'>, { hooks }: Config): string[] {
  const where = { userHome: userHomeOf(io.env), env: io.env };
  return usedPlaces(where).flatMap((place) => {
    const missing = missingMoments(place, neededMoments(hooks), where);
    return place.events.command === undefined || missing?.length === 0 ? [] : [place.title];
  });
}

/**
 * The shell command of a hook. Prints no error if node or the program is missing; succeeds if the
 * agent ignores the exit code.
 */
function hookLine({ agent, readsExit }: HookPlace, home: string): string {
  const words = [process.execPath, compiledFile('hook.cjs'), agent, home].map(shellWord);
  return `${words.join(' ')} 2>/dev/null${readsExit ? '' : ' || true'}`;
}

/**
 * The places that `--only` names; null without it. @param title kind of the places, for the error:
 * `agent with hooks`
 */
function placesNamed<T extends { agent: string }>(
  text: string | null,
  known: readonly T[],
  title: string,
): T[] | null {
  if (text === null) return null;
  if (text === 'all') return [...known];
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const wrong = names.find((name) => !known.some(({ agent }) => agent === name));
  if (wrong !== undefined || names.length === 0)
    throw usage(
      `no ${title} is called ${wrong ?? ''}`,
      `use some of ${known.map(({ agent }) => agent).join(', ')}`,
    );
  return known.filter(({ agent }) => names.includes(agent));
}

/** Removes the hooks from every agent's settings. @returns the files */
export function unlinkHooks(io: Pick<Io, 'env'>, onlyShow = false): string[] {
  const plan = planHooksOut(HOOK_PLACES, { userHome: userHomeOf(io.env), env: io.env });
  if (onlyShow) return plan.hooks.map(({ path }) => path);
  changeAll(plan.changes);
  removeEmpty(
    plan.changes.flatMap(({ file, after }) => (after === null ? [dirname(file.real)] : [])),
  );
  return plan.hooks.map(({ path }) => path);
}
