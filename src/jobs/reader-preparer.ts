/** Gives the thread its preparer, with a clock that a thread can have and the ignore rules of the projects. */
import { dirname } from 'node:path';
import { createRedactor, redactFacts } from '../redact/index.js';
import { lookAtFolder } from '../watchers/folder-project.js';
import { createIgnoredPath } from '../watchers/ignore-rules.js';
import { prepareDrafts, type PrepareState } from './prepare.js';
import type { Preparer } from './reader-log.js';
import type { ReaderOptions } from './reader-messages.js';

export const createPreparer = (options: ReaderOptions): Preparer => {
  const { redactKey: key, deadlineMs, emails, phones, ibans } = options;
  const redactor = createRedactor({ key, mono: () => process.uptime() * 1000, deadlineMs, emails, phones, ibans });
  const rules = { isIgnored: createIgnoredPath(rememberTops()) };
  return {
    async prepare(drafts, log, before) {
      const { entries, state } = await prepareDrafts(drafts, log, before as PrepareState | null, redactor, rules);
      return { entries, equals: state };
    },
    prepareFacts: (facts) => redactFacts(facts, redactor),
  };
};

/** Tops of so many folders are remembered; emptied when full. */
const TOPS = 5_000;

/** The repository of a folder, looked up once. A folder that is gone takes that of the nearest one above which is still there. */
const rememberTops = (): ((folder: string) => string | null) => {
  const tops = new Map<string, string | null>();
  const topOf = (folder: string): string | null => {
    const known = tops.get(folder);
    if (known !== undefined) return known;
    if (tops.size >= TOPS) tops.clear();
    const facts = lookAtFolder(folder);
    const top = facts.exists || dirname(folder) === folder ? facts.top : topOf(dirname(folder));
    tops.set(folder, top);
    return top;
  };
  return topOf;
};
