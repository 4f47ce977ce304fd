/**
 * Every command, in the order of the help. Each is loaded on demand: a search should not load what
 * `run` needs.
 */
import type { Command } from './command.js';

/** What must be known of a command before it is loaded. */
interface Traits {
  /**
   * How its output reaches a terminal: collected, fitted to the width and paged (the default);
   * collected and paged, but its lines stay as they are; at once, because it asks, draws or keeps
   * running; at once with each line fitted.
   */
  output?: 'plain' | 'live' | 'live fitted';
  /**
   * A daemon of this home may run it, with what it keeps in memory; a list names the first words
   * with which it only reads.
   */
  inDaemon?: true | readonly string[];
}

const TRAITS: Record<string, Traits> = {
  run: { output: 'live fitted' },
  start: { output: 'live' },
  search: { output: 'plain', inDaemon: true },
  show: { output: 'plain', inDaemon: true },
  recall: { inDaemon: true },
  fix: { inDaemon: true },
  how: { inDaemon: true },
  blame: { inDaemon: true },
  receipts: { inDaemon: true },
  sessions: { inDaemon: true },
  rules: { inDaemon: [] },
  context: { output: 'plain', inDaemon: true },
  lessons: { inDaemon: ['list', 'show', 'why'] },
  review: { output: 'live' },
  sql: { output: 'plain' },
  usage: { output: 'plain', inDaemon: true },
  model: { output: 'live fitted' },
  link: { output: 'live fitted' },
  purge: { output: 'live fitted' },
  service: { output: 'live' },
  ui: { output: 'live' },
  mcp: { output: 'live' },
  completion: { output: 'live' },
  crystallize: { output: 'live fitted' },
};

const LOADERS = {
  run: async () => (await import('./run.js')).runCommand,
  start: async () => (await import('./start.js')).startCommand,
  search: async () => (await import('./search.js')).searchCommand,
  show: async () => (await import('./show.js')).showCommand,
  recall: async () => (await import('./moments/recall.js')).recallCommand,
  fix: async () => (await import('./moments/recall.js')).fixCommand,
  receipts: async () => (await import('./moments/receipts.js')).receiptsCommand,
  sessions: async () => (await import('./moments/sessions.js')).sessionsCommand,
  how: async () => (await import('./moments/how.js')).howCommand,
  blame: async () => (await import('./moments/how.js')).blameCommand,
  context: async () => (await import('./context.js')).contextCommand,
  lessons: async () => (await import('./lessons/lessons.js')).lessonsCommand,
  review: async () => (await import('./lessons/review.js')).reviewCommand,
  replay: async () => (await import('./proof/replay.js')).replayCommand,
  rules: async () => (await import('./proof/rules.js')).rulesCommand,
  status: async () => (await import('./status.js')).statusCommand,
  sql: async () => (await import('./sql.js')).sqlCommand,
  usage: async () => (await import('./usage/usage.js')).usageCommand,
  model: async () => (await import('./model/model.js')).modelCommand,
  doctor: async () => (await import('./doctor.js')).doctorCommand,
  link: async () => (await import('./linking/link.js')).linkCommand,
  unlink: async () => (await import('./linking/unlink.js')).unlinkCommand,
  purge: async () => (await import('./purge.js')).purgeCommand,
  export: async () => (await import('./export.js')).exportCommand,
  import: async () => (await import('./import.js')).importCommand,
  sync: async () => (await import('./sharing/sync.js')).syncCommand,
  service: async () => (await import('./service/service.js')).serviceCommand,
  ui: async () => (await import('../web/command.js')).uiCommand,
  mcp: async () => (await import('../mcp/command.js')).mcpCommand,
  config: async () => (await import('./config/config.js')).configCommand,
  projects: async () => (await import('./config/projects.js')).projectsCommand,
  completion: async () =>
    (await import('./terminal/completion.js')).completionCommand(loadCommands),
  crystallize: async () => (await import('./crystallize.js')).crystallizeCommand,
} satisfies Record<string, () => Promise<Command>>;

export const COMMAND_NAMES: readonly string[] = Object.keys(LOADERS);

/** Null when there is no such command. */
export async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name as keyof typeof LOADERS]() : null;
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Options of `search` without a value; all others have one. */
export const SEARCH_FLAGS: readonly string[] = ['archive', 'open', 'json', 'unnoted', 'help'];

/** Whether it is a `search` without a query: at a terminal the person types that while it runs. */
export function isSearchTyped([name, ...words]: readonly string[]): boolean {
  const hasValue = (word = ''): boolean =>
    /^--[^=]+$/.test(word) && !SEARCH_FLAGS.includes(word.slice(2));
  const isQuery = (word: string, at: number): boolean =>
    /^(?:[^-]|-?$|--$)/.test(word) && !hasValue(words[at - 1]);
  return (
    name === 'search' &&
    !words.some(isQuery) &&
    !['--json', '--help', '-h'].some((word) => words.includes(word))
  );
}

/** How the output of a command line reaches a terminal; see {@link Traits}. */
export function outputOf(argv: readonly string[]): NonNullable<Traits['output']> | 'fitted' {
  const [name = '', verb] = argv;
  const { output = 'fitted' } = (Object.hasOwn(TRAITS, name) && TRAITS[name]) || {};
  // A line of the preview may be pasted.
  return (name === 'model' && verb === 'preview') || isSearchTyped(argv) ? 'live' : output;
}

/**
 * Whether a daemon may run this command line: it only reads, and opens nothing at the person's
 * terminal.
 */
export function runsInDaemon(argv: readonly string[]): boolean {
  const [name = '', verb] = argv;
  const { inDaemon } = (Object.hasOwn(TRAITS, name) && TRAITS[name]) || {};
  if (inDaemon === undefined || argv.includes('--open') || isSearchTyped(argv)) return false;
  // Behind an option may stand its value or a word that writes: such a line runs in its own
  // process.
  return (
    inDaemon === true ||
    verb === undefined ||
    inDaemon.includes(verb) ||
    (argv.length === 2 && verb.startsWith('-'))
  );
}
