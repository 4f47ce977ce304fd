/** When agents delete their own logs, and by which setting. Entries that were read before stay. */
import { join } from 'node:path';
import { adapters } from '../../agents/index.js';
import type { Environment } from '../../config.js';
import { readSmall } from '../../projects/small-file.js';
import { parse } from '../../text/fields.js';

export interface Retention {
  agent: string;
  /** Days after a log's last change. */
  days: number;
  /** Folder with its logs. */
  folder: string;
  file: string;
  setting: string;
}

/** Null for agents that do not delete their logs. */
export function retentionOf(
  agent: string,
  { userHome, env }: { userHome: string; env: Environment },
): Retention | null {
  const { retention, places } = adapters.find((each) => each.agent === agent) ?? { places: [] };
  const place = places[0];
  if (retention === undefined || place === undefined) return null;
  const moved = place.env === null ? undefined : env[place.env]?.split(',')[0]?.trim();
  const root = moved || join(userHome, place.root);
  const file = join(root, retention.file);
  const days = settingsIn(file)[retention.setting];
  return {
    agent,
    days: typeof days === 'number' && days >= 0 ? days : retention.days,
    folder: join(root, place.under),
    file,
    setting: retention.setting,
  };
}

const MOST_BYTES = 1024 * 1024;

/** Settings may contain comments, be missing or be invalid; then the agent's default counts. */
function settingsIn(file: string): Record<string, unknown> {
  const text = (readSmall(file, MOST_BYTES) ?? '').replace(/^\uFEFF/, '');
  const plain = text.replace(
    /("(?:[^"\\]|\\.)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_, word: string | undefined) => word ?? '',
  );
  return parse(plain);
}
