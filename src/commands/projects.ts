/**
 * `dripstone projects`: which folders form one project. The person's decisions are in config.yaml.
 */
import { listProjects, namesOf, chooseProject } from '../recall/projects.js';
import { createApp, type App } from '../app.js';
import { refuseAgents } from '../caller.js';
import { withOption } from '../config-file.js';
import { AppError, EXIT, type ExitCode, usage } from '../errors.js';
import { shortPath } from '../links/line.js';
import { folderKey, isHomeFolder, isWithin } from '../projects/folder-path.js';
import { escapeGlob, matchFolders } from '../projects/globs.js';
import { loadProjects } from '../store/index.js';
import { counted } from '../text/amounts.js';
import type { Project } from '../types.js';
import {
  type Arguments,
  type Command,
  ASKING,
  runVerb,
  type Verb,
  flag,
  print,
} from '../command.js';
import { changeConfig } from './config.js';
import type { Io } from '../io.js';

const VERBS: Record<string, Verb> = {
  list: { run: list, usage: 'list [--json]', words: [0, 0] },
  join: { run: join, usage: 'join A B…', words: [2, Infinity] },
  split: { run: split, usage: 'split P', words: [1, 1] },
  rename: { run: rename, usage: 'rename P NAME', words: [2, 2] },
};

export const projectsCommand: Command = {
  name: 'projects',
  summary: 'which folders are one project: list, join, split, rename',
  usage: '[list | join A B… | split P | rename P NAME] [--json]',
  options: {
    json: flag(
      'list: print {"version":1,"projects":[{"slug","name","remote","folders","aliases","sessions",' +
        '"lessons","in_config"}]}',
    ),
  },
  exits: { ...ASKING, [EXIT.notWritable]: 'config.yaml cannot be written' },
  examples: [
    'dripstone projects',
    'dripstone projects join shop till        # both are `shop` from now on, with all their lessons',
    'dripstone projects split shop            # undoes a join',
    'dripstone projects rename shop-3fa9 store',
  ],
  async run(io, args) {
    // Only the person may join folders, since this mixes their lessons.
    if (args.words.some((word) => word !== 'list'))
      refuseAgents(io.caller(), 'saying which folders are one project');
    return runVerb('projects', VERBS, io, args);
  },
};

async function list(io: Io, args: Arguments): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const projects = await listProjects(app);
  return print(
    io,
    args,
    { projects },
    projects.length === 0
      ? 'no project yet\n'
      : projects.map((row) => render(row, app.userHome)).join(''),
  );
}

function render(row: Awaited<ReturnType<typeof listProjects>>[number], userHome: string): string {
  const facts = [
    counted(row.sessions, 'session'),
    counted(row.lessons, 'lesson'),
    ...(row.remote === null ? [] : [row.remote]),
    ...(row.in_config ? ['named in config.yaml'] : []),
  ];
  const head = row.slug.startsWith(`${row.name}-`) ? row.slug : `${row.slug}  ${row.name}`;
  return `${head}  ${facts.join(' · ')}\n${row.folders.map((folder) => `  ${shortPath(folder, userHome)}\n`).join('')}`;
}

async function join(io: Io, _args: Arguments, words: string[]): Promise<ExitCode> {
  const { named, name, globs } = await readStore(io, async (app) => {
    const found = await projectsNamed(app, io.cwd, words);
    if (new Set(found.map(({ id }) => id)).size < found.length)
      throw usage('these are already one project', 'see `dripstone projects`');
    const named = found.flatMap((project) => namesOf(app, project));
    return {
      named,
      name: namesOf(app, found[0]!)[0] ?? found[0]!.name,
      globs: await globsFor(app, found),
    };
  });
  await changeConfig(io, (text) => withProject(text, named, name, globs));
  return printProject(io, name);
}

async function rename(io: Io, _args: Arguments, [meant, name]: string[]): Promise<ExitCode> {
  // A project named `all` could not be selected, since `--project all` means every project.
  if (name!.trim() === '' || name === 'all' || /[\p{C}/\\]/u.test(name!))
    throw usage(
      'a project needs a plain name, and not `all`',
      'type `dripstone projects rename P NAME`',
    );
  const { named, globs } = await readStore(io, async (app) => {
    const [project] = await projectsNamed(app, io.cwd, [meant!]);
    const others = (await app.store.read((db) => loadProjects(db))).filter(
      ({ id, folders }) => id !== project!.id && folders.length > 0,
    );
    const taken = others.find(
      (other) => other.name === name || namesOf(app, other).includes(name!),
    );
    if (taken !== undefined)
      throw usage(
        `${taken.slug} is called ${name} already`,
        `\`dripstone projects join ${taken.slug} ${meant}\` makes them one`,
      );
    return { named: namesOf(app, project!), globs: await globsFor(app, [project!]) };
  });
  await changeConfig(io, (text) => withProject(text, named, name!, globs));
  return printProject(io, name!);
}

async function split(io: Io, _args: Arguments, [meant]: string[]): Promise<ExitCode> {
  const { named, folders } = await readStore(io, async (app) => {
    const [project] = await projectsNamed(app, io.cwd, [meant!]);
    return { named: namesOf(app, project!), folders: project!.folders };
  });
  if (named.length === 0)
    throw new AppError(
      'NOT_JOINED',
      `${meant} is not joined by config.yaml: git, or the paths of its worktrees, make its folders one`,
      { hint: '`dripstone projects` shows them', exitCode: EXIT.usage },
    );
  await changeConfig(io, (text) =>
    named.reduce((now, name) => withOption(now, ['projects', name], undefined), text),
  );
  await using app = await createApp({ ...io, access: 'read' });
  const now = await app.store.read((db) => loadProjects(db));
  const parts = now.filter((project) => project.folders.some((folder) => folders.includes(folder)));
  io.out(
    parts
      .map(
        ({ slug, folders: own }) =>
          `${slug}: ${own.map((folder) => shortPath(folder, app.userHome)).join(', ')}\n`,
      )
      .join(''),
  );
  return EXIT.done;
}

/** Closes the store after reading, since it must not be open while config.yaml changes. */
async function readStore<T>(io: Io, ask: (app: App) => Promise<T>): Promise<T> {
  await using app = await createApp({ ...io, access: 'read' });
  return await ask(app);
}

async function projectsNamed(app: App, cwd: string, words: readonly string[]): Promise<Project[]> {
  const found: Project[] = [];
  for (const word of words) {
    const project = await chooseProject(app, word, cwd);
    if (project === null) throw usage('`all` names no project', 'see `dripstone projects`');
    found.push(project);
  }
  return found;
}

/**
 * Globs of the outermost folders of these projects.
 * @throws AppError if one is a home or contains a folder of another project, which the glob would
 * include
 */
async function globsFor(app: App, projects: readonly Project[]): Promise<string[]> {
  const { config, userHome, store } = app;
  const home = folderKey(userHome);
  const keys = [...new Set(projects.flatMap(({ folders }) => folders.map(folderKey)))];
  const outer = keys
    .filter((key) => !keys.some((other) => other !== key && isWithin(key, other)))
    .sort();
  const kept = projects.flatMap((project) =>
    namesOf(app, project).flatMap((name) => config.projects[name]!),
  );
  const wide = outer.find((key) => isHomeFolder(key, home));
  if (outer.length === 0)
    throw usage(
      `${projects[0]!.slug} has no folder on this machine`,
      'join it after a session in one of its folders',
    );
  if (wide !== undefined)
    throw usage(
      `${wide} is a home: everything in it would be one project`,
      'name a project that has folders of its own',
    );
  const fresh = outer
    .filter((key) => !matchFolders(kept, userHome)(key))
    .map((key) => shortPath(escapeGlob(key), userHome));
  const globs = [...new Set([...kept, ...fresh])];
  const matches = matchFolders(globs, userHome);
  const others = (await store.read((db) => loadProjects(db))).filter(
    ({ id }) => !projects.some((each) => each.id === id),
  );
  const swallowed = others.find(({ folders }) => folders.some(matches));
  if (swallowed !== undefined)
    throw usage(
      `${swallowed.folders.find(matches)} lies in one of these folders and belongs to ${swallowed.slug}: it would be included, ` +
        'too',
      `name it as well: \`dripstone projects join ${[...projects, swallowed].map(({ slug }) => slug).join(' ')}\``,
    );
  return globs;
}

function withProject(
  text: string,
  old: readonly string[],
  name: string,
  globs: readonly string[],
): string {
  const without = old
    .filter((each) => each !== name)
    .reduce((now, each) => withOption(now, ['projects', each], undefined), text);
  return withOption(without, ['projects', name], globs);
}

async function printProject(io: Io, name: string): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await chooseProject(app, name, io.cwd);
  if (project !== null)
    io.out(
      `${name}: ${project.folders.map((folder) => shortPath(folder, app.userHome)).join(', ')}\n`,
    );
  return EXIT.done;
}
