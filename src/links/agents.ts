/**
 * From which files each agent reads instructions, and whether it follows imports. Sources:
 * docs/decisions/linking.md.
 */

import { isAbsolute, join } from 'node:path';

export interface Surroundings {
  userHome: string;
  env: Record<string, string | undefined>;
}

/**
 * Folder of an agent's own settings. @param place its folder below the person's home, and the
 * variable that moves it
 */
export function agentHome(
  place: { home: string; env: string | null },
  { userHome, env }: Surroundings,
): string {
  const moved = place.env === null ? undefined : env[place.env]?.split(',')[0]?.trim();
  return moved ? (isAbsolute(moved) ? moved : join(userHome, moved)) : join(userHome, place.home);
}

export type LinkAgent = 'claude-code' | 'codex' | 'gemini-cli' | 'cursor' | 'copilot';

export interface LinkPlace {
  agent: LinkAgent;
  title: string;
  /** Relative to the repository. */
  file: string;
  /** Signs that this agent is used here, relative to the repository. */
  signs: readonly string[];
  /**
   * The agent's own folder below the person's home; if the folder exists, the agent is used on this
   * machine.
   */
  home: string;
  /** Environment variable that moves that folder. */
  env: string | null;
  /**
   * Instructions for every project, relative to the agent's folder; null when there is no such file.
   */
  globalFile: string | null;
  /**
   * The agent follows an `@path` line out of the repository; else a sentence asks to read the file.
   */
  imports: boolean;
  /** Beginning of a file that we make; rule files need one that says when the rules apply. */
  head: string;
  /** Such files are usually committed, so other people see the line. */
  committed: boolean;
}

/** Agents that follow no import get a sentence. */
const SENTENCE = { imports: false, head: '', committed: true } as const;

export const LINK_PLACES: readonly LinkPlace[] = [
  {
    agent: 'claude-code',
    title: 'Claude Code',
    file: 'CLAUDE.local.md',
    signs: ['CLAUDE.md', '.claude'],
    home: '.claude',
    env: 'CLAUDE_CONFIG_DIR',
    globalFile: 'CLAUDE.md',
    imports: true,
    head: '',
    committed: false,
  },
  {
    agent: 'codex',
    title: 'Codex, and all that read AGENTS.md',
    file: 'AGENTS.md',
    signs: ['.codex'],
    home: '.codex',
    env: 'CODEX_HOME',
    globalFile: 'AGENTS.md',
    ...SENTENCE,
  },
  {
    agent: 'gemini-cli',
    title: 'Gemini CLI',
    file: 'GEMINI.md',
    signs: ['.gemini'],
    home: '.gemini',
    env: null,
    globalFile: 'GEMINI.md',
    ...SENTENCE,
  },
  {
    agent: 'cursor',
    title: 'Cursor',
    file: '.cursor/rules/dripstone.mdc',
    signs: ['.cursor', '.cursorrules'],
    home: '.cursor',
    env: null,
    globalFile: null,
    ...SENTENCE,
    head: '---\ndescription: Notes from earlier sessions in this repository\nalwaysApply: true\n---\n',
  },
  {
    agent: 'copilot',
    title: 'GitHub Copilot',
    file: '.github/instructions/dripstone.instructions.md',
    signs: ['.github/copilot-instructions.md', '.github/instructions'],
    home: '.copilot',
    env: null,
    globalFile: null,
    ...SENTENCE,
    head: '---\napplyTo: "**"\n---\n',
  },
];
