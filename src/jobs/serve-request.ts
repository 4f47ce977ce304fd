/**
 * The daemon does what a command asked for, and answers as the command would have answered itself.
 */
import { editBy } from '../lessons/index.js';
import { AppError, EXIT } from '../errors.js';
import { applyEdit } from './learning/edit.js';
import { addLlmCall, isNewRequest, isStoreLost } from '../store/index.js';
import { type Loop, type Pass } from './loop.js';
import { foldUses } from './upkeep/fold-uses.js';
import { importCrystal, importHome } from './sharing/import.js';
import type { JobContext } from './job.js';
import { purge } from './upkeep/purge.js';
import { callerBy, requestShape, type Answer, type Request } from './requests.js';
import { summarise } from './publishing/summary.js';

type RunRequest = Extract<Request, { kind: 'run' }>;

interface Waiting {
  id: string;
  request: Request;
  /** False once nobody waits for the answer: what has not begun is dropped. */
  isWanted(): boolean;
  answer(answer: Answer): void;
}

/**
 * Serves requests in the daemon's queue. Those to run become passes on it, one for all that ask for
 * the same, and are answered when it ended.
 */
export class RequestDesk {
  private waiting: Waiting[] = [];

  constructor(
    private readonly context: JobContext,
    private readonly loop: Loop,
  ) {}

  /** Keeps a request until `serve`; it is never answered when the daemon ends or boots before. */
  take(id: string, asked: unknown, isWanted: () => boolean): Promise<Answer> {
    const { data: request } = requestShape.safeParse(asked);
    if (request === undefined) return Promise.resolve(UNREADABLE);
    return new Promise((answer) => this.waiting.push({ id, request, isWanted, answer }));
  }

  isAsked(): boolean {
    return this.waiting.length > 0;
  }

  /**
   * Serves what waits, in order.
   * @returns whether all projects must follow an edit, and for each pass what waits for its end and
   * answers
   * @throws when the store cannot be used; then every request was answered with the error,
   * unless a boot helps
   */
  async serve(): Promise<{ changesAll: boolean; ends: (() => Promise<void>)[] }> {
    await this.loop.prepare().catch((error: unknown) => {
      if (!isStoreLost(error))
        for (const { answer } of this.waiting.splice(0)) answer(failedBy(error));
      throw error;
    });
    const runs = new Map<string, Waiting[]>();
    let changesAll = false;
    for (let next; !this.context.signal.aborted && (next = this.waiting.shift()) !== undefined;) {
      const { id, request } = next;
      if (!next.isWanted()) continue;
      if (request.kind === 'run') {
        const key = JSON.stringify(request);
        runs.set(key, [...(runs.get(key) ?? []), next]);
        continue;
      }
      const answer = await act(this.context, request, id).catch(failedUnlessLost);
      next.answer(answer);
      changesAll ||= request.kind === 'edit' && request.owner === null && answer.kind !== 'failed';
    }
    const ends: (() => Promise<void>)[] = [];
    for (const [key, asked] of runs)
      await this.begin(JSON.parse(key) as RunRequest).then(
        (pass) => ends.push(() => this.end(pass, asked)),
        (error: unknown) => {
          const failed = failedUnlessLost(error);
          for (const { answer } of asked) answer(failed);
        },
      );
    return { changesAll, ends };
  }

  private async begin({ only, rebuild }: RunRequest): Promise<Pass> {
    await foldUses(this.context);
    // Models are asked when the queue is free again.
    return this.loop.begin({ ...(only === null ? {} : { only }), rebuild, asksModel: false });
  }

  private async end(pass: Pass, asked: readonly Waiting[]): Promise<void> {
    await this.loop.end(pass);
    // What was not done is served again when that is possible, or the daemon ends.
    if (pass.isHeld || this.context.signal.aborted) return void this.waiting.push(...asked);
    const summary = await summarise(this.context, pass).then(
      (summary): Answer => ({ kind: 'run', summary }),
      failedBy,
    );
    for (const { answer } of asked) answer(summary);
  }
}

const UNREADABLE: Answer = {
  kind: 'failed',
  message: 'the daemon could not read the request',
  hint: 'the daemon has another version: stop it and start it again',
  exitCode: EXIT.error,
};

/**
 * A request that is asked again after a kill has the same id: an edit and a row of the ledger are
 * stored with it, once. To run, to purge and to import twice changes nothing more.
 * @throws AppError what makes it fail
 */
export async function act(
  context: JobContext,
  request: Exclude<Request, { kind: 'run' }>,
  id: string,
): Promise<Answer> {
  if (request.kind === 'edit') {
    const edit = editBy(request.edit, callerBy(request.by));
    return { kind: 'edit', lesson: await applyEdit(context, edit, request.owner, id) };
  }
  if (request.kind === 'ledger') {
    const now = context.clock.now();
    await context.store.write(async (db) => {
      if (await isNewRequest(db, id, now)) await addLlmCall(db, request.call);
    });
    return { kind: 'ledger' };
  }
  const own = { ...context, caller: () => callerBy(request.by) };
  if (request.kind === 'purge') return { kind: 'purge', report: await purge(own, request.purge) };
  const { file, from } = request;
  const report = from === null ? importHome(own, file) : importCrystal(own, file, from);
  return { kind: 'import', report: await report };
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
