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
import { planExclude } from '../links/exclude.js';
import { choosePlaces, missingFolder, planLink, type LinkPlan } from '../links/plan.js';
import { isYes } from './model/consent.js';
import { planServers } from '../links/servers.js';
import { addLink, readLinks, renderLinks, type Link } from '../links/registry.js';
import { publishFile } from '../store/index.js';
import type { Project } from '../types.js';
import { lookAtFolder } from '../projects/folder-project.js';
import { printJson, usage, type Arguments, type Command, type Io } from './command.js';

export const linkCommand: Command = {
  name: 'link',
  summary: 'lead agents to context.md by one line in their instruction files',
  usage: '[REPO] [--agents A,…] [--copy] [--mcp] [--hook] [--print] | --global [--agents A,…] [--print]',
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
    hook: {
      type: 'boolean',
      help: 'for Claude Code: a SessionStart hook in .claude/settings.local.json that prints the notes, instead of the line',
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
  ],
  async run(io, args) {
    if (args.words.length > 1) throw usage('link takes one folder', 'type `dripstone link FOLDER`');
    const isGlobal = args.flag('global');
    if (isGlobal && (['copy', 'mcp', 'hook'].some((name) => args.flag(name)) || args.words.length > 0))
      throw usage('--global concerns no repository', 'leave --copy, --mcp, --hook and the folder out');
    const named = parseAgents(args.text('agents'), isGlobal);
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    const repo = isGlobal ? null : repositoryOf(app, resolve(io.cwd, args.words[0] ?? '.'));
    const project = repo === null ? null : await foreseeProject(app, repo);
    await app.store.close();
    const context = join(folderOf(app.paths, project), 'context.md');
    const copy = args.flag('copy');
    const seen = named ?? choosePlaces(repo, app);
    const isSeen = seen.length > 0;
    if (!isSeen && repo === null) throw usage('no agent was found on this machine', 'name some with --agents');
    const isPrinted = args.flag('print') || !isSeen;
    const wanted = isPrinted ? (isSeen ? seen : LINK_PLACES) : await withoutStrange(io, app, repo, seen, named !== null);
    const servers = repo === null ? null : serversOf(app, args, repo, wanted);
    const hasHook = servers?.lines.some(({ title, change }) => title.endsWith('hook') && change !== 'left') === true;
    const places = wanted.filter(({ agent }) => agent !== 'claude-code' || !hasHook);
    const plan = planLink({ userHome: app.userHome, env: app.env, repo, places, context, copy });
    if (!isPrinted) await apply(app, { repo, slug: project?.slug ?? null, copy, plan, servers, context, project });
    plan.lines.push(...(servers?.lines ?? []));
    if (!isSeen) for (const line of plan.lines) line.change = 'left';
    const left = LINK_PLACES.filter((place) => (repo !== null || place.globalFile !== null) && !wanted.includes(place));
    tell(io, args, { repo, project, copy, plan, left });
    if (!isSeen)
      io.err('no agent was seen here: nothing was written; `--agents all`, or the names of some, writes these lines\n');
    return EXIT.done;
  },
};

function serversOf(app: App, args: Arguments, repo: string, places: readonly LinkPlace[]) {
  const wanted = { mcp: args.flag('mcp'), hook: args.flag('hook') };
  const agents = places.map(({ agent }) => agent);
  return wanted.mcp || wanted.hook ? planServers(repo, agents, app.env['PATH'], wanted) : null;
}

/**
 * A folder that was not there is made when the person agrees: asked at a terminal, else by naming the agent.
 * @returns the places that are linked
 */
async function withoutStrange(
  io: Io,
  app: App,
  repo: string | null,
  places: LinkPlace[],
  isNamed: boolean,
): Promise<LinkPlace[]> {
  const strange = new Map(places.map((place) => [place, missingFolder(place, repo, app)]));
  const folders = [...new Set([...strange.values()].filter((folder) => folder !== null))];
  if (folders.length === 0 || (isNamed && !io.terminal)) return places;
  const isAgreed =
    io.terminal &&
    (await isYes(io, `This makes ${folders.join(' and ')}: go on with ${folders.length > 1 ? 'them' : 'it'}? [y/N] `));
  return isAgreed ? places : places.filter((place) => strange.get(place) === null);
}

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
    const changes = [...plan.changes, ...(servers?.changes ?? [])];
    const made = changes.filter(({ file }) => file.bytes === null).map(({ file }) => file.path);
    const own = repo === null ? [] : planExclude(repo, lookAtFolder(repo).commonDir, made);
    const folders = changeAll([...changes, ...own]);
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
