/** `dripstone link`: one line in each agent's instruction file that leads it to context.md. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApp, type App } from '../../app.js';
import { projectFolder } from '../../config.js';
import { EXIT, usage } from '../../errors.js';
import { LINK_PLACES, type LinkPlace } from '../../links/agents.js';
import { changeAll } from '../../links/files.js';
import { choosePlaces, newFoldersFor, planLink, type LinkPlan } from '../../links/plan.js';
import { addLink, readLinks, renderLinks, type Link } from '../../links/registry.js';
import { publishFile } from '../../store/index.js';
import type { Project } from '../../types.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { linkHooks, placesNamed } from './hooks.js';
import { isYes, printJson, type Arguments, type Command } from '../command.js';
import type { Io } from '../../io.js';
import { foreseeProject } from '../../recall/projects.js';

export const linkCommand: Command = {
  name: 'link',
  summary: 'point agents to context.md with one line in their instruction files',
  usage:
    '[REPO] [--only A,…] [--print] | --global [--only A,…] [--print] | --hooks [--only A,…] [--print]',
  options: {
    only: {
      type: 'string',
      value: 'A,…',
      help:
        `these agents, or all: ${LINK_PLACES.map((place) => place.agent).join(', ')}; default: those used on this machine ` +
        'or in this repository',
    },
    global: {
      type: 'boolean',
      help: 'link global/context.md in ~/.claude, ~/.codex and ~/.gemini instead',
    },
    hooks: {
      type: 'boolean',
      help: 'instead let memory speak inside the agents used here, by hooks in their settings, at the moments of `hooks.moments`',
    },
    print: { type: 'boolean', help: 'only show what would be written' },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"project","repo","files":[{"agent","path","line","change","committed","note"}]}',
    },
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
    // Nobody asked for files of agents that nobody uses.
    const isShown = args.flag('print') || seen.length === 0;
    const chosen = named === null && !isShown ? await withoutRefused(io, seen, repo, app) : seen;
    const places = chosen.length === 0 && seen.length === 0 ? all : chosen;
    const plan = planLink({ userHome: app.userHome, env: app.env, repo, places, context });
    if (!isShown) await apply(app, { repo, slug: project?.slug ?? null, plan });
    const left = all.filter((place) => !places.includes(place));
    tell(io, args, { repo, project, plan, left, isShown });
    if (seen.length === 0)
      io.err(
        'no agent was found here: nothing was written; `--only` names those that you use, `--only all` all\n',
      );
    return EXIT.done;
  },
};

/** The top of the repository that a folder lies in, else the folder itself. */
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
    throw usage(`${repo} holds dripstone's own home`, 'name another folder');
  return repo;
}

/**
 * What a person at a terminal does not want made, and elsewhere whatever needs a new folder, stays
 * out.
 */
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

interface Applied {
  repo: string | null;
  slug: string | null;
  plan: LinkPlan;
}

/**
 * The registry first: a line that it does not know would outlive an uninstall, one too many does no
 * harm.
 */
async function apply(app: App, { repo, slug, plan }: Applied): Promise<void> {
  const known = readLinks(app.paths.links);
  const files = plan.lines.map(({ agent, path }) => ({ agent, path }));
  // A copy of an earlier version is kept up to date until `unlink` removes it.
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

function tell(io: Io, args: Arguments, { repo, project, plan, left, isShown }: LinkReport): void {
  if (args.flag('json')) {
    printJson(io, {
      project: project?.slug ?? null,
      repo,
      files: plan.lines.map(({ agent, path, line, change, committed, note }) => ({
        agent,
        path,
        line,
        change,
        committed,
        note,
      })),
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
