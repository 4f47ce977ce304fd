/** Drafts as rows: what may be stored at all, capped, redacted, and only then named, so that nothing unredacted gets into an id. */
import { createHash } from 'node:crypto';
import { dropStructure, planStorage, redactDrafts, reduceMarks, storable, type Redactor, type StorageRules } from '../redact/index.js';
import { errorSignature, hashedTermsOf } from '../terms/index.js';
import type { Draft, PreparedEntry } from '../types.js';
import type { PlacedDraft } from './reader-fold.js';
import { createSeenCounter, type Seen, type SeenCounter } from './seen.js';
import { capText } from './text-cap.js';

/** What must be known of the log before; plain JSON of at most about 25 KiB (usually 100 bytes) that is stored with the checkpoint. */
export interface PrepareState {
  /** Counts of texts without ids, or null while there were none. */
  seen: Seen | null;
  /** Lines of a private key that may still follow. */
  openKey: number;
  /** Calls whose results may not be stored, newest last. */
  secretCalls: SecretCall[];
}

interface SecretCall {
  call: string;
  paths: string[];
}

const SECRET_CALLS = 50;

/**
 * Entries of the drafts, in their order. The same drafts after the same state (null at the head of a log) give the same entries,
 * however they are cut into batches.
 */
export const prepareDrafts = async (
  placed: readonly PlacedDraft[], log: { agent: string; path: string }, before: PrepareState | null, redactor: Redactor, rules: StorageRules,
): Promise<{ entries: PreparedEntry[]; state: PrepareState }> => {
  const calls = [...(before?.secretCalls ?? [])];
  const kept = placed.map(({ draft }) => capped(withStorage(draft, rules, calls)));
  const { drafts, open } = await redactDrafts(kept, redactor, before?.openKey ?? 0);
  const seen = createSeenCounter(before?.seen ?? null);
  let counted = before?.seen != null;
  const entries = drafts.map((draft, i) => {
    counted ||= draft.native === null;
    return entryOf(draft, placed[i] as PlacedDraft, log, seen);
  });
  return { entries, state: { seen: counted ? seen.save() : null, openKey: open, secretCalls: calls.slice(-SECRET_CALLS) } };
};

/** What a secret file holds is dropped from the call that names it and from the result that answers the call. */
const withStorage = (draft: Draft, rules: StorageRules, calls: SecretCall[]): Draft => {
  const plan = planStorage(draft, rules);
  if (plan.store === 'drop-content') {
    if (draft.role === 'tool_call' && draft.call !== null) remember(calls, { call: draft.call, paths: plan.paths });
    return storable(draft, plan);
  }
  const known = draft.role === 'tool_result' && draft.call !== null ? calls.find(({ call }) => call === draft.call) : undefined;
  return storable(draft, known === undefined ? plan : { store: 'drop-content', paths: known.paths });
};

const remember = (calls: SecretCall[], call: SecretCall): void => {
  calls.push(call);
  if (calls.length > SECRET_CALLS) calls.shift();
};

const capped = (draft: Draft): Draft => (draft.role === 'tool_result' ? { ...draft, text: capText(draft.text, dropStructure) } : draft);

const entryOf = (draft: Draft, { session, line, block }: PlacedDraft, log: { agent: string; path: string }, seen: SeenCounter): PreparedEntry => {
  const { native, marks, copied, ...rest } = draft;
  const plain = reduceMarks(draft.text);
  const same = native === null ? hex(16, draft.role, draft.time, plain) : '';
  const isFailure = draft.outcome === 'failed' && draft.role === 'tool_result';
  return {
    ...log, ...rest, session, line,
    id: native === null ? hex(32, log.agent, 'equal', same, seen.count(same)) : hex(32, log.agent, 'native', native),
    seq: line * 1000 + Math.min(block, 999),
    hash: hex(16, plain, draft.outcome, draft.exit),
    error: isFailure ? errorSignature(draft.text) : null,
    marks: marks ?? [],
    copied: copied ?? false,
    ...hashedTermsOf(draft.text),
  };
};

/** First hex characters of the SHA-256 of the parts, which cannot run into each other. */
const hex = (length: number, ...parts: (string | number | null)[]): string => createHash('sha256').update(parts.map(String).join('\0')).digest('hex').slice(0, length);
