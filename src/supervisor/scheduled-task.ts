/** The task that an earlier version made on Windows, where there is no service any more. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NAME } from './program.js';
import type { Surroundings } from './supervisor.js';

/** @returns the file of the task that was removed, or null */
export function removeTask({ logs, call }: Pick<Surroundings, 'logs' | 'call'>): string | null {
  const path = join(logs, 'task.xml');
  if (!existsSync(path)) return null;
  call('schtasks', ['/End', '/TN', NAME]);
  if (call('schtasks', ['/Delete', '/TN', NAME, '/F']).code !== 0) return null;
  rmSync(path);
  return path;
}
