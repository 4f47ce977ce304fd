/** `dripstone context`: prints a project's context.md. */
import { EXIT, usage } from '../errors.js';
import { createApp } from '../app.js';
import { contextJson, contextProject, readContext } from '../recall/context-file.js';
import { printJson, type Command, value, flag } from '../command.js';

export const contextCommand: Command = {
  name: 'context',
  summary: 'print the context.md of a project',
  usage: '[--project P] [--path | --ids | --json]',
  options: {
    project: value(
      'P',
      'folder, slug or name; default: the project of this folder, outside any project the global notes',
    ),
    path: flag('print only the path of the file'),
    ids: flag('render it now, with the short id after each lesson'),
    json: flag('print {"version":1,"project","path","tokens","text"}'),
  },
  exits: { [EXIT.busy]: 'the store is in use by another process' },
  examples: ['dripstone context', 'dripstone context --project shop-3fa9 --path'],
  async run(io, args) {
    if (args.flag('ids') && (args.flag('path') || args.flag('json')))
      throw usage('--ids prints the notes for a person', 'leave --path and --json out');
    await using app = await createApp({
      ...io,
      access: 'read',
      storeOptional: true,
      configOptional: true,
    });
    if (app.configProblem !== null)
      io.err(`dripstone: ${app.configProblem.message}; nothing is read until it is right\n`);
    const project = await contextProject(app, args.text('project'), io.cwd);
    if (args.flag('ids') && app.storeExists)
      io.out(await (await import('../jobs/publishing/context.js')).contextWithIds(app, project));
    else if (args.flag('json')) printJson(io, contextJson(app.paths, project));
    else {
      const { path, text } = readContext(app.paths, project);
      io.out(args.flag('path') ? `${path}\n` : text);
    }
    return EXIT.done;
  },
};
