/** Turns raw entries into rows: drops forbidden content, caps and masks texts, then makes ids. */
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
import { withoutOwnNotes } from '../../parse/own-notes.js';
import { failureSignature } from '../../text/errors.js';
import { hashedTermsOf } from '../../terms/index.js';
import type { RawEntry, PreparedEntry } from '../../types.js';
import type { PlacedRawEntry } from './reader-fold.js';
import { TEXT_CAP, capText, storedText } from './text-cap.js';

/** The preparer's data about the earlier part of a log: limited JSON in the checkpoint. */
export interface PrepareState {
  /** Counts of texts without ids; null if there are none. */
  seen: Seen | null;
  /** Lines of a private key that may still follow. */
  openKey: number;
  /** Calls whose results must not be stored, newest last. */
  secretCalls: SecretCall[];
}

/** `isOver`: its result was read, so a later call with the same id is another one. */
type SecretCall = { call: string; paths: string[]; isOver?: true };

const SECRET_CALLS = 50;

/**
 * Turns raw entries into entries, in the same order. The same raw entries after the same state
 * (null at the head of a log) give the same entries, however they are cut into batches.
 */
export function prepareEntries(
  placed: readonly PlacedRawEntry[],
  log: { agent: string; path: string },
  before: PrepareState | null,
  redactor: Redactor,
  rules: StorageRules,
): { entries: PreparedEntry[]; state: PrepareState } {
  const calls = [...(before?.secretCalls ?? [])];
  const kept = placed.map(({ raw }) => capped(withStorage(raw, rules, calls)));
  const { rawEntries, open } = redactRawEntries(kept, redactor, before?.openKey ?? 0);
  const seen = createSeenCounter(before?.seen ?? null);
  let counted = before?.seen != null;
  const entries = rawEntries.map((raw, i) => {
    counted ||= raw.native === null;
    return entryOf(raw, placed[i] as PlacedRawEntry, log, seen);
  });
  return {
    entries,
    state: {
      seen: counted ? seen.save() : null,
      openKey: open,
      secretCalls: calls.slice(-SECRET_CALLS),
    },
  };
}

/** Removes the content of a secret file from the call that names it and from its result. */
function withStorage(raw: RawEntry, rules: StorageRules, calls: SecretCall[]): RawEntry {
  const plan = planStorage(raw, rules);
  if (raw.role === 'tool_call' && raw.call !== null) {
    const again = calls.findIndex(({ call, isOver }) => call === raw.call && isOver);
    if (again >= 0) calls.splice(again, 1);
    const paths = plan.store === 'drop-content' ? plan.paths : secretFilesShown(raw, rules);
    if (paths.length > 0) remember(calls, { call: raw.call, paths });
  }
  if (plan.store === 'drop-content') return storable(raw, plan);
  const known = raw.role === 'tool_result' ? calls.filter(({ call }) => isOf(raw, call)) : [];
  known.forEach((call) => calls.splice(calls.indexOf(call), 1, { ...call, isOver: true }));
  return storable(
    raw,
    known.length === 0
      ? plan
      : { store: 'drop-content', paths: known.flatMap(({ paths }) => paths) },
  );
}

/** Whether a result may contain the output of a call, or of a part of a script (`ID:1`). */
function isOf({ call, among = [] }: RawEntry, shown: string): boolean {
  return [...(call === null ? [] : [call]), ...among].some(
    (each) => each === shown || shown.startsWith(`${each}:`),
  );
}

function remember(calls: SecretCall[], call: SecretCall): void {
  calls.push(call);
  if (calls.length > SECRET_CALLS) calls.shift();
}

function capped(raw: RawEntry): RawEntry {
  return raw.role === 'tool_result' && raw.text.length > TEXT_CAP
    ? { ...raw, text: capText(raw.text, dropStructure) }
    : raw;
}

/** Copies field by field, since spreading the raw entry is slow. */
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
  return {
    id: hex(
      32,
      native !== null
        ? `${log.agent}\0native\0${reduceMarks(native)}`
        : raw.bySession === true
          ? `${equal}\0${session}`
          : equal,
    ),
    agent: log.agent,
    session,
    seq: (raw.order ?? line) * 1000 + Math.min(block, 999),
    // A derived time is not part of the id, because it differs between machines.
    time: raw.time ?? time,
    role,
    origin: raw.origin,
    tool: raw.tool,
    text: storedText(text),
    // Prompts of a foreign log become other rows if the config later declares the log the person's
    // own.
    hash: hex(
      16,
      `${plain}\0${outcome}\0${raw.exit}${role === 'user' && raw.origin === 'external' ? '\0external' : ''}`,
    ),
    call: raw.call,
    command: raw.command,
    exit: raw.exit,
    outcome,
    error:
      outcome === 'failed' && role === 'tool_result'
        ? failureSignature(withoutOwnNotes(text))
        : null,
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

/** The first hex characters of the SHA-256. */
const hex = (length: number, text: string): string =>
  digest('sha256', text, 'hex').slice(0, length);

/**
 * Counts how often a log contained a text without an id, in limited space. The newest keys are
 * exact. For dropped keys a count per bucket is left: a new text may get a higher number than
 * needed, but never the same number twice.
 */
interface Seen {
  /** First 8 hex of the key and its count, least recently seen first. */
  recent: [string, number][];
  /** Highest dropped count, by the first 10 bits of the key. */
  older: Record<string, number>;
}

const RECENT = 600;

/** Continues from a saved state (null at the head of a log). */
interface SeenCounter {
  /** The count of the key (hex, at least 8 characters), including this time. */
  count(key: string): number;
  save(): Seen;
}

function createSeenCounter(saved: Seen | null): SeenCounter {
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
