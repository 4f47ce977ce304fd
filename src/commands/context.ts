/** `dripstone context`: prints a project's context.md. */
import { EXIT, usage } from '../errors.js';
import { createApp, type App } from '../app.js';
import { pageNow, type ContextFile } from '../recall/context-file.js';
import { isSilentToday } from '../context/index.js';
import { recallFrom } from '../recall/recall.js';
import type { Project } from '../types.js';
import { printJson, type Command } from './command.js';
import type { Io } from '../io.js';
import { projectHere } from '../recall/project-here.js';

export const contextCommand: Command = {
  name: 'context',
  summary: 'print the context.md of a project',
  usage: '[--project P] [--path | --ids | --json | --for "TASK"]',
  options: {
    project: {
      type: 'string',
      value: 'P',
      help: 'folder, slug or name; default: the project of this folder, outside any project the global notes',
    },
    path: { type: 'boolean', help: 'print only the path of the file' },
    ids: { type: 'boolean', help: 'render it now, with the short id after each lesson' },
    for: {
      type: 'string',
      value: 'TASK',
      help: 'print what `dripstone recall "TASK"` prints instead: an older name of it',
    },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"project","path","tokens","text"}, with --for also "mode"',
    },
  },
  exits: { [EXIT.busy]: 'the store is in use by another process' },
  examples: [
    'dripstone context',
    'dripstone context --project shop-3fa9 --path',
    'dripstone context --for "make the invoice tests faster"',
  ],
  async run(io, args) {
    const task = args.text('for');
    if (task !== null && args.flag('path'))
      throw usage('--for prints lessons, which have no path', 'leave --path or --for out');
    if (args.flag('ids') && (task !== null || args.flag('path') || args.flag('json')))
      throw usage('--ids prints the notes for a person', 'leave --for, --path and --json out');
    await using app = await createApp({
      ...io,
      access: 'read',
      storeOptional: true,
      configOptional: true,
    });
    if (app.configProblem !== null)
      io.err(`dripstone: ${app.configProblem.message}; nothing is read until it is right\n`);
    const { project, file } = await contextOf(app, {
      spec: args.text('project'),
      cwd: io.cwd,
      task,
    });
    if (args.flag('ids') && app.storeExists)
      io.out(await (await import('../jobs/publishing/context.js')).contextWithIds(app, project));
    else if (args.flag('json')) printJson(io, contextJson({ project, file }));
    else io.out(args.flag('path') ? `${file.path}\n` : file.text);
    tellHeldOut(io, app);
    return EXIT.done;
  },
};

/** Tells a person why memory says nothing today; an agent must not know. */
export function tellHeldOut(io: Io, app: App): void {
  if (io.outIsTerminal === true && isSilentToday(app) && io.caller().kind === 'person')
    io.err(
      'today (UTC) is held out by context.holdout: page, hooks and recall are silent; `dripstone replay --holdout`\n',
    );
}

interface ContextFound {
  project: Project | null;
  file: ContextFile & { mode?: string };
}

/** The notes of a project, or what they say about a task (null: all of it). */
export async function contextOf(
  app: App,
  { spec, cwd, task }: { spec: string | null; cwd: string; task: string | null },
): Promise<ContextFound> {
  if (spec === 'all') throw usage('context prints one project', 'name one, or leave --project out');
  if (task !== null && app.storeExists) app.embedder.warm();
  const project = await projectHere(app, spec, cwd);
  if (spec !== null && !app.storeExists)
    throw usage(
      `no project is called ${spec}: there is no memory yet`,
      'run `dripstone run` first',
    );
  const page = pageNow(app, project);
  if (task === null) return { project, file: page };
  if (!app.storeExists) return { project, file: { ...page, text: '', tokens: 0, mode: 'keyword' } };
  // The page alone should load nothing of a search.
  const { answerMoment } = await import('../recall/moments/answer.js');
  const asked = {
    type: 'prompt' as const,
    text: task,
    output: null,
    session: null,
    given: new Set<string>(),
  };
  const { text, tokens, mode } = await answerMoment(app.recall ?? recallFrom(app), project, asked);
  return { project, file: { ...page, text: text === '' ? '' : `${text}\n`, tokens, mode } };
}

/** As `context --json` prints it. */
export function contextJson({ project, file: { path, tokens, text, mode } }: ContextFound) {
  return {
    project: project?.slug ?? null,
    path,
    tokens,
    text,
    ...(mode === undefined ? {} : { mode }),
  };
}
