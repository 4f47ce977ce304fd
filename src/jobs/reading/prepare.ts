/**
 * Drafts as rows: what may be stored at all, capped, redacted, and only then named, so that nothing unredacted gets into an id.
 */
import { hash as digest } from 'node:crypto';
import {
  type Redactor,
  type StorageRules,
  dropStructure,
  planStorage,
  redactDrafts,
  reduceMarks,
  secretFilesShown,
  storable,
} from '../../redact/index.js';
import { failureSignature } from '../../text/error-signature.js';
import { hashedTermsOf } from '../../terms/index.js';
import type { Draft, PreparedEntry } from '../../types.js';
import type { PlacedDraft } from './reader-gathering.js';
import { TEXT_CAP, capText, storedText } from './text-cap.js';

/**
 * What must be known of the log before; plain JSON of at most about 25 KiB (usually 100 bytes) that is stored with the
 * checkpoint.
 */
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
export async function prepareDrafts(
  placed: readonly PlacedDraft[],
  log: { agent: string; path: string },
  before: PrepareState | null,
  redactor: Redactor,
  rules: StorageRules,
): Promise<{ entries: PreparedEntry[]; state: PrepareState }> {
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
}

/** What a secret file holds is dropped from the call that names it and from the result that answers the call. */
function withStorage(draft: Draft, rules: StorageRules, calls: SecretCall[]): Draft {
  const plan = planStorage(draft, rules);
  if (draft.role === 'tool_call' && draft.call !== null) {
    const paths = plan.store === 'drop-content' ? plan.paths : secretFilesShown(draft, rules);
    if (paths.length > 0) remember(calls, { call: draft.call, paths });
  }
  if (plan.store === 'drop-content') return storable(draft, plan);
  const known = draft.role === 'tool_result' && draft.call !== null ? calls.find(({ call }) => call === draft.call) : undefined;
  return storable(draft, known === undefined ? plan : { store: 'drop-content', paths: known.paths });
}

function remember(calls: SecretCall[], call: SecretCall): void {
  calls.push(call);
  if (calls.length > SECRET_CALLS) calls.shift();
}

function capped(draft: Draft): Draft {
  return draft.role === 'tool_result' && draft.text.length > TEXT_CAP
    ? { ...draft, text: capText(draft.text, dropStructure) }
    : draft;
}

/** Field by field: a quarter of the time of preparing went into spreading the draft. */
function entryOf(
  draft: Draft,
  { session, time = null, line, block }: PlacedDraft,
  log: { agent: string; path: string },
  seen: SeenCounter,
): PreparedEntry {
  const { native, role, text, outcome } = draft;
  const plain = reduceMarks(text);
  const same = native === null ? hex(16, `${role}\0${draft.time}\0${plain}`) : '';
  const { terms, length } = hashedTermsOf(text);
  const equal = native === null ? `${log.agent}\0equal\0${same}\0${seen.count(same)}` : '';
  const bySession = native === null && draft.bySession === true;
  return {
    id: hex(32, native !== null ? `${log.agent}\0native\0${native}` : bySession ? `${equal}\0${session}` : equal),
    ...(bySession ? { formerId: hex(32, equal) } : {}),
    agent: log.agent,
    session,
    seq: (draft.order ?? line) * 1000 + Math.min(block, 999),
    // What was found out about the time is no part of the id: another machine would find out something else.
    time: draft.time ?? time,
    role,
    origin: draft.origin,
    tool: draft.tool,
    text: storedText(text),
    // Said to be this person's later on, what a foreign log shows as typed is another row.
    hash: hex(16, `${plain}\0${outcome}\0${draft.exit}${role === 'user' && draft.origin === 'external' ? '\0external' : ''}`),
    call: draft.call,
    command: draft.command,
    exit: draft.exit,
    outcome,
    error: outcome === 'failed' && role === 'tool_result' ? failureSignature(text) : null,
    files: draft.files,
    cwd: draft.cwd,
    branch: draft.branch,
    marks: draft.marks ?? [],
    copied: draft.copied ?? false,
    path: log.path,
    line,
    terms,
    length,
  };
}

/** First hex characters of the SHA-256 of parts that are joined by NUL. */
function hex(length: number, parts: string): string {
  return digest('sha256', parts, 'hex').slice(0, length);
}

/**
 * How often a text without an id of its own was seen in a log, in bounded space: exact for the newest keys; of those that fell
 * out only a count per bucket is left, which may give a new text a higher number than needed, but never an old one twice.
 */
interface Seen {
  /** First 8 hex of the key and its count, least recently seen first. */
  recent: [string, number][];
  /** Highest count that fell out of `recent`, by the first 10 bits of the key. */
  older: Record<string, number>;
}

const RECENT = 600;

/** Counts on from a saved state (null at the head of a log). */
interface SeenCounter {
  /** How often the key (hex, at least 8 characters) has been counted, this time included. */
  count(key: string): number;
  save(): Seen;
}

export function createSeenCounter(saved: Seen | null): SeenCounter {
  const recent = new Map(saved?.recent ?? []);
  const older = { ...saved?.older };
  return {
    count(key) {
      const short = key.slice(0, 8);
      const now = (recent.get(short) ?? older[bucketOf(short)] ?? 0) + 1;
      recent.delete(short);
      recent.set(short, now);
      if (recent.size > RECENT) {
        const [old, count] = recent.entries().next().value as [string, number];
        recent.delete(old);
        older[bucketOf(old)] = Math.max(older[bucketOf(old)] ?? 0, count);
      }
      return now;
    },
    save: () => ({ recent: [...recent], older }),
  };
}

function bucketOf(short: string): string {
  return (Number.parseInt(short.slice(0, 3), 16) >> 2).toString(36);
}
