/** Agents delete their own logs: after how many days, and where that is set. What was read by then stays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.js';

export interface Retention {
  agent: string;
  /** Days after a log's last change. */
  days: number;
  file: string;
  setting: string;
}

const DEFAULT_DAYS = 30;

/** Null for agents that keep their logs. */
export function retentionOf(agent: string, { userHome, env }: { userHome: string; env: Environment }): Retention | null {
  if (agent !== 'claude-code') return null;
  const file = join(env['CLAUDE_CONFIG_DIR']?.split(',')[0]?.trim() || join(userHome, '.claude'), 'settings.json');
  const days = settingsIn(file)['cleanupPeriodDays'];
  return { agent, days: typeof days === 'number' && days >= 0 ? days : DEFAULT_DAYS, file, setting: 'cleanupPeriodDays' };
}

/** Settings may hold comments, or be missing, or be wrong: then the agent's default counts. */
function settingsIn(file: string): Record<string, unknown> {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    const plain = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, word: string | undefined) => word ?? '');
    const parsed: unknown = JSON.parse(plain);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
