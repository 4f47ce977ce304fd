/** What a supervisor is: systemd, launchd or the Task Scheduler. */
import { spawnSync } from 'node:child_process';
import type { Program } from './program.js';

export interface SupervisorState {
  installed: boolean;
  state: 'running' | 'starting' | 'stopped' | 'failing' | 'not installed';
  pid: number | null;
  /** Of the last run that ended by itself. */
  exitCode: number | null;
  /** What the supervisor itself says, for a person. */
  detail: string;
}

/** Where a supervisor's file lies and what is in it; the command writes it. */
interface SupervisorFile {
  path: string;
  text: string;
  encoding: 'utf8' | 'utf16le';
}

export interface Surroundings {
  platform: string;
  userHome: string;
  env: Record<string, string | undefined>;
  /** Folder of our logs. */
  logs: string;
  uid: number;
  call: Call;
}

export interface Supervisor {
  name: 'systemd' | 'launchd' | 'task-scheduler';
  /** Whether it answers here. */
  isHere(): boolean;
  file(program: Program): SupervisorFile;
  /** Starts what the file says, or starts it anew; the file is written already. Never throws: the result says what failed. */
  start(): Called;
  /** Stops and forgets; the file is removed afterwards. */
  stop(): Called;
  state(): SupervisorState;
  /** What a person should know after installing, or null. */
  advice(): string | null;
}

export const NOT_INSTALLED: SupervisorState = { installed: false, state: 'not installed', pid: null, exitCode: null, detail: '' };

// Calls the system's own service program and takes what it says.

interface Called {
  /** Null when the program is not there or did not end. */
  code: number | null;
  out: string;
  err: string;
}

type Call = (command: string, args: readonly string[]) => Called;

/** A service program that hangs must not hang us. */
const LONGEST_MS = 60_000;

export function callIn(env: Record<string, string | undefined>): Call {
  return (command, args) => {
    const done = spawnSync(command, [...args], { env, encoding: 'utf8', timeout: LONGEST_MS });
    return { code: done.error ? null : done.status, out: done.stdout ?? '', err: done.stderr ?? '' };
  };
}
