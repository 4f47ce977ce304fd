/** Every command, in the order of the help. Each is loaded on demand: a search should not load what `run` needs. */
import type { Command } from './command.js';

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
  snapshots: async () => (await import('./lessons/snapshots.js')).snapshotsCommand,
  replay: async () => (await import('./proof/replay.js')).replayCommand,
  rules: async () => (await import('./proof/rules.js')).rulesCommand,
  status: async () => (await import('./status.js')).statusCommand,
  dataset: async () => (await import('./sharing/dataset.js')).datasetCommand,
  sql: async () => (await import('./sql.js')).sqlCommand,
  usage: async () => (await import('./usage/usage.js')).usageCommand,
  model: async () => (await import('./model/model.js')).modelCommand,
  tidy: async () => (await import('./model/tidy.js')).tidyCommand,
  doctor: async () => (await import('./doctor.js')).doctorCommand,
  link: async () => (await import('./linking/link.js')).linkCommand,
  unlink: async () => (await import('./linking/unlink.js')).unlinkCommand,
  purge: async () => (await import('./purge.js')).purgeCommand,
  export: async () => (await import('./export.js')).exportCommand,
  import: async () => (await import('./import.js')).importCommand,
  crystal: async () => (await import('./sharing/crystal.js')).crystalCommand,
  sync: async () => (await import('./sharing/sync.js')).syncCommand,
  service: async () => (await import('./service/service.js')).serviceCommand,
  ui: async () => (await import('../web/command.js')).uiCommand,
  mcp: async () => (await import('../mcp/command.js')).mcpCommand,
  config: async () => (await import('./config/config.js')).configCommand,
  projects: async () => (await import('./config/projects.js')).projectsCommand,
  completion: async () => (await import('./terminal/completion.js')).completionCommand(loadCommands),
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
