/** The interface of a supervisor: systemd or launchd. */
import { spawnSync } from 'node:child_process';
import { type Program, NAME } from './program.js';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface SupervisorState {
  installed: boolean;
  state: 'running' | 'starting' | 'stopped' | 'failing' | 'not installed';
  pid: number | null;
  /** Exit code of the last run, if it ended by itself. */
  exitCode: number | null;
  /** The supervisor's own message, for a person. */
  detail: string;
}

/** Path and content of a supervisor's file; the command writes it. */
interface SupervisorFile {
  path: string;
  text: string;
}

export interface Surroundings {
  userHome: string;
  env: Record<string, string | undefined>;
  /** Folder of our logs. */
  logs: string;
  uid: number;
  call: Call;
}

export interface Supervisor {
  name: 'systemd' | 'launchd';
  /** Whether the supervisor is available here. */
  isHere(): boolean;
  file(program: Program): SupervisorFile;
  /** Starts or restarts the service from its file. Never throws: the result contains the error. */
  start(): Called;
  /** Stops and removes the service; the file is deleted afterwards. */
  stop(): Called;
  state(): SupervisorState;
  /** What a person should know after installing, or null. */
  advice(): string | null;
}

export const NOT_INSTALLED: SupervisorState = {
  installed: false,
  state: 'not installed',
  pid: null,
  exitCode: null,
  detail: '',
};

// Calls the system's service program and reads its output.

interface Called {
  /** Null when the program is missing or did not end. */
  code: number | null;
  out: string;
  err: string;
}

type Call = (command: string, args: readonly string[]) => Called;

/** Limit for a service program that hangs. */
const LONGEST_MS = 60_000;

export function callIn(env: Record<string, string | undefined>): Call {
  return (command, args) => {
    const done = spawnSync(command, [...args], { env, encoding: 'utf8', timeout: LONGEST_MS });
    return {
      code: done.error ? null : done.status,
      out: done.stdout ?? '',
      err: done.stderr ?? '',
    };
  };
}

// An earlier version made a task on Windows; the service is gone, so the task is removed.

/** @returns the file of the task that was removed, or null */
export function removeTask({ logs, call }: Pick<Surroundings, 'logs' | 'call'>): string | null {
  const path = join(logs, 'task.xml');
  if (!existsSync(path)) return null;
  call('schtasks', ['/End', '/TN', NAME]);
  if (call('schtasks', ['/Delete', '/TN', NAME, '/F']).code !== 0) return null;
  rmSync(path);
  return path;
}
