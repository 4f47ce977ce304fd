/** `dripstone unlink`: removes our lines; all other bytes stay. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { homeOf, pathsOf, userHomeOf } from '../../config.js';
import { usage } from '../../errors.js';
import { removeCopy, planExcludeOut, removeSkills, planServersOut } from '../../links/older.js';
import { changeAll, removeEmpty } from '../../links/files.js';
import { planUnlink, type PlannedLine } from '../../links/plan.js';
import { dropLink, readLinks, renderLinks } from '../../links/registry.js';
import { publishFile } from '../../store/index.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { unlinkHooks } from './link.js';
import { type Command, flag, print } from '../../command.js';
import type { Io } from '../../io.js';

export const unlinkCommand: Command = {
  name: 'unlink',
  summary: 'remove the lines that `link` added',
  usage: '[REPO | --global | --hooks | --all] [--print]',
  options: {
    global: flag('the lines of `link --global`'),
    hooks: flag('the hooks that `link --hooks` added'),
    all: flag(
      'everything that any version of `link` added: lines in all repositories, the global ones, hooks, servers, skills',
    ),
    print: flag('only show what would be removed'),
    json: flag('print {"version":1,"files":[{"agent","path","line","change"}]}'),
  },
  exits: {},
  examples: ['dripstone unlink', 'dripstone unlink ~/src/shop', 'dripstone unlink --all'],
  async run(io, args) {
    if (
      args.words.length > 1 ||
      (args.words.length > 0 && (args.flag('global') || args.flag('all')))
    )
      throw usage('unlink takes one folder, --global or --all', 'type `dripstone unlink FOLDER`');
    const isAll = args.flag('all');
    if (isAll || args.flag('hooks')) refuseAgents(io.caller(), 'a hook');
    const onlyShow = args.flag('print');
    const hooks = isAll || args.flag('hooks') ? unlinkHooks(io, onlyShow) : [];
    if (args.flag('hooks')) {
      return print(
        io,
        args,
        { hooks: hooks.map((path) => ({ path, change: 'removed' })) },
        hooks.length === 0 ? 'no hook of ours was found\n' : `${hooks.join('\n')}\n`,
      );
    }
    const skills = isAll || args.flag('global') ? removeSkills(userHomeOf(io.env), onlyShow) : [];
    const repos = isAll
      ? everyRepo(io)
      : args.flag('global')
        ? [null]
        : [folderOfRepo(io, args.words[0])];
    const removed: PlannedLine[] = [];
    for (const repo of repos) removed.push(...(await unlink(io, repo, onlyShow)));
    return print(
      io,
      args,
      { files: removed.map(({ agent, path, line, change }) => ({ agent, path, line, change })) },
      removed.length + skills.length + hooks.length === 0
        ? 'no line of ours was found\n'
        : `${[...removed.map(({ path, line }) => `${path}\n  ${line}`), ...skills, ...hooks].join('\n')}\n`,
    );
  },
};

/** Linked repositories; null: the agents' own folders. */
function everyRepo(io: Pick<Io, 'env'>): (string | null)[] {
  return [...new Set([null, ...readLinks(pathsOf(homeOf(io.env)).links).map((link) => link.repo)])];
}

/** Removes all links of any version. @returns the files */
export async function unlinkAll(io: Pick<Io, 'env'>): Promise<string[]> {
  const files = [...unlinkHooks(io), ...removeSkills(userHomeOf(io.env))];
  for (const repo of everyRepo(io)) files.push(...(await unlink(io, repo)).map(({ path }) => path));
  return files;
}

function folderOfRepo(io: Io, word: string | undefined): string {
  const folder = resolve(io.cwd, word ?? '.');
  return lookAtFolder(folder).top ?? folder;
}

/**
 * Removes the lines of one repository (null: the global ones), its copy, and folders that linking
 * created.
 */
async function unlink(
  io: Pick<Io, 'env'>,
  repo: string | null,
  onlyShow = false,
): Promise<PlannedLine[]> {
  const paths = pathsOf(homeOf(io.env));
  const links = readLinks(paths.links);
  const known = links.find((link) => link.repo === repo);
  const plan = planUnlink(
    repo,
    (known?.files ?? []).map(({ path }) => path),
    { userHome: userHomeOf(io.env), env: io.env },
  );
  const servers = repo === null ? null : planServersOut(repo, known?.servers ?? []);
  const lines = [...plan.lines, ...(servers?.lines ?? [])];
  if (onlyShow) return lines;
  const exclude = repo === null ? null : planExcludeOut(repo);
  changeAll([...plan.changes, ...(servers?.changes ?? []), ...(exclude === null ? [] : [exclude])]);
  if (repo !== null && existsSync(repo)) removeCopy(repo);
  removeEmpty(known?.folders ?? []);
  if (known) await publishFile(paths.links, renderLinks(dropLink(links, repo)));
  return lines;
}
