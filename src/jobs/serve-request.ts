/**
 * The daemon does what a command asked for, and answers as the command would have answered itself.
 */
import { editBy } from '../lessons/index.js';
import { AppError, EXIT } from '../errors.js';
import { applyEdit } from './learning/edit.js';
import { addLlmCallOnce, isStoreLost } from '../store/index.js';
import { type Loop, type Pass } from './loop.js';
import { foldUses } from './upkeep/fold-uses.js';
import { importCrystal, importHome } from './sharing/import.js';
import type { JobContext } from './job.js';
import { purge } from './upkeep/purge.js';
import {
  answerRequest,
  callerBy,
  dropRequest,
  readRequests,
  type Answer,
  type Request,
  type Waiting,
} from './requests.js';
import { summarise } from './publishing/summary.js';

type RunRequest = Extract<Request, { kind: 'run' }>;

/**
 * Serves requests in the daemon's queue. Those to run become passes on it, one for all that ask for
 * the same, and are answered when it ended: thousands that killed commands left keep nobody
 * waiting.
 */
export class RequestDesk {
  /** Requests that a pass will answer. */
  private readonly begun = new Set<string>();

  constructor(
    private readonly context: JobContext,
    private readonly loop: Loop,
  ) {}

  /** Requests that nobody serves yet. */
  waiting(): Waiting[] {
    return readRequests(this.context.paths).filter(({ path }) => !this.begun.has(path));
  }

  /**
   * Serves what waits, in order.
   * @returns whether all projects must follow an edit, and for each pass what waits for its end and
   * answers
   * @throws when the store cannot be used; then every request was answered with the error, since a
   * command would wait for ever
   */
  async serve(): Promise<{ changesAll: boolean; ends: (() => Promise<void>)[] }> {
    await this.loop.prepare().catch(async (error: unknown) => {
      await this.answer(
        this.waiting().map(({ path }) => path),
        failedBy(error),
      );
      throw error;
    });
    const runs = new Map<string, { request: RunRequest; paths: string[] }>();
    let changesAll = false;
    for (const { path, request } of this.waiting()) {
      if (this.context.signal.aborted) break;
      if (request?.kind === 'run') {
        const key = JSON.stringify(request);
        runs.set(key, { request, paths: [...(runs.get(key)?.paths ?? []), path] });
        continue;
      }
      // The request itself holds the text that must be found nowhere. Should the daemon be killed
      // now, the command sees it and does the work.
      if (request?.kind === 'purge') await dropRequest(path);
      const answer =
        request === null ? UNREADABLE : await act(this.context, request).catch(failedUnlessLost);
      await answerRequest(path, answer);
      changesAll ||= request?.kind === 'edit' && request.owner === null && answer.kind !== 'failed';
    }
    const ends: (() => Promise<void>)[] = [];
    for (const { request, paths } of runs.values())
      await this.begin(request, paths).then(
        (pass) => ends.push(() => this.end(pass, paths)),
        (error: unknown) => this.answer(paths, failedBy(error)),
      );
    return { changesAll, ends };
  }

  private async begin({ only, rebuild }: RunRequest, paths: readonly string[]): Promise<Pass> {
    for (const path of paths) this.begun.add(path);
    await foldUses(this.context);
    // Models are asked when the queue is free again.
    return this.loop.begin({ ...(only === null ? {} : { only }), rebuild, asksModel: false });
  }

  private async end(pass: Pass, paths: readonly string[]): Promise<void> {
    await this.loop.end(pass);
    if (!pass.isHeld && !this.context.signal.aborted)
      await this.answer(
        paths,
        await summarise(this.context, pass).then(
          (summary): Answer => ({ kind: 'run', summary }),
          failedBy,
        ),
      );
    // Without an answer it is served again when that is possible, or the command sees that the
    // daemon ended.
    for (const path of paths) this.begun.delete(path);
  }

  private async answer(paths: readonly string[], answer: Answer): Promise<void> {
    for (const path of paths) await answerRequest(path, answer);
    for (const path of paths) this.begun.delete(path);
  }
}

const UNREADABLE: Answer = {
  kind: 'failed',
  message: 'the daemon could not read the request',
  hint: 'the daemon has another version: stop it and start it again',
  exitCode: EXIT.error,
};

/** @throws AppError what makes it fail */
export async function act(
  context: JobContext,
  request: Exclude<Request, { kind: 'run' }>,
): Promise<Answer> {
  if (request.kind === 'edit')
    return {
      kind: 'edit',
      lesson: await applyEdit(context, editBy(request.edit, callerBy(request.by)), request.owner),
    };
  if (request.kind === 'ledger') {
    await context.store.write((db) => addLlmCallOnce(db, request.call));
    return { kind: 'ledger' };
  }
  if (request.kind === 'import') {
    const { file, from } = request;
    const own = { ...context, caller: () => callerBy(request.by) };
    const report = from === null ? importHome(own, file) : importCrystal(own, file, from);
    return { kind: 'import', report: await report };
  }
  return {
    kind: 'purge',
    report: await purge({ ...context, caller: () => callerBy(request.by) }, request.purge),
  };
}

/** @throws what says that the database is lost: the request is done after the boot */
function failedUnlessLost(error: unknown): Answer {
  if (isStoreLost(error)) throw error;
  return failedBy(error);
}

function failedBy(error: unknown): Answer {
  const known = error instanceof AppError ? error : null;
  return {
    kind: 'failed',
    message: known?.message ?? String(error),
    hint: known?.hint ?? "see the daemon's log",
    exitCode: known?.exitCode ?? EXIT.internal,
  };
}
