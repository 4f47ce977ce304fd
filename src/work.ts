/** Work of commands and servers: done by the daemon over its socket, or here if none runs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, withApp, type App } from './app.js';
import { homeOf, packageVersion, pathsOf } from './config.js';
import { whyNoLine } from './context/index.js';
import { AppError, EXIT, type ExitCode } from './errors.js';
import type { Io } from './io.js';
import type { TypedEdit } from './jobs/learning/typed-edit.js';
import { nameOfCaller, type Answer, type Request } from './jobs/requests.js';
import { daemonOf, hintOf, readDaemon, readNote } from './jobs/upkeep/daemon-note.js';
import { lessonJson, slugsOf } from './recall/lessons.js';
import { askFree, talk, type WorkMessage } from './wire.js';
import { loadProjects, lockHolder } from './store/index.js';
import type { Edit } from './types.js';
import type { LessonJson } from './types/answers.js';

type Work = Exclude<Request, { kind: 'run' }>;
type Done = Exclude<Answer, { kind: 'failed' }>;

/** A working daemon sends signs of life more often than this. */
const SILENT_MS = 10_000;
const AGAIN_MS = 50;

/** Does work for the caller; the store must be closed during this time. */
export async function carryOut<K extends Work['kind']>(
  io: Io,
  work: Omit<Extract<Work, { kind: K }>, 'by'> & { kind: K },
): Promise<Extract<Answer, { kind: K }>> {
  const request = { by: nameOfCaller(io.caller()), ...work } as unknown as Work;
  const answer = await byDaemonOrHere(io, request, (id) => doHere(io, request, id));
  return answer as Extract<Answer, { kind: K }>;
}

async function doHere(io: Io, work: Work, id: string): Promise<Answer> {
  // Most commands find a daemon, so its code is loaded only here.
  const { act } = await import('./jobs/serve-request.js');
  const { prepareStore } = await import('./jobs/upkeep/boot.js');
  return withApp({ ...io, access: 'write' }, async (app) => {
    if (work.kind === 'import' || work.kind === 'purge') await prepareStore(app);
    return act(app, work, id);
  });
}

/**
 * Sends a request to the daemon. If none runs or it ends, `here` does the work with the same id.
 * @throws AppError the error of the work, or that the daemon gives no answer
 */
export async function byDaemonOrHere(
  io: Io,
  request: Request,
  doHere: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const id = randomUUID();
  for (;;) {
    const answer = await askDaemon(io, request, id);
    if (answer !== null) return answer;
    try {
      return await doHere(id);
    } catch (error) {
      // A daemon that has started since has the lock, so it is asked.
      const isBusy = error instanceof AppError && error.code === 'STORE_BUSY';
      if (!isBusy || (await daemonOf(pathsOf(homeOf(io.env)))) === null) throw error;
    }
  }
}

/** @returns null when no daemon runs, or it ended before it answered */
async function askDaemon(io: Io, request: Request, id: string): Promise<Done | null> {
  const { env, signal, silentMs = SILENT_MS } = io;
  const paths = pathsOf(homeOf(env));
  for (let waited = 0; ; waited += AGAIN_MS) {
    const pid = await daemonOf(paths);
    // A daemon that loads another config is briefly unreachable but keeps the lock.
    const isGone = waited === 0 || waited > silentMs || (await lockHolder(paths.lock)) === null;
    if (pid === null && isGone) return null;
    const reply: { answer?: Answer; isTaken?: true } = {};
    const asked = { version: 1, ask: 'work', program: packageVersion(), id, request } as const;
    const ended = await talk<WorkMessage>(paths.home, asked, {
      ...{ patienceMs: silentMs, laterMs: silentMs, signal },
      onMessage(each, socket) {
        reply.isTaken = true;
        if (!('answer' in each)) return;
        reply.answer = each.answer as Answer;
        socket.destroy();
      },
    });
    const daemon = readDaemon(paths);
    if (reply.answer?.kind === 'failed')
      throw new AppError('DAEMON_FAILED', reply.answer.message, {
        hint: hintOf(reply.answer.hint, daemon, packageVersion()),
        exitCode: reply.answer.exitCode as ExitCode,
      });
    if (reply.answer) return reply.answer;
    if (signal.aborted) {
      const text = 'interrupted; a request that the daemon had begun is finished by it';
      throw new AppError('INTERRUPTED', text, { exitCode: EXIT.interrupted });
    }
    const why = readNote(paths)?.met.find(({ code }) => code === 'NO_SOCKET')?.text;
    const isOther =
      reply.isTaken !== true && daemon !== null && daemon.version !== packageVersion();
    if (ended === 'silent' || waited > silentMs || why !== undefined || isOther) {
      const what =
        why === undefined ? `gave no answer for ${silentMs / 1000} s` : `cannot be asked: ${why}`;
      const done = reply.isTaken
        ? 'what it began it finishes when it goes on'
        : 'nothing was changed';
      const hint = `${done}; resume it if it is stopped, or end it: the command then does the work itself`;
      throw new AppError('DAEMON_SILENT', `the daemon, process ${pid}, ${what}`, {
        hint: hintOf(hint, daemon, packageVersion()),
        exitCode: EXIT.busy,
      });
    }
    await sleep(AGAIN_MS);
  }
}

/** Reads the database in this process; a daemon closes it until `read` has ended. */
export async function whileReleased<T>(io: Io, read: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, io.signal]);
  await askFree(homeOf(io.env), signal, io.silentMs ?? SILENT_MS);
  try {
    io.signal.throwIfAborted();
    return await read();
  } finally {
    over.abort();
  }
}

/** An edit after it is made. */
export interface LessonEdited {
  plan: Edit;
  /** Who made the edit, as from `nameOfCaller`. */
  by: string;
  /** The action in words for a person: `changed`. */
  verb: string;
  /** The lesson as it is now; null if it is removed. */
  lesson: LessonJson | null;
  /** Earlier text of a removed lesson. */
  before: string | null;
  /** Why the lesson is not in memory or on the page; null if it is. */
  note: string | null;
}

/** The JSON that `lessons add --json` and similar commands print. */
export function editJson({ plan, by, lesson, note }: LessonEdited) {
  return { action: plan.action, by, id: plan.lesson, lesson, note };
}

/** Makes an edit that was planned with the store of `app`; closes the store first. */
export async function makeEdit(
  app: App,
  io: Io,
  { plan, owner, verb, before = null }: TypedEdit,
): Promise<LessonEdited> {
  const slugs = await slugsOf(app);
  await app.store.release();
  const { lesson } = await carryOut(io, { kind: 'edit', edit: plan, owner });
  const isKept = plan.text === null || (lesson !== null && lesson.status !== 'forgotten');
  const note = !isKept
    ? await whyWithheld(io, plan, owner)
    : plan.text === null
      ? null
      : whyNoLine(lesson!);
  return {
    ...{ plan, by: nameOfCaller(io.caller()), verb: isKept ? verb : 'withheld', note },
    ...{ lesson: lesson && lessonJson(lesson, slugs), before: before ?? plan.text },
  };
}

/** Why the agent's edit is withheld; known only after it is stored. */
async function whyWithheld(io: Io, { lesson: id }: Edit, owner: string | null): Promise<string> {
  await using app = await createApp({ ...io, access: 'read' });
  const project =
    (await app.store.read((db) => loadProjects(db))).find((each) => each.id === owner) ?? null;
  const reason = (await app.withheld(project)).find(({ lesson }) => lesson.id === id)?.reason;
  return `${reason ?? 'a person forgot it'}; a person can say it with \`dripstone lessons add\``;
}
