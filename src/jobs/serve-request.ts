/** Does the request of a command, in the daemon or in the command itself. */
import { editBy } from '../lessons/index.js';
import { AppError, EXIT } from '../errors.js';
import { applyEdit } from './learning/edit.js';
import { addLlmCall, isNewRequest } from '../store/index.js';
import { importCrystal, importHome } from './sharing/import.js';
import type { JobContext } from './job.js';
import { purge } from './upkeep/purge.js';
import { callerBy, type Answer, type Request } from './requests.js';

export const UNREADABLE: Answer = {
  kind: 'failed',
  message: 'the daemon could not read the request',
  hint: 'the daemon has another version: stop it and start it again',
  exitCode: EXIT.error,
};

/**
 * Does a request. A repeated request after a kill has the same id, so its edit or its row of the
 * ledger is stored once. Runs, purges and imports may be repeated.
 * @throws AppError why the request failed
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

/** The answer for a command's error. */
export function failedBy(error: unknown): Answer {
  const known = error instanceof AppError ? error : null;
  return {
    kind: 'failed',
    message: known?.message ?? String(error),
    hint: known?.hint ?? "see the daemon's log",
    exitCode: known?.exitCode ?? EXIT.internal,
  };
}
