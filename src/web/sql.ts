/**
 * A question in SQL from the page: `dripstone sql` in a process of its own, never in this one,
 * where other answers need what that process gives up for good (files, extensions, settings). It is
 * read-only, and is stopped after a time.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Io } from '../commands/command.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { createMutex } from '../mutex.js';
import { compiledFile } from '../place.js';
import { wantedOf } from './request.js';
import type { SqlView } from './wire.js';

/**
 * What a person looks through; `dripstone sql` has no limit. Of rows with whole texts a few
 * thousand are more than a browser shows.
 */
const LIMITS = { rows: 5000, bytes: 16 * 2 ** 20, ms: 20_000 };
/** A process that is asked to stop takes a moment; one that does not is ended. */
const STOP_MS = 2000;
const CLI = compiledFile('cli.js');

const wanted = z.object({ sql: z.string().trim().min(1).max(100_000) });

/** Adds `POST /view/sql`; whoever adds it has let no request without the page's key pass. */
export function addSql(app: Hono, io: Io): void {
  // One at a time: each may take all the memory that a question gets.
  const inTurn = createMutex();
  app.post('/view/sql', async (c) => {
    const { sql } = await wantedOf(wanted, c);
    // Nobody waits for it any more, or the server ends.
    const left = AbortSignal.any([c.req.raw.signal, io.signal]);
    const answer = await inTurn(async () => {
      if (left.aborted)
        throw new AppError('INTERRUPTED', 'nobody waits for this answer', {
          exitCode: EXIT.interrupted,
        });
      return answerSql(io, sql, left);
    });
    return c.json({ version: 1, ...answer });
  });
}

/**
 * Asks it in a process of its own.
 * @param left aborted: it is stopped
 * @throws AppError as the command, TOO_LONG or TOO_LARGE
 */
export async function answerSql(
  io: Io,
  sql: string,
  left: AbortSignal,
  limits = LIMITS,
): Promise<SqlView> {
  const began = io.clock.mono();
  const { out, err, code, why } = await runSql(io, sql, left, limits);
  if (why === 'time')
    throw new AppError('TOO_LONG', `no answer within ${limits.ms / 1000} s`, {
      hint: 'ask for less, or type it as `dripstone sql`, which waits',
      exitCode: EXIT.interrupted,
    });
  if (why === 'bytes')
    throw new AppError(
      'TOO_LARGE',
      `the answer is larger than ${Math.round(limits.bytes / 2 ** 20)} MiB`,
      { hint: 'ask for fewer columns or rows, or for left(text, 200)' },
    );
  if (code !== EXIT.done) throw told(err, code);
  const { columns, rows } = JSON.parse(out) as Pick<SqlView, 'columns' | 'rows'>;
  return {
    columns,
    rows: rows.slice(0, limits.rows),
    more: rows.length > limits.rows,
    seconds: (io.clock.mono() - began) / 1000,
  };
}

interface Ended {
  out: string;
  err: string;
  code: number | null;
  /** Why it was stopped. */
  why: 'time' | 'bytes' | 'left' | null;
}

/** The statement goes to standard input: others on the machine may read a program's arguments. */
function runSql(
  { env, cwd }: Io,
  sql: string,
  left: AbortSignal,
  limits: typeof LIMITS,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [CLI, 'sql', '-', '--json', '--limit', String(limits.rows + 1)],
      {
        ...{ env, cwd },
        // The channel carries nothing: the child ends with this process, however that ends, and
        // lets go of the database.
        stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      },
    ) as ChildProcessWithoutNullStreams;
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    let [bytes, why]: [number, Ended['why']] = [0, null];
    let last: NodeJS.Timeout | null = null;
    const stop = (reason: NonNullable<Ended['why']>): void => {
      if (why !== null) return;
      why = reason;
      child.kill('SIGTERM');
      last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    };
    const timer = setTimeout(() => stop('time'), limits.ms);
    const leave = (): void => stop('left');
    left.addEventListener('abort', leave);
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > limits.bytes) stop('bytes');
      else out.push(part);
    });
    child.stderr.on('data', (part: Buffer) => void err.push(part));
    // One that died before it read says so by its end.
    child.stdin.on('error', () => {}).end(sql);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (last !== null) clearTimeout(last);
      left.removeEventListener('abort', leave);
      resolve({
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
        code,
        why,
      });
    });
  });
}

/** What the command said, as it printed it. */
function told(err: string, code: number | null): AppError {
  const [, message, next] = /^dripstone: ([\s\S]*?)\n(?: {2}next: ([\s\S]*))?$/.exec(err) ?? [];
  return new AppError('QUERY', message?.trim() ?? `its process ended with ${code ?? 'a signal'}`, {
    hint: next?.trim() || 'ask again; `dripstone sql` in a terminal says more',
    exitCode: (code ?? EXIT.error) as ExitCode,
  });
}
