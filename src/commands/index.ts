/**
 * Every command, in the order of the help. Each is loaded on demand, so that a search does not load
 * the code of `run`.
 */
import type { Command } from '../command.js';

/** Commands whose lines are not fitted to a terminal: people paste them or they fit. */
const PLAIN = [
  ...['search', 'show', 'context', 'sql', 'usage', 'review'],
  ...['start', 'service', 'ui', 'mcp', 'completion'],
];

/**
 * Commands that a daemon of this home may run. A list contains the first words with which a command
 * only reads.
 */
const IN_DAEMON: Record<string, true | readonly string[]> = {
  search: true,
  show: true,
  recall: true,
  fix: true,
  sessions: true,
  rules: [],
  context: true,
  lessons: ['list', 'show', 'why'],
  usage: true,
};

const LOADERS = {
  run: async () => (await import('./run.js')).runCommand,
  start: async () => (await import('./start.js')).startCommand,
  search: async () => (await import('./search.js')).searchCommand,
  show: async () => (await import('./search.js')).showCommand,
  recall: async () => (await import('./recall.js')).recallCommand,
  fix: async () => (await import('./recall.js')).fixCommand,
  sessions: async () => (await import('./sessions.js')).sessionsCommand,
  context: async () => (await import('./context.js')).contextCommand,
  lessons: async () => (await import('./lessons.js')).lessonsCommand,
  review: async () => (await import('./review.js')).reviewCommand,
  replay: async () => (await import('./replay.js')).replayCommand,
  rules: async () => (await import('./rules.js')).rulesCommand,
  status: async () => (await import('./status.js')).statusCommand,
  sql: async () => (await import('./sql.js')).sqlCommand,
  usage: async () => (await import('./usage.js')).usageCommand,
  model: async () => (await import('./model/model.js')).modelCommand,
  link: async () => (await import('./linking/link.js')).linkCommand,
  unlink: async () => (await import('./linking/unlink.js')).unlinkCommand,
  purge: async () => (await import('./purge.js')).purgeCommand,
  export: async () => (await import('./export.js')).exportCommand,
  import: async () => (await import('./import.js')).importCommand,
  sync: async () => (await import('./sharing/sync.js')).syncCommand,
  service: async () => (await import('./service/service.js')).serviceCommand,
  ui: async () => (await import('../web/command.js')).uiCommand,
  mcp: async () => (await import('../mcp/command.js')).mcpCommand,
  config: async () => (await import('./config.js')).configCommand,
  projects: async () => (await import('./projects.js')).projectsCommand,
  completion: async () => (await import('./completion.js')).completionCommand(loadCommands),
  crystallize: async () => (await import('./run.js')).crystallizeCommand,
} satisfies Record<string, () => Promise<Command>>;

export const COMMAND_NAMES: readonly string[] = Object.keys(LOADERS);

/** Null for an unknown command. */
export async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name as keyof typeof LOADERS]() : null;
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Whether a command's output is printed unchanged at a terminal. */
export function isPlain([name = '', verb]: readonly string[]): boolean {
  return PLAIN.includes(name) || (name === 'model' && verb === 'preview');
}

/** Whether a daemon may run this command line, since it only reads. */
export function runsInDaemon(argv: readonly string[]): boolean {
  const [name = '', verb] = argv;
  const inDaemon = Object.hasOwn(IN_DAEMON, name) ? IN_DAEMON[name] : undefined;
  if (inDaemon === undefined) return false;
  // A word after an option may be its value or a verb that writes, so this line runs here.
  return (
    inDaemon === true ||
    verb === undefined ||
    inDaemon.includes(verb) ||
    (argv.length === 2 && verb.startsWith('-'))
  );
}

export const REMOVED: Readonly<Record<string, string>> = {
  blame: 'use `dripstone recall --type edit FILE`',
  doctor: 'use `dripstone status --check`',
  how: 'use `dripstone recall --type command PROGRAM`',
  receipts: '`dripstone replay` lists what hooks showed and what followed',
  snapshots:
    '`dripstone lessons show LESSON` lists the edits of a lesson, `lessons undo` reverts one',
  dataset: '`dripstone export --parquet DIR` writes the views as Parquet files',
  crystal: 'each person shares lessons by `dripstone export --agents-md` into AGENTS.md',
  stats:
    '`dripstone usage` counts tokens and cost, `dripstone sql "FROM sessions"` has each session',
  tidy: '`dripstone model use NAME` lets an agent that you already have read sessions',
};
