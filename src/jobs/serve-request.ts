/** The daemon does what a command asked for, and answers as the command would have answered itself. */
import { editBy } from '../lessons/index.js';
import { AppError, EXIT } from '../errors.js';
import { takeTidy } from './asking/tidy.js';
import { applyEdit } from './learning/edit.js';
import { addLlmCall } from '../store/index.js';
import { withRecovery } from './upkeep/heal.js';
import { importHome } from './sharing/import.js';
import type { JobContext } from './job.js';
import { purge } from './upkeep/purge.js';
import { answerRequest, callerBy, dropRequest, readRequests, type Answer, type Request } from './requests.js';
import { runForCommand } from './run-all.js';
import { summarise } from './publishing/summary.js';

/**
 * Serves every request that waits, in order.
 * @param prepare called before each: brings back what is missing when the store is another one than before
 * @param done told of each request that was served
 */
export async function serveRequests(
  context: JobContext,
  prepare: () => Promise<unknown>,
  done: (request: Request) => void = () => {},
): Promise<number> {
  let served = 0;
  /** What waited when a run began is answered by that run: thousands that killed commands left would keep others waiting. */
  const ran = new Map<string, Answer>();
  for (const { path, request } of readRequests(context.paths)) {
    if (context.signal.aborted) break;
    // The request itself holds the text that must be found nowhere. Should the daemon be killed now, the command sees it and does
    // the work.
    if (request?.kind === 'purge') await dropRequest(path);
    const key = request?.kind === 'run' ? JSON.stringify(request) : null;
    const answer = (key === null ? undefined : ran.get(key)) ?? (await serve(context, request, prepare));
    if (key !== null && answer.kind === 'run') ran.set(key, answer);
    await answerRequest(path, answer);
    if (request !== null && answer.kind !== 'failed') done(request);
    served++;
  }
  return served;
}

/** Answers all requests with the error when the store cannot be used: the commands would wait for ever. */
export async function refuseRequests({ paths }: Pick<JobContext, 'paths'>, error: unknown): Promise<void> {
  for (const { path } of readRequests(paths)) await answerRequest(path, failedBy(error));
}

async function serve(context: JobContext, request: Request | null, prepare: () => Promise<unknown>): Promise<Answer> {
  try {
    if (request === null)
      return {
        kind: 'failed',
        message: 'the daemon could not read the request',
        hint: 'stop the daemon and start it anew: it is of another version',
        exitCode: EXIT.error,
      };
    if (request.kind === 'run') return await runFor(context, request, prepare);
    return (await withRecovery(context, prepare, () => act(context, request))).result;
  } catch (error) {
    return failedBy(error);
  }
}

async function act(context: JobContext, request: Exclude<Request, { kind: 'run' }>): Promise<Answer> {
  if (request.kind === 'edit')
    return { kind: 'edit', lesson: await applyEdit(context, editBy(request.edit, callerBy(request.by)), request.owner) };
  if (request.kind === 'ledger') {
    await context.store.write((db) => addLlmCall(db, request.call));
    return { kind: 'ledger' };
  }
  if (request.kind === 'tidy') return { kind: 'tidy', taken: await takeTidy(context, request.answer, callerBy(request.by)) };
  if (request.kind === 'import')
    return {
      kind: 'import',
      report: await importHome({ ...context, caller: () => callerBy(request.by) }, request.file, request.take),
    };
  return { kind: 'purge', report: await purge({ ...context, caller: () => callerBy(request.by) }, request.purge) };
}

async function runFor(
  context: JobContext,
  { only, rebuild }: Extract<Request, { kind: 'run' }>,
  prepare: () => Promise<unknown>,
): Promise<Answer> {
  const options = { ...(only === null ? {} : { only }), rebuild };
  const report = await runForCommand({ ...context, mode: 'once' }, options, prepare);
  return { kind: 'run', summary: await summarise(context, report) };
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
