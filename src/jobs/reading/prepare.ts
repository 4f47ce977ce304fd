/**
 * Turns raw entries into rows. It drops what must not be stored, caps, redacts, and only then makes ids, so that no unredacted
 * text gets into an id.
 */
import { hash as digest } from 'node:crypto';
import {
  type Redactor,
  type StorageRules,
  dropStructure,
  planStorage,
  redactRawEntries,
  reduceMarks,
  secretFilesShown,
  storable,
} from '../../redact/index.js';
import { failureSignature } from '../../text/error-signature.js';
import { hashedTermsOf } from '../../terms/index.js';
import type { RawEntry, PreparedEntry } from '../../types.js';
import type { PlacedRawEntry } from './reader-gathering.js';
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
 * Turns raw entries into entries, in the same order. The same raw entries after the same state (null at the head of a log) give
 * the same entries, however they are cut into batches.
 */
export async function prepareEntries(
  placed: readonly PlacedRawEntry[],
  log: { agent: string; path: string },
  before: PrepareState | null,
  redactor: Redactor,
  rules: StorageRules,
): Promise<{ entries: PreparedEntry[]; state: PrepareState }> {
  const calls = [...(before?.secretCalls ?? [])];
  const kept = placed.map(({ raw }) => capped(withStorage(raw, rules, calls)));
  const { rawEntries, open } = await redactRawEntries(kept, redactor, before?.openKey ?? 0);
  const seen = createSeenCounter(before?.seen ?? null);
  let counted = before?.seen != null;
  const entries = rawEntries.map((raw, i) => {
    counted ||= raw.native === null;
    return entryOf(raw, placed[i] as PlacedRawEntry, log, seen);
  });
  return { entries, state: { seen: counted ? seen.save() : null, openKey: open, secretCalls: calls.slice(-SECRET_CALLS) } };
}

/** What a secret file holds is dropped from the call that names it and from the result that answers the call. */
function withStorage(raw: RawEntry, rules: StorageRules, calls: SecretCall[]): RawEntry {
  const plan = planStorage(raw, rules);
  if (raw.role === 'tool_call' && raw.call !== null) {
    const paths = plan.store === 'drop-content' ? plan.paths : secretFilesShown(raw, rules);
    if (paths.length > 0) remember(calls, { call: raw.call, paths });
  }
  if (plan.store === 'drop-content') return storable(raw, plan);
  const known = raw.role === 'tool_result' && raw.call !== null ? calls.find(({ call }) => call === raw.call) : undefined;
  return storable(raw, known === undefined ? plan : { store: 'drop-content', paths: known.paths });
}

function remember(calls: SecretCall[], call: SecretCall): void {
  calls.push(call);
  if (calls.length > SECRET_CALLS) calls.shift();
}

function capped(raw: RawEntry): RawEntry {
  return raw.role === 'tool_result' && raw.text.length > TEXT_CAP ? { ...raw, text: capText(raw.text, dropStructure) } : raw;
}

/** Field by field: a quarter of the time of preparing went into spreading the raw entry. */
function entryOf(
  raw: RawEntry,
  { session, time = null, line, block }: PlacedRawEntry,
  log: { agent: string; path: string },
  seen: SeenCounter,
): PreparedEntry {
  const { native, role, text, outcome } = raw;
  const plain = reduceMarks(text);
  const same = native === null ? hex(16, `${role}\0${raw.time}\0${plain}`) : '';
  const { terms, length } = hashedTermsOf(text);
  const equal = native === null ? `${log.agent}\0equal\0${same}\0${seen.count(same)}` : '';
  const bySession = native === null && raw.bySession === true;
  return {
    id: hex(32, native !== null ? `${log.agent}\0native\0${native}` : bySession ? `${equal}\0${session}` : equal),
    ...(bySession ? { formerId: hex(32, equal) } : {}),
    agent: log.agent,
    session,
    seq: (raw.order ?? line) * 1000 + Math.min(block, 999),
    // What was found out about the time is no part of the id: another machine would find out something else.
    time: raw.time ?? time,
    role,
    origin: raw.origin,
    tool: raw.tool,
    text: storedText(text),
    // Said to be this person's later on, what a foreign log shows as typed is another row.
    hash: hex(16, `${plain}\0${outcome}\0${raw.exit}${role === 'user' && raw.origin === 'external' ? '\0external' : ''}`),
    call: raw.call,
    command: raw.command,
    exit: raw.exit,
    outcome,
    error: outcome === 'failed' && role === 'tool_result' ? failureSignature(text) : null,
    files: raw.files,
    cwd: raw.cwd,
    branch: raw.branch,
    marks: raw.marks ?? [],
    copied: raw.copied ?? false,
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
