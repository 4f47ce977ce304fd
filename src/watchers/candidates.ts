/** Finds folders in a person's home with JSON lines that look like sessions of an unknown agent. */
import { readdirSync, type Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { openLog, UnreadableLog } from './log-file.js';
import { parseLine } from './records.js';
import { createSplitter } from './split-lines.js';

interface Candidate {
  /** The program's folder, directly below the home or one of its data folders. */
  path: string;
  /** Files in it that look like sessions, of those that were opened. */
  files: number;
}

/**
 * A home may hold millions of files: limits on names seen, files opened, and bytes read of each.
 */
const MOST = { names: 20_000, files: 300, perFolder: 5, bytes: 64 * 1024, depth: 5 };

/**
 * Folders for programs' own data by the XDG rules; hidden folders of the home itself come first.
 */
const DATA = ['.local/share', '.local/state', '.config'];

/** Large folders that never hold an agent's sessions. */
const SKIPPED = new Set(
  '.cache .npm .cargo .rustup .git .Trash .local .config .ssh .gnupg node_modules extensions Cache CachedData logs'.split(
    ' ',
  ),
);

/**
 * @param known folders that are searched already, ours among them
 * @param looksLikeSession judges the first records of a file
 */
export function findCandidates(
  home: string,
  known: readonly string[],
  looksLikeSession: (records: readonly unknown[]) => boolean,
): Candidate[] {
  const budget = { names: MOST.names, files: MOST.files };
  const isKnown = (path: string): boolean =>
    known.some((each) => each === path || path.startsWith(each + sep));
  const programs = [
    ...folders(home, budget).filter((name) => name.startsWith('.') && !SKIPPED.has(name)),
    ...DATA.flatMap((data) => folders(join(home, data), budget).map((name) => join(data, name))),
  ].map((name) => join(home, name));
  return programs
    .map((path) => {
      const logs = linesBelow(path, isKnown, budget).slice(
        0,
        Math.max(0, Math.min(MOST.perFolder, budget.files)),
      );
      budget.files -= logs.length;
      return { path, files: logs.filter((log) => looksLikeSession(firstRecords(log))).length };
    })
    .filter(({ files }) => files > 0);
}

interface Budget {
  names: number;
  files: number;
}

function entriesOf(folder: string, budget: Budget): Dirent[] {
  if (budget.names <= 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.names -= entries.length;
    return entries;
  } catch {
    return []; // missing, or not readable
  }
}

function folders(folder: string, budget: Budget): string[] {
  return entriesOf(folder, budget)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Files of JSON lines, breadth first, so that a deep tree does not use up the budget. */
function linesBelow(top: string, isKnown: (path: string) => boolean, budget: Budget): string[] {
  const found: string[] = [];
  let level = [top];
  for (let depth = 0; depth <= MOST.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level.filter((path) => !isKnown(path)))
      for (const entry of entriesOf(folder, budget)) {
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(join(folder, entry.name));
        else if (entry.isFile() && entry.name.endsWith('.jsonl'))
          found.push(join(folder, entry.name));
      }
    level = next;
  }
  return found;
}

function firstRecords(path: string): object[] {
  try {
    const log = openLog(path);
    try {
      const bytes = Buffer.alloc(Math.min(log.size, MOST.bytes));
      const lines = createSplitter({ offset: 0, line: 0, midLine: false }).push(
        bytes.subarray(0, log.read(bytes, 0)),
      );
      return lines.flatMap((line) => parseLine(line).values);
    } finally {
      log.close();
    }
  } catch (error) {
    if (error instanceof UnreadableLog) return [];
    throw error;
  }
}
