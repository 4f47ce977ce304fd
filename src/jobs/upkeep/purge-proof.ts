/**
 * Proves a purge: another process searches every byte of the home, and SQL searches every text
 * column, because the database file compresses strings.
 */
import { basename } from 'node:path';
import { spellingsOf } from '../../redact/index.js';
import { type Found, rowsLeft, someTexts, passagesLeft, columnsWith } from '../../store/index.js';
import { searchBytesApart } from '../../watchers/index.js';
import type { JobContext } from '../job.js';
import { ownFiles } from '../sharing/folder.js';
import { filesElsewhere } from './home-files.js';
import { copiesHolding } from './purge-files.js';

export interface Proof {
  /** True if no text was found outside the person's own files. */
  clean: boolean;
  /** Number of spellings or passages that were searched. */
  looked_for: number;
  files: number;
  bytes: number;
  /** Files that still contain the text, relative to the home. */
  hits: string[];
  /** `table.column` names that still contain it. */
  rows: string[];
  unreadable: string[];
}

/** Enough passages to check every kind of place after a purge by session, project or day. */
const PASSAGES = 40;
const LEAST_CHARS = 24;
const MOST_CHARS = 120;

/** A characteristic part of a text: its longest line, shortened; null if all are too short. */
function passageOf(text: string): string | null {
  const longest = text
    .split('\n')
    .reduce((best, line) => (line.trim().length > best.length ? line.trim() : best), '');
  return longest.length < LEAST_CHARS ? null : longest.slice(0, MOST_CHARS);
}

export function passagesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => passageOf(text) ?? []))].slice(0, PASSAGES);
}

/** Chooses passages that the proof must not find, before anything is deleted. */
export async function choosePassages(
  { store }: JobContext,
  ids: readonly string[],
): Promise<string[]> {
  return passagesIn(await store.read((db) => someTexts(db, ids, PASSAGES * 3)));
}

/** A file of the person, which is not changed; its lines are listed elsewhere. */
function isOwn(name: string): boolean {
  return name === 'config.yaml' || basename(name) === 'notes.md';
}

/**
 * @param needles spellings of the text; empty when a session, a project or a time was purged: then
 * passages of the entries are searched
 * @param found no row may refer to its deleted sessions and projects, or to any purged entry
 */
export async function proveGone(
  { store, paths }: JobContext,
  {
    needles,
    passages,
    found,
  }: { needles: readonly string[]; passages: readonly string[]; found: Found },
): Promise<Proof> {
  const remaining =
    passages.length === 0
      ? new Set<string>()
      : await store.read((db) => passagesLeft(db, passages));
  const wanted =
    needles.length > 0
      ? [...needles]
      : passages
          .filter((passage) => !remaining.has(passage))
          .flatMap((passage) => spellingsOf(passage));
  const left = await store.read(async (db) => ({
    where: await columnsWith(db, wanted),
    about: await rowsLeft(db, found),
  }));
  const rows = [
    ...left.where.map(
      ({ table, column, rows: n }) => `${table.replaceAll('"', '')}.${column}: ${n}`,
    ),
    ...left.about.map(({ table, rows: n }) => `${table}: ${n} about what was purged`),
  ];
  await store.release();
  const bytes =
    wanted.length === 0
      ? { files: 0, bytes: 0, hits: [], unreadable: [] }
      : await searchBytesApart(paths.home, wanted, [...filesElsewhere(paths), ...ownFiles(paths)]);
  const hits = [
    ...bytes.hits.filter((name) => !isOwn(name)),
    ...copiesHolding(paths, (text) => wanted.some((needle) => text.includes(needle))),
  ];
  return {
    clean: hits.length === 0 && rows.length === 0 && bytes.unreadable.length === 0,
    looked_for: needles.length > 0 ? 1 : passages.length - remaining.size,
    files: bytes.files,
    bytes: bytes.bytes,
    hits,
    rows,
    unreadable: bytes.unreadable,
  };
}
