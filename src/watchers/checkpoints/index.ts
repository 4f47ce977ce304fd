/** Logs that lie in the objects of a git repository: found by its refs, known by their content, each read once. */
import { CHECKPOINT_REFS, kindInCheckpoint, leadsToCheckpoint, planCheckpoint } from '../../agents/entire.js';
import { CARRIED, type Carried } from '../../types.js';
import type { FoundLog } from '../discover.js';
import { type LogBytes, UnreadableLog } from '../log-file.js';
import { entriesOfTree, git, readObjects, type SearchPath, sizesOf } from './git.js';

/** Larger metadata is none, a larger log is named and left, and more files than that are no checkpoints. */
const MOST = { facts: 64 * 1024, log: 256 * 1024 * 1024, files: 500_000, depth: 6 };

/** What a repository held when its refs were these. */
interface Held {
  refs: string;
  logs: FoundLog[];
  odd: { path: string; reason: string }[];
}

/** By repository: an unchanged one costs one short call of git. */
export type HeldCheckpoints = Map<string, Held>;

/**
 * The logs of a repository's checkpoints, oldest first: later ones hold the same session longer.
 * @param foreign what was typed there is anybody's word
 * @throws UnreadableLog when git is missing or refuses
 */
export async function findCheckpoints(
  repository: string,
  foreign: boolean,
  path: SearchPath,
  held: HeldCheckpoints = new Map(),
): Promise<Held> {
  const refs = (
    await git(repository, ['for-each-ref', '--format=%(objectname) %(refname)', ...CHECKPOINT_REFS], '', path)
  ).toString();
  const before = held.get(repository);
  const found = before?.refs === refs ? before : await lookAt(repository, refs, path);
  held.set(repository, found);
  return { ...found, logs: found.logs.map((log) => ({ ...log, foreign })) };
}

/** A file of a checkpoint. */
interface File {
  ref: string;
  path: string;
  blob: string;
}

async function lookAt(repository: string, refs: string, path: SearchPath): Promise<Held> {
  const files = await filesOf(repository, refs, path);
  const logs = files.filter((file) => kindInCheckpoint(file.path) === 'log');
  const about = files.filter((file) => kindInCheckpoint(file.path) === 'facts');
  const sizes = await sizesById(repository, [...logs, ...about], path);
  const small = about.filter(({ blob }) => (sizes.get(blob) ?? Infinity) <= MOST.facts);
  const texts = await readObjects(repository, [...new Set(small.map(({ blob }) => blob))], path);
  const textOf = new Map(texts.flatMap((each) => (each === null ? [] : [[each.id, each.bytes.toString('utf8')]])));
  const found: Held = { refs, logs: [], odd: [] };
  const seen = new Set<string>();
  const factsOf = byRef(small);
  for (const [ref, here] of byRef(logs)) {
    const facts = new Map((factsOf.get(ref) ?? []).map((file) => [file.path, textOf.get(file.blob) ?? '']));
    for (const log of planCheckpoint(here, facts)) {
      const inode = log.blobs.join('+');
      if (seen.has(inode)) continue;
      seen.add(inode);
      const place = `${repository}#${ref.replace(/^refs\/(?:heads|remotes)\//, '')}:${log.path}`;
      const parts = log.blobs.map((blob) => sizes.get(blob) ?? null);
      const size = parts.reduce<number>((sum, part) => sum + (part ?? Infinity), log.blobs.length - 1);
      if (size > MOST.log)
        found.odd.push({ path: place, reason: size === Infinity ? 'not in this clone' : 'larger than 256 MiB' });
      else {
        const carried = { repository, blobs: log.blobs, label: log.label, created: log.created };
        const shown = { device: CARRIED, inode, size, mtimeMs: log.created };
        found.logs.push({ agent: 'generic', path: place, relative: log.relative, ...shown, foreign: true, carried });
      }
    }
  }
  found.logs.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1));
  return found;
}

function byRef(files: readonly File[]): Map<string, File[]> {
  const found = new Map<string, File[]>();
  for (const file of files) {
    const list = found.get(file.ref) ?? [];
    if (list.length === 0) found.set(file.ref, list);
    list.push(file);
  }
  return found;
}

async function sizesById(repository: string, files: readonly File[], path: SearchPath): Promise<Map<string, number>> {
  const ids = [...new Set(files.map(({ blob }) => blob))];
  const sizes = await sizesOf(repository, ids, path);
  return new Map(ids.flatMap((id, index) => (sizes[index] == null ? [] : [[id, sizes[index]]])));
}

/** Files of all refs' trees that are read, level by level: one call of git for each, however many refs there are. */
async function filesOf(repository: string, refs: string, path: SearchPath): Promise<File[]> {
  const lines = refs.split('\n').filter((line) => line !== '');
  let level = lines.map((line) => ({
    name: `${line.slice(0, line.indexOf(' '))}^{tree}`,
    ref: line.slice(line.indexOf(' ') + 1),
    at: '',
  }));
  const files: File[] = [];
  for (let depth = 0; depth < MOST.depth && level.length > 0; depth++) {
    const trees = await readObjects(
      repository,
      level.map(({ name }) => name),
      path,
    );
    const seen = new Set<string>();
    const next: typeof level = [];
    for (const [index, { ref, at }] of level.entries()) {
      const tree = trees[index];
      // A branch and its copy of a remote share most folders.
      if (tree == null || tree.type !== 'tree' || seen.has(`${tree.id} ${at}`)) continue;
      if (at !== '') seen.add(`${tree.id} ${at}`);
      for (const { name, kind, id } of entriesOfTree(tree)) {
        const below = `${at}${name}`;
        if (kind === 'folder' && leadsToCheckpoint(below)) next.push({ name: id, ref, at: `${below}/` });
        else if (kind === 'file' && kindInCheckpoint(below) !== null) files.push({ ref, path: below, blob: id });
      }
    }
    if (files.length + next.length > MOST.files) throw new UnreadableLog('too many files for checkpoints');
    level = next;
  }
  return files;
}

/** The text of a log, its parts joined. */
export async function readCheckpoint({ repository, blobs }: Carried, path: SearchPath): Promise<Buffer> {
  const parts = await readObjects(repository, blobs, path);
  return Buffer.concat(
    parts.flatMap((part, index) => {
      if (part === null || part.type !== 'blob') throw new UnreadableLog('gone');
      return index === 0 ? [part.bytes] : [NEWLINE, part.bytes];
    }),
  );
}

const NEWLINE = Buffer.from('\n');

/** Bytes in memory as a log. */
export function openCheckpoint(bytes: Buffer, { blobs, created }: Carried): LogBytes {
  return {
    ...{ device: CARRIED, inode: blobs.join('+'), size: bytes.length, mtimeMs: created },
    now: () => ({ size: bytes.length, mtimeMs: created }),
    read: (target, position) => bytes.copy(target, 0, position, position + target.length),
    close: () => {},
  };
}
