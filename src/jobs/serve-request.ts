/** The daemon does what a command asked for, and answers as the command would have answered itself. */
import { editBy } from '../distill/index.js';
import { AppError, EXIT } from '../errors.js';
import { applyEdit } from './edit.js';
import { addLlmCall } from '../store/index.js';
import { importHome } from './import.js';
import type { JobContext } from './job.js';
import { purge } from './purge.js';
import { answerRequest, callerBy, dropRequest, readRequests, type Answer, type Request } from './requests.js';
import { runChosen } from './run-all.js';
import { summarise } from './summary.js';

/** Serves every request that waits, in order. */
export const serveRequests = async (context: JobContext): Promise<number> => {
  let served = 0;
  for (const { path, request } of readRequests(context.paths)) {
    if (context.signal.aborted) break;
    // The request itself holds the text that must be found nowhere. Should the daemon be killed now, the command sees it and does the work.
    if (request?.kind === 'purge') await dropRequest(path);
    await answerRequest(path, await serve(context, request));
    served++;
  }
  return served;
};

const serve = async (context: JobContext, request: Request | null): Promise<Answer> => {
  try {
    if (request === null) return { kind: 'failed', message: 'the daemon could not read the request', hint: 'stop the daemon and start it anew: it is of another version', exitCode: EXIT.error };
    if (request.kind === 'edit') return { kind: 'edit', lesson: await applyEdit(context, editBy(request.edit, callerBy(request.by)), request.owner) };
    if (request.kind === 'ledger') {
      await context.store.write((db) => addLlmCall(db, request.call));
      return { kind: 'ledger' };
    }
    if (request.kind === 'import') return { kind: 'import', report: await importHome({ ...context, caller: () => callerBy(request.by) }, request.file, request.take) };
    if (request.kind === 'purge') return { kind: 'purge', report: await purge({ ...context, caller: () => callerBy(request.by) }, request.purge) };
    const report = await runChosen({ ...context, hurry: true }, { ...(request.only === null ? {} : { only: request.only }), rebuild: request.rebuild });
    return { kind: 'run', summary: await summarise(context, report) };
  } catch (error) {
    const known = error instanceof AppError ? error : null;
    return { kind: 'failed', message: known?.message ?? String(error), hint: known?.hint ?? 'see the daemon\'s log', exitCode: known?.exitCode ?? EXIT.internal };
  }
};
