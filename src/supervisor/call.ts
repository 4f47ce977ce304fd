/** Calls the system's own service program and takes what it says. */
import { spawnSync } from 'node:child_process';

export interface Called {
  /** Null when the program is not there or did not end. */
  code: number | null;
  out: string;
  err: string;
}

export type Call = (command: string, args: readonly string[]) => Called;

/** A service program that hangs must not hang us. */
const LONGEST_MS = 60_000;

export function callIn(env: Record<string, string | undefined>): Call {
  return (command, args) => {
    const done = spawnSync(command, [...args], { env, encoding: 'utf8', timeout: LONGEST_MS });
    return { code: done.error ? null : done.status, out: done.stdout ?? '', err: done.stderr ?? '' };
  };
}
