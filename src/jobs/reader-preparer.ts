/** Gives the thread its preparer: redaction, ids, hashes and terms, with a clock that a thread can have. */
import { createHash } from 'node:crypto';
import { createRedactor, reduceMarks } from '../redact/index.js';
import { errorSignature, hashedTermsOf } from '../terms/index.js';
import type { PreparedEntry, SessionFacts } from '../types.js';
import type { PlacedDraft } from './reader-fold.js';
import type { Preparer } from './reader-log.js';
import type { ReaderOptions } from './reader-messages.js';

export const createPreparer = (options: ReaderOptions): Preparer => {
  const { redactKey: key, deadlineMs, emails, phones, ibans } = options;
  const redactor = createRedactor({ key, mono: () => process.uptime() * 1000, deadlineMs, emails, phones, ibans });
  return {
    async prepare(drafts, log, before) {
      const texts = await redactor.redact(drafts.map(({ draft }) => draft.text));
      const commands = await redactor.redact(drafts.map(({ draft }) => draft.command ?? ''));
      const equals = { ...(before as Record<string, number> | null) };
      const entries = drafts.map((placed, i) => entryOf(placed, log, texts[i]!, placed.draft.command === null ? null : commands[i]!, equals));
      return { entries, equals };
    },
    async prepareFacts(facts) {
      const titles = await redactor.redact(facts.map(({ title }) => title ?? ''));
      return facts.map((each, i): SessionFacts => (each.title ? { ...each, title: titles[i]! } : each));
    },
  };
};

const hex = (length: number, ...parts: (string | number | null)[]): string => createHash('sha256').update(parts.map(String).join('\0')).digest('hex').slice(0, length);

const entryOf = ({ draft, session, line, block }: PlacedDraft, log: { agent: string; path: string }, text: string, command: string | null, equals: Record<string, number>): PreparedEntry => {
  const plain = reduceMarks(text);
  const { role, time, outcome, exit } = draft;
  const same = draft.native === null ? hex(16, role, time, plain) : null;
  if (same !== null) equals[same] = (equals[same] ?? 0) + 1;
  const { terms, length } = hashedTermsOf(text);
  return {
    ...log, session, role, time, outcome, exit, text, command, line,
    id: same === null ? hex(32, log.agent, 'native', draft.native) : hex(32, log.agent, 'equal', same, equals[same]!),
    seq: line * 1000 + block,
    origin: draft.origin, tool: draft.tool, call: draft.call, files: draft.files, cwd: draft.cwd, branch: draft.branch,
    hash: hex(16, plain, outcome, exit),
    error: outcome === 'failed' ? errorSignature(text) : null,
    marks: draft.marks ?? [], copied: draft.copied ?? false, terms,
    length,
  };
};
