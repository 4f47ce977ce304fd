/** Agents delete their own logs: after how many days, and where that is set. What was read by then stays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.js';

export interface Retention {
  agent: string;
  /** Days after a log's last change; null: never. */
  days: number | null;
  file: string;
  setting: string;
}

interface Where {
  userHome: string;
  env: Environment;
}

/** Both agents' default. */
const DEFAULT_DAYS = 30;

/** Null for agents that keep their logs. */
export function retentionOf(agent: string, where: Where): Retention | null {
  if (agent === 'claude-code') return claude(where);
  if (agent === 'gemini-cli') return gemini(where);
  return null;
}

function claude({ userHome, env }: Where): Retention {
  const file = join(env['CLAUDE_CONFIG_DIR']?.split(',')[0]?.trim() || join(userHome, '.claude'), 'settings.json');
  const days = settingsIn(file)['cleanupPeriodDays'];
  return {
    agent: 'claude-code',
    days: typeof days === 'number' && days >= 0 ? days : DEFAULT_DAYS,
    file,
    setting: 'cleanupPeriodDays',
  };
}

const UNIT_DAYS: Record<string, number> = { h: 1 / 24, d: 1, w: 7, m: 30 };

function gemini({ userHome }: Where): Retention {
  const file = join(userHome, '.gemini/settings.json');
  const kept = (settingsIn(file)['general'] as { sessionRetention?: { enabled?: boolean; maxAge?: string } } | undefined)
    ?.sessionRetention;
  const [, count, unit] = /^(\d+)([hdwm])$/.exec(kept?.maxAge ?? '') ?? [];
  const days = kept?.enabled === false ? null : count === undefined ? DEFAULT_DAYS : Number(count) * UNIT_DAYS[unit!]!;
  return { agent: 'gemini-cli', days, file, setting: 'general.sessionRetention.maxAge' };
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
