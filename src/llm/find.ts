/**
 * Finds models on this machine without using tokens: programs by name, servers by their list of
 * models.
 */
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { getJson } from './http.js';

/** A local server sends its list at once or never. */
const LOOK_MS = 400;

export interface FoundServer extends KnownServer {
  models: string[];
}

/** Known programs on PATH. */
export function findPrograms(path: string | undefined): KnownProgram[] {
  return PROGRAMS.filter(({ command }) => isOnPath(command[0]!, path));
}

/** Whether a program of this name is in a folder of PATH. */
export function isOnPath(program: string, path: string | undefined): boolean {
  return (path ?? '')
    .split(delimiter)
    .some(
      (folder) =>
        folder !== '' && ['', '.exe', '.cmd'].some((end) => isProgram(join(folder, program + end))),
    );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Servers that answer on their usual ports, with their models. */
export async function findServers(
  servers: readonly KnownServer[] = SERVERS,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    servers.map(async (server) => ({
      ...server,
      models: modelsOf(await getJson(`${server.url}/models`, LOOK_MS)),
    })),
  );
  return found.filter((server): server is FoundServer => server.models !== null);
}

/** Model names in `{data: [{id}]}`; null if the value has another shape. */
function modelsOf(value: unknown): string[] | null {
  const data = (value as { data?: unknown } | null)?.data;
  return Array.isArray(data)
    ? data
        .map((one: { id?: unknown }) => one?.id)
        .filter((id): id is string => typeof id === 'string')
    : null;
}

// Programs and local servers that can answer: `dripstone model` looks for them, and `model use
// NAME` configures them.

export interface KnownProgram {
  name: string;
  /** The agent to which the program belongs, as in `sessions`; null if there is none. */
  agent: string | null;
  /** The company that gets the prompt. */
  sendsTo: string;
  /**
   * Reads the prompt on stdin, prints the answer, uses no tool and, if possible, keeps no session.
   */
  command: string[];
  /** Alias of the provider's small model, for `--model`; null: the program's own default. */
  small: string | null;
  /** Why the program is never called: an agent whose tools are on may obey an error line. */
  refused: string | null;
}

/**
 * docs/models.md explains the options. `model use` tests them, so a version without one of them is
 * reported.
 */
const PROGRAMS: readonly KnownProgram[] = [
  {
    name: 'claude',
    agent: 'claude-code',
    sendsTo: 'Anthropic, as all that Claude Code reads',
    // `--tools ""` removes the built-in tools, and `--strict-mcp-config` without a config those of
    // MCP servers.
    command: [
      ...words('claude -p --output-format text --max-turns 1 --tools'),
      '',
      '--strict-mcp-config',
      '--no-session-persistence',
    ],
    small: 'haiku',
    refused: null,
  },
  {
    name: 'codex',
    agent: 'codex',
    sendsTo: 'OpenAI, as all that Codex reads',
    // Without the user's config there are no MCP servers. An unknown name after `--disable` is an
    // error, so no tool stays on unnoticed.
    command: [
      ...words(
        'codex exec --ephemeral --skip-git-repo-check --ignore-user-config --sandbox read-only',
      ),
      ...words('--disable shell_tool --disable unified_exec --disable multi_agent --disable apps'),
      ...words('-c web_search="disabled" --color never -'),
    ],
    // https://developers.openai.com/codex/models
    small: 'gpt-5.4-mini',
    refused: null,
  },
  {
    ...{ name: 'llm', agent: null, sendsTo: 'whoever makes its model' },
    ...{ command: words('llm --no-log'), small: null, refused: null },
  },
  {
    ...{ name: 'gemini', agent: 'gemini-cli', sendsTo: 'Google', command: ['gemini'], small: null },
    refused: 'it is an agent, and no option of its command line switches its tools off',
  },
];

/** The known program that a command starts, from any folder and with any options. */
export function programIn(command: readonly string[]): KnownProgram | null {
  const name = basename(command[0] ?? '').replace(/\.(?:exe|cmd)$/, '');
  return PROGRAMS.find((program) => program.name === name) ?? null;
}

function words(text: string): string[] {
  return text.split(' ');
}

interface KnownServer {
  name: string;
  /** Base URL of the OpenAI-compatible API. */
  url: string;
}

/** Usual ports of servers on this machine. */
const SERVERS: readonly KnownServer[] = [
  { name: 'ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'llama-server', url: 'http://127.0.0.1:8080/v1' },
];
