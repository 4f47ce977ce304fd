/**
 * Which lessons the person has looked at: a file of ids that is only added to, since several commands may do so at once. A line
 * `-ID` takes one back; what comes later counts.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Those of `ids` that were not looked at, in their order. */
export function waitingFor(path: string, ids: readonly string[]): string[] {
  const seen = new Set<string>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
    if (line.startsWith('-')) seen.delete(line.slice(1));
    else seen.add(line);
  return ids.filter((id) => !seen.has(id));
}

export function noteReviewed(path: string, id: string, isReviewed = true): void {
  appendFileSync(path, `${isReviewed ? '' : '-'}${id}\n`, { mode: 0o600 });
}
