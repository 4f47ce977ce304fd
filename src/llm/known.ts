/** Programs and local servers that can answer, as data: what `dripstone model` looks for and what `model use NAME` writes. */

export interface KnownProgram {
  name: string;
  /** Reads the prompt on stdin, prints the answer, uses no tool and, where it can, keeps no session. */
  command: string[];
}

/**
 * Flags by each program's own reference: code.claude.com/docs/en/cli-reference, developers.openai.com/codex/noninteractive,
 * geminicli.com/docs/cli/headless, llm.datasette.io, docs.ollama.com/cli.
 */
export const PROGRAMS: readonly KnownProgram[] = [
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

export interface KnownServer {
  name: string;
  /** Base of the OpenAI-compatible part. */
  url: string;
}

/** Usual ports of servers on this machine. */
export const SERVERS: readonly KnownServer[] = [
  { name: 'ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'llama-server', url: 'http://127.0.0.1:8080/v1' },
];
