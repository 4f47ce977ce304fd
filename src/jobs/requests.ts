/**
 * What commands ask of the daemon, as files in nudges/: a request, and beside it the answer when it
 * was served.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { HomePaths } from '../config.js';
import { publishFile } from '../store/index.js';
import { JOB_NAMES, PERSON, type Caller, type Lesson } from '../types.js';
import { editShape } from '../types/shapes.js';
import type { ImportReport } from './sharing/import.js';
import type { PurgeReport } from './upkeep/purge.js';
import type { Summary } from './publishing/summary.js';

/**
 * `person`, or the agent's name. Every command of ours says who calls it; a request that does not
 * is another program's.
 */
const byShape = z.string().min(1).default('unknown');

/** A call that `dripstone model use` made by itself. */
const callShape = z.object({
  time: z.string(),
  provider: z.string(),
  model: z.string(),
  purpose: z.literal('test'),
  agent: z.null(),
  session: z.null(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  ms: z.number(),
  outcome: z.enum(['ok', 'failed', 'busy', 'timeout', 'refused']),
  error: z.string().nullable(),
});

const purgeShape = z.object({
  match: z.string().nullable(),
  session: z.object({ agent: z.string(), session: z.string() }).nullable(),
  project: z.string().nullable(),
  before: z.string().nullable(),
  notes: z.boolean(),
});

const requestShape = z.discriminatedUnion('kind', [
  z.object({
    version: z.literal(1),
    kind: z.literal('run'),
    only: z.array(z.enum(JOB_NAMES)).nullable(),
    rebuild: z.boolean(),
  }),
  z.object({
    version: z.literal(1),
    kind: z.literal('import'),
    file: z.string(),
    /** Whose crystal.json it is; null: an export of the person's own. */
    from: z.string().nullable().default(null),
    by: byShape,
  }),
  z.object({ version: z.literal(1), kind: z.literal('purge'), purge: purgeShape, by: byShape }),
  z.object({
    version: z.literal(1),
    kind: z.literal('edit'),
    edit: editShape.omit({ place: true }),
    owner: z.string().nullable(),
    by: byShape,
  }),
  z.object({ version: z.literal(1), kind: z.literal('ledger'), call: callShape }),
]);

export type Request = z.infer<typeof requestShape>;

export function signature(caller: Caller): string {
  return caller.kind === 'person' ? PERSON : caller.name;
}
export function callerBy(by: string): Caller {
  return by === PERSON ? { kind: 'person' } : { kind: 'agent', name: by };
}

export type Answer =
  | { kind: 'run'; summary: Summary }
  | { kind: 'edit'; lesson: Lesson | null }
  | { kind: 'ledger' }
  | { kind: 'purge'; report: PurgeReport }
  | { kind: 'import'; report: ImportReport }
  | { kind: 'failed'; message: string; hint: string; exitCode: number };

const REQUEST = /^(?!\.)[\w-]+\.json$/;
const ANSWER_END = '.answer';
/** An answer that nobody fetched. */
const STALE_MS = 3_600_000;

export interface Waiting {
  path: string;
  /** Null when the file is no request of ours. */
  request: Request | null;
}

/** @returns the path of the request; its answer will lie at `answerPath` */
export async function leaveRequest(paths: HomePaths, request: Request, now: Date): Promise<string> {
  const path = join(
    paths.nudges,
    `${now.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.json`,
  );
  await publishFile(path, JSON.stringify(request));
  return path;
}

function answerPath(path: string): string {
  return path + ANSWER_END;
}

/** Requests that wait, oldest first. */
export function readRequests(paths: HomePaths): Waiting[] {
  return (existsSync(paths.nudges) ? readdirSync(paths.nudges) : [])
    .filter((name) => REQUEST.test(name))
    .sort()
    .map((name) => {
      const path = join(paths.nudges, name);
      try {
        const parsed = requestShape.safeParse(JSON.parse(readFileSync(path, 'utf8')));
        return { path, request: parsed.success ? parsed.data : null };
      } catch {
        return { path, request: null };
      }
    });
}

/**
 * Calls `onRequest` as soon as a request may have come. A folder that cannot be watched, or that is
 * made again, is not: then the daemon's next tick finds it.
 */
export function watchRequests({ nudges }: HomePaths, onRequest: () => void): { close(): void } {
  try {
    return watch(nudges, (_event, name) => (name === null || REQUEST.test(name)) && onRequest()).on(
      'error',
      () => {},
    );
  } catch {
    return { close: () => {} };
  }
}

/**
 * The answer first, then the request goes: a daemon that is killed between serves it again, which
 * does no harm.
 */
export async function answerRequest(path: string, answer: Answer): Promise<void> {
  await publishFile(answerPath(path), JSON.stringify(answer));
  await unlink(path).catch(() => {});
}

/** The answer, fetched once; null while there is none. */
export async function fetchAnswer(path: string): Promise<Answer | null> {
  const file = answerPath(path);
  if (!existsSync(file)) return null;
  const answer = JSON.parse(readFileSync(file, 'utf8')) as Answer;
  await unlink(file).catch(() => {});
  return answer;
}

export function hasAnswer(path: string): boolean {
  return existsSync(answerPath(path));
}

/** Takes a request back; true when it was still there. */
export function dropRequest(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    () => false,
  );
}

/** Removes answers that their askers never fetched. */
export async function sweepAnswers(paths: HomePaths, now: Date): Promise<void> {
  for (const name of existsSync(paths.nudges) ? readdirSync(paths.nudges) : []) {
    const path = join(paths.nudges, name);
    if (
      name.endsWith(ANSWER_END) &&
      now.getTime() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > STALE_MS
    )
      await unlink(path).catch(() => {});
  }
}
