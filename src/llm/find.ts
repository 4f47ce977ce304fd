/**
 * What on this machine could answer. Looking costs no token: programs are found by name, servers asked for their list of models.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getJson } from './http.js';

/** A local server answers its list at once or not at all. */
const LOOK_MS = 400;

export interface FoundServer extends KnownServer {
  models: string[];
}

/** Known programs that stand on PATH. */
export function findPrograms(path: string | undefined): KnownProgram[] {
  return PROGRAMS.filter(({ command }) => isOnPath(command[0]!, path));
}

function isOnPath(program: string, path: string | undefined): boolean {
  return (path ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && ['', '.exe', '.cmd'].some((end) => isProgram(join(folder, program + end))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Servers that answer on their usual ports, with the models that they offer. */
export async function findServers(servers: readonly KnownServer[] = SERVERS): Promise<FoundServer[]> {
  const found = await Promise.all(
    servers.map(async (server) => ({ ...server, models: modelsOf(await getJson(`${server.url}/models`, LOOK_MS)) })),
  );
  return found.filter((server): server is FoundServer => server.models !== null);
}

/** `{data: [{id}]}`; null when it is something else. */
function modelsOf(value: unknown): string[] | null {
  const data = (value as { data?: unknown } | null)?.data;
  return Array.isArray(data)
    ? data.map((one: { id?: unknown }) => one?.id).filter((id): id is string => typeof id === 'string')
    : null;
}

// Programs and local servers that can answer, as data: what `dripstone model` looks for and what `model use NAME` writes.

export interface KnownProgram {
  name: string;
  /** Reads the prompt on stdin, prints the answer, uses no tool and, where it can, keeps no session. */
  command: string[];
}

/**
 * Flags by each program's own reference: code.claude.com/docs/en/cli-reference, developers.openai.com/codex/noninteractive,
 * geminicli.com/docs/cli/headless, llm.datasette.io, docs.ollama.com/cli.
 */
const PROGRAMS: readonly KnownProgram[] = [
  {
    name: 'claude',
    command: ['claude', '-p', '--output-format', 'text', '--max-turns', '1', '--tools', '', '--no-session-persistence'],
  },
  {
    name: 'codex',
    command: ['codex', 'exec', '--ephemeral', '--skip-git-repo-check', '--sandbox', 'read-only', '--color', 'never', '-'],
  },
  { name: 'gemini', command: ['gemini', '--output-format', 'text'] },
  { name: 'llm', command: ['llm'] },
];

interface KnownServer {
  name: string;
  /** Base of the OpenAI-compatible part. */
  url: string;
}

/** Usual ports of servers on this machine. */
const SERVERS: readonly KnownServer[] = [
  { name: 'ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'llama-server', url: 'http://127.0.0.1:8080/v1' },
];
