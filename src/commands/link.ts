/** `dripstone link`: one line in each agent's instruction file that leads it to context.md. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApp, type App } from '../app.js';
import { emptyContext } from '../context/index.js';
import { EXIT } from '../errors.js';
import { folderOf } from '../jobs/publishing/crystal-file.js';
import { foreseeProject } from '../jobs/learning/settle-projects.js';
import { LINK_PLACES, type LinkPlace } from '../links/agents.js';
import { prepareCopy, removeCopy } from '../links/copy.js';
import { changeAll } from '../links/files.js';
import { choosePlaces, planLink, type LinkPlan } from '../links/plan.js';
import { planServers } from '../links/servers.js';
import { addLink, readLinks, renderLinks, type Link } from '../links/registry.js';
import { publishFile } from '../store/index.js';
import type { Project } from '../types.js';
import { lookAtFolder } from '../projects/folder-project.js';
import { printJson, usage, type Arguments, type Command, type Io } from './command.js';

export const linkCommand: Command = {
  name: 'link',
  summary: 'lead agents to context.md by one line in their instruction files',
  usage: '[REPO] [--agents A,…] [--copy] [--mcp] [--print] | --global [--agents A,…] [--print]',
  options: {
    agents: {
      type: 'string',
      value: 'A,…',
      help:
        `only these, or all: ${LINK_PLACES.map((place) => place.agent).join(', ')}; default: those used on this machine ` +
        'or in this repository',
    },
    global: { type: 'boolean', help: 'link global/context.md in ~/.claude, ~/.codex and ~/.gemini instead' },
    copy: {
      type: 'boolean',
      help:
        'keep a copy in REPO/.dripstone/ (ignored by git) and lead agents there: for agents that may not read outside ' +
        'the repository',
    },
    mcp: {
      type: 'boolean',
      help: 'also add the MCP server to the settings in REPO of Claude Code, Gemini CLI, Cursor and VS Code, where they are JSON',
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
    'dripstone link --global',
  ],
  async run(io, args) {
    if (args.words.length > 1) throw usage('link takes one folder', 'type `dripstone link FOLDER`');
    if (args.flag('global') && (args.flag('copy') || args.flag('mcp') || args.words.length > 0))
      throw usage('--global concerns no repository', 'leave --copy, --mcp and the folder out');
    const named = parseAgents(args.text('agents'), args.flag('global'));
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    const repo = args.flag('global') ? null : repositoryOf(app, resolve(io.cwd, args.words[0] ?? '.'));
    const project = repo === null ? null : await foreseeProject(app, repo);
    await app.store.close();
    const context = join(folderOf(app.paths, project), 'context.md');
    const copy = args.flag('copy');
    const places = named ?? choosePlaces(repo, app);
    if (places.length === 0) throw usage('no agent was found on this machine', 'name some with --agents');
    const plan = planLink({ userHome: app.userHome, env: app.env, repo, places, context, copy });
    const agents = places.map(({ agent }) => agent);
    const servers = repo !== null && args.flag('mcp') ? planServers(repo, agents, app.env['PATH']) : null;
    if (!args.flag('print')) await apply(app, { repo, slug: project?.slug ?? null, copy, plan, servers, context, project });
    plan.lines.push(...(servers?.lines ?? []));
    tell(io, args, {
      repo,
      project,
      copy,
      plan,
      left: LINK_PLACES.filter((place) => (repo !== null || place.globalFile !== null) && !places.includes(place)),
    });
    return EXIT.done;
  },
};

/** The top of the repository that a folder lies in, else the folder itself. */
function repositoryOf(app: Pick<App, 'userHome' | 'paths'>, folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`${folder} is not a folder`, 'name the folder of a repository');
  const repo = lookAtFolder(folder).top ?? folder;
  if (repo === resolve(app.userHome))
    throw usage(`${repo} is your home, not a repository`, 'name a repository, or use --global for what holds everywhere');
  if (join(repo, '.dripstone') === app.paths.home) throw usage(`${repo} holds dripstone's own home`, 'name another folder');
  return repo;
}

function parseAgents(text: string | null, global: boolean): LinkPlace[] | null {
  if (text === null) return null;
  const known = LINK_PLACES.filter((place) => !global || place.globalFile !== null);
  if (text === 'all') return known;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !known.some((place) => place.agent === name));
  if (wrong !== undefined || names.length === 0)
    throw usage(`no agent to link is called ${wrong ?? ''}`, `use some of ${known.map((place) => place.agent).join(', ')}`);
  return known.filter((place) => names.includes(place.agent));
}

interface Applied {
  repo: string | null;
  slug: string | null;
  copy: boolean;
  plan: LinkPlan;
  servers: ReturnType<typeof planServers> | null;
  context: string;
  project: Project | null;
}

/** The registry first: a line that it does not know would outlive an uninstall, one too many does no harm. */
async function apply(app: App, { repo, slug, copy, plan, servers, context, project }: Applied): Promise<void> {
  const known = readLinks(app.paths.links);
  const files = plan.lines.map(({ agent, path }) => ({ agent, path }));
  const link: Link = { repo, slug, copy, folders: [], files, ...(servers && { servers: servers.servers }) };
  await publishFile(app.paths.links, renderLinks(addLink(known, link)));
  try {
    if (copy && repo !== null)
      await publishFile(prepareCopy(repo), existsSync(context) ? readFileSync(context, 'utf8') : emptyContext(project));
    const folders = changeAll([...plan.changes, ...(servers?.changes ?? [])]);
    await publishFile(app.paths.links, renderLinks(addLink(known, { ...link, folders })));
  } catch (error) {
    await publishFile(app.paths.links, renderLinks(known));
    // A copy that an earlier link made stays.
    if (copy && repo !== null && !known.some((each) => each.repo === repo && each.copy)) removeCopy(repo);
    throw error;
  }
}

interface Told {
  repo: string | null;
  project: Project | null;
  copy: boolean;
  plan: LinkPlan;
  left: readonly LinkPlace[];
}

function tell(io: Io, args: Arguments, { repo, project, copy, plan, left }: Told): void {
  if (args.flag('json')) {
    printJson(io, {
      project: project?.slug ?? null,
      repo,
      copy,
      files: plan.lines.map(({ agent, path, line, change, committed, note }) => ({ agent, path, line, change, committed, note })),
    });
    return;
  }
  const lines = plan.lines.flatMap(({ title, path, line, change, committed, note }) => [
    `${path}  (${title}${args.flag('print') ? '' : `, ${change}`})`,
    `  ${line}`,
    ...(committed
      ? ['  note: this file is usually committed; others then see this line, and nothing happens where the notes do not exist']
      : []),
    ...(note === null ? [] : [`  note: ${note}`]),
  ]);
  io.out(`${lines.join('\n')}\n`);
  if (left.length > 0)
    io.err(`not linked, since not seen here: ${left.map((place) => place.agent).join(', ')} (\`--agents all\` links them too)\n`);
}
