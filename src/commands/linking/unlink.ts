/** `dripstone unlink`: removes our lines; every other byte stays. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeOf, pathsOf, userHomeOf } from '../../config.js';
import { EXIT } from '../../errors.js';
import { removeCopy } from '../../links/copy.js';
import { planExclude } from '../../links/exclude.js';
import { changeAll, removeEmpty } from '../../links/files.js';
import { planUnlink, type PlannedLine } from '../../links/plan.js';
import { planServersOut } from '../../links/servers.js';
import { dropSkillFolders, planSkillsOut } from '../../links/skill.js';
import { dropLink, readLinks, renderLinks } from '../../links/registry.js';
import { publishFile } from '../../store/index.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { unlinkHooks } from './hooks.js';
import { printJson, usage, type Command, type Io } from '../command.js';

export const unlinkCommand: Command = {
  name: 'unlink',
  summary: 'remove the lines that `link` added',
  usage: '[REPO | --global | --hooks | --all] [--print]',
  options: {
    global: {
      type: 'boolean',
      help: 'the lines of `link --global`, and the skill of older versions',
    },
    hooks: { type: 'boolean', help: 'the hooks that `link --hooks` added' },
    all: {
      type: 'boolean',
      help: 'every line in every repository, what --global removes, and the hooks',
    },
    print: { type: 'boolean', help: 'only show what would be removed' },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"files":[{"agent","path","line","change"}]}',
    },
  },
  exits: {},
  examples: ['dripstone unlink', 'dripstone unlink ~/src/shop', 'dripstone unlink --all'],
  async run(io, args) {
    if (
      args.words.length > 1 ||
      (args.words.length > 0 && (args.flag('global') || args.flag('all')))
    )
      throw usage('unlink takes one folder, --global or --all', 'type `dripstone unlink FOLDER`');
    const hooks = args.flag('hooks') || args.flag('all') ? unlinkHooks(io, args.flag('print')) : [];
    if (args.flag('hooks')) {
      if (args.flag('json'))
        printJson(io, { hooks: hooks.map((path) => ({ path, change: 'removed' })) });
      else io.out(hooks.length === 0 ? 'no hook of ours was found\n' : `${hooks.join('\n')}\n`);
      return EXIT.done;
    }
    const repos = args.flag('all')
      ? everyRepo(io)
      : args.flag('global')
        ? [null]
        : [folderOfRepo(io, args.words[0])];
    const removed: PlannedLine[] = [];
    for (const repo of repos) removed.push(...(await unlink(io, repo, args.flag('print'))));
    if (args.flag('json'))
      printJson(io, {
        files: removed.map(({ agent, path, line, change }) => ({ agent, path, line, change })),
      });
    else
      io.out(
        removed.length + hooks.length === 0
          ? 'no line of ours was found\n'
          : `${[...removed.map(({ path, line }) => `${path}\n  ${line}`), ...hooks].join('\n')}\n`,
      );
    return EXIT.done;
  },
};

/** What was linked, the home of all agents included. */
export function everyRepo(io: Io): (string | null)[] {
  return [...new Set([null, ...readLinks(pathsOf(homeOf(io.env)).links).map((link) => link.repo)])];
}

function folderOfRepo(io: Io, word: string | undefined): string {
  const folder = resolve(io.cwd, word ?? '.');
  return lookAtFolder(folder).top ?? folder;
}

/**
 * Removes the lines of one repository (null: the global ones), its copy, and folders that linking
 * created.
 */
export async function unlink(
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
  const skills = repo === null ? planSkillsOut(userHomeOf(io.env)) : [];
  const lines = [...plan.lines, ...(servers?.lines ?? []), ...skills.map(skillLine)];
  if (onlyShow) return lines;
  const exclude = repo === null ? null : planExclude(repo, null);
  changeAll([
    ...plan.changes,
    ...(servers?.changes ?? []),
    ...(exclude === null ? [] : [exclude]),
    ...skills.map(({ change }) => change),
  ]);
  dropSkillFolders(skills.map(({ path }) => path));
  if (repo !== null && existsSync(repo)) removeCopy(repo);
  removeEmpty(known?.folders ?? []);
  if (known) await publishFile(paths.links, renderLinks(dropLink(links, repo)));
  return lines;
}

function skillLine({ path }: { path: string }): PlannedLine {
  return {
    agent: path.includes('.claude') ? 'claude-code' : 'codex',
    title: 'skill',
    path,
    line: 'name: dripstone-tidy',
    change: 'removed',
    committed: false,
    note: null,
  };
}
