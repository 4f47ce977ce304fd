/** Gives the thread its preparer, with a clock that a thread can have and the ignore rules of the projects. */
import { createRedactor, redactFacts, redactState } from '../redact/index.js';
import { rememberTops } from '../watchers/folder-project.js';
import { createIgnoredPath } from '../watchers/ignore-rules.js';
import { prepareDrafts, type PrepareState } from './prepare.js';
import { processorMs } from './processor-time.js';
import type { Preparer } from './reader-log.js';
import type { ReaderOptions } from './reader-messages.js';

export const createPreparer = (options: ReaderOptions): Preparer => {
  const { redactKey: key, deadlineMs, emails, phones, ibans } = options;
  const redactor = createRedactor({
    key,
    mono: () => process.uptime() * 1000,
    cpu: processorMs,
    deadlineMs,
    emails,
    phones,
    ibans,
  });
  const rules = { isIgnored: createIgnoredPath(rememberTops()) };
  return {
    async prepare(drafts, log, before) {
      const { entries, state } = await prepareDrafts(drafts, log, before as PrepareState | null, redactor, rules);
      return { entries, equals: state };
    },
    prepareFacts: (facts) => redactFacts(facts, redactor),
    prepareState: (state) => redactState(state, redactor),
  };
};
