/** `dripstone link`: one line in each agent's instruction file that leads it to context.md. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createApp, type App } from '../../app.js';
import { emptyContext } from '../../context/index.js';
import { projectFolder } from '../../config.js';
import { EXIT } from '../../errors.js';
import { foreseeProject } from '../../jobs/learning/settle-projects.js';
import { LINK_PLACES, type LinkPlace } from '../../links/agents.js';
import { prepareCopy, removeCopy } from '../../links/copy.js';
import { planExclude } from '../../links/exclude.js';
import { type Change, changeAll } from '../../links/files.js';
import { COPY } from '../../links/line.js';
import { choosePlaces, newFoldersFor, planLink, type LinkPlan } from '../../links/plan.js';
import { HOOK_FILE, type LinkedServer, planHook, planServers } from '../../links/servers.js';
import { addLink, readLinks, renderLinks, type Link } from '../../links/registry.js';
import { publishFile } from '../../store/index.js';
import type { Project } from '../../types.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { shellWord } from '../../supervisor/program.js';
import { linkHooks, placesNamed } from './hooks.js';
import { isYes, printJson, usage, type Arguments, type Command, type Io } from '../command.js';

export const linkCommand: Command = {
  name: 'link',
  summary: 'point agents to context.md with one line in their instruction files',
  usage:
    '[REPO] [--agents A,…] [--copy | --hook | --page FILE] [--mcp] [--print] | --global [--agents A,…] [--print] | ' +
    '--hooks [--agents A,…] [--print]',
  options: {
    agents: {
      type: 'string',
      value: 'A,…',
      help:
        `only these, or all: ${LINK_PLACES.map((place) => place.agent).join(', ')}; default: those used on this machine ` +
        'or in this repository',
    },
    global: {
      type: 'boolean',
      help: 'link global/context.md in ~/.claude, ~/.codex and ~/.gemini instead',
    },
    copy: {
      type: 'boolean',
      help:
        'keep a copy in REPO/.dripstone/ (ignored by git) and point agents there: for agents that may not read outside ' +
        'the repository',
    },
    page: {
      type: 'string',
      value: 'FILE',
      help: "point agents to this file of REPO instead, such as a team's page",
    },
    mcp: {
      type: 'boolean',
      help: 'also add the MCP server to the settings in REPO of Claude Code, Gemini CLI, Cursor and VS Code, where they are JSON',
    },
    hook: {
      type: 'boolean',
      help: "instead of the line, let Claude Code print context.md at a session's start, by .claude/settings.local.json in REPO",
    },
    hooks: {
      type: 'boolean',
      help: 'instead let memory speak inside the agents used here, by hooks in their settings, at the moments of `hooks.moments`',
    },
    print: { type: 'boolean', help: 'only show what would be written' },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"project","repo","copy","files":[{"agent","path","line","change","committed","note"}]}',
    },
  },
  exits: { [EXIT.busy]: 'the store is in use by another process' },
  examples: [
    'dripstone link',
    'dripstone link ~/src/shop --copy',
    'dripstone link --print --agents all',
    'dripstone link --mcp --agents cursor',
    'dripstone link --hook --agents claude-code',
    'dripstone link --global',
    'dripstone link --hooks',
  ],
  async run(io, args) {
    if (args.words.length > 1) throw usage('link takes one folder', 'type `dripstone link FOLDER`');
    if (args.flag('hooks')) return linkHooks(io, args);
    const page = args.text('page');
    if (
      args.flag('global') &&
      (args.flag('copy') ||
        args.flag('mcp') ||
        args.flag('hook') ||
        page !== null ||
        args.words.length > 0)
    )
      throw usage(
        '--global concerns no repository',
        'leave --copy, --hook, --page, --mcp and the folder out',
      );
    if ([args.flag('hook'), args.flag('copy'), page !== null].filter(Boolean).length > 1)
      throw usage('agents are led one way', 'name one of --copy, --hook and --page');
    const all = LINK_PLACES.filter((place) => !args.flag('global') || place.globalFile !== null);
    const named = placesNamed(args.text('agents'), all, 'agent to link');
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    const repo = args.flag('global')
      ? null
      : repositoryOf(app, resolve(io.cwd, args.words[0] ?? '.'));
    const project = repo === null ? null : await foreseeProject(app, repo);
    await app.store.close();
    const context = join(projectFolder(app.paths, project), 'context.md');
    const copy = args.flag('copy');
    const inside = page === null ? (copy ? COPY : null) : pageIn(repo!, resolve(io.cwd, page));
    const seen = named ?? choosePlaces(repo, app);
    // Nobody asked for files of agents that nobody uses.
    const isShown = args.flag('print') || seen.length === 0;
    const chosen = named === null && !isShown ? await withoutRefused(io, seen, repo, app) : seen;
    const places = chosen.length === 0 && seen.length === 0 ? all : chosen;
    const hasHook =
      repo !== null && args.flag('hook') && places.some(({ agent }) => agent === 'claude-code');
    const lined = hasHook ? places.filter(({ agent }) => agent !== 'claude-code') : places;
    const plan = planLink({
      userHome: app.userHome,
      env: app.env,
      repo,
      places: lined,
      context,
      inside,
    });
    const agents = places.map(({ agent }) => agent);
    const others = [
      ...(repo !== null && args.flag('mcp') ? [planServers(repo, agents, app.env['PATH'])] : []),
      ...(hasHook ? [planHook(repo, shellWord(context))] : []),
    ];
    const servers = others.flatMap((each) => each.servers);
    plan.changes.push(
      ...others.flatMap(({ changes }) => changes),
      ...excluded(repo, places, hasHook),
    );
    if (!isShown)
      await apply(app, {
        repo,
        slug: project?.slug ?? null,
        copy,
        plan,
        servers,
        context,
        project,
      });
    plan.lines.push(...others.flatMap(({ lines }) => lines));
    const left = all.filter((place) => !places.includes(place));
    tell(io, args, { repo, project, copy, plan, left, isShown });
    if (seen.length === 0)
      io.err(
        'no agent was found here: nothing was written; `--agents` names those that you use, `--agents all` all\n',
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

/** The path of a file in its repository, with forward slashes. */
function pageIn(repo: string, file: string): string {
  const path = relative(repo, file);
  if (path.startsWith('..') || isAbsolute(path))
    throw usage(`${file} is not in ${repo}`, 'name a file of the repository');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw usage(`there is no file ${file}`, 'name a file of the repository');
  return path.replaceAll('\\', '/');
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
        `${place.agent} is left out: ${folder} is not there (\`--agents ${place.agent}\` makes it)\n`,
      );
  }
  return kept;
}

/** Claude Code's personal files stay out of git here: its own list of this machine has them. */
function excluded(repo: string | null, places: readonly LinkPlace[], hasHook: boolean): Change[] {
  if (repo === null || !places.some(({ agent }) => agent === 'claude-code')) return [];
  const change = planExclude(repo, hasHook ? `/${HOOK_FILE}` : '/CLAUDE.local.md');
  return change === null ? [] : [change];
}

interface Applied {
  repo: string | null;
  slug: string | null;
  copy: boolean;
  plan: LinkPlan;
  servers: LinkedServer[];
  context: string;
  project: Project | null;
}

/**
 * The registry first: a line that it does not know would outlive an uninstall, one too many does no
 * harm.
 */
async function apply(
  app: App,
  { repo, slug, copy, plan, servers, context, project }: Applied,
): Promise<void> {
  const known = readLinks(app.paths.links);
  const files = plan.lines.map(({ agent, path }) => ({ agent, path }));
  const link: Link = {
    repo,
    slug,
    copy,
    folders: [],
    files,
    ...(servers.length > 0 && { servers }),
  };
  await publishFile(app.paths.links, renderLinks(addLink(known, link)));
  try {
    if (copy && repo !== null)
      await publishFile(
        prepareCopy(repo),
        existsSync(context) ? readFileSync(context, 'utf8') : emptyContext(project),
      );
    const folders = changeAll(plan.changes);
    await publishFile(app.paths.links, renderLinks(addLink(known, { ...link, folders })));
  } catch (error) {
    await publishFile(app.paths.links, renderLinks(known));
    // A copy that an earlier link made stays.
    if (copy && repo !== null && !known.some((each) => each.repo === repo && each.copy))
      removeCopy(repo);
    throw error;
  }
}

interface LinkReport {
  repo: string | null;
  project: Project | null;
  copy: boolean;
  plan: LinkPlan;
  left: readonly LinkPlace[];
  /** Nothing was written. */
  isShown: boolean;
}

function tell(
  io: Io,
  args: Arguments,
  { repo, project, copy, plan, left, isShown }: LinkReport,
): void {
  if (args.flag('json')) {
    printJson(io, {
      project: project?.slug ?? null,
      repo,
      copy,
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
  if (left.length > 0 && lines.length > 0 && args.text('agents') === null)
    io.err(
      `not linked, since not seen here: ${left.map((place) => place.agent).join(', ')} (\`--agents all\` links them too)\n`,
    );
}
