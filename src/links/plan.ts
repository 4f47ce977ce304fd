/** Plans linking: which agents get which line in which file. Reads files, changes none. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  agentHome,
  LINK_PLACES,
  type LinkAgent,
  type LinkPlace,
  type Surroundings,
} from './agents.js';
import { type Change, type OtherFile, lookAtOther, lookIfFit, refuse } from './files.js';
import { MARK, isOurs, renderLine, renderSentence } from './line.js';

export interface PlannedLine {
  agent: LinkAgent;
  title: string;
  path: string;
  line: string;
  /** `left`: a person must add the line, as the note explains. */
  change: 'added' | 'replaced' | 'kept' | 'removed' | 'left';
  committed: boolean;
  /** A hint for the person about this agent, or null. */
  note: string | null;
}

export interface LinkPlan {
  lines: PlannedLine[];
  changes: Change[];
}

/** Places of the agents that are used on this machine or in this repository. */
export function choosePlaces(repo: string | null, where: Surroundings): LinkPlace[] {
  const known = LINK_PLACES.filter((place) => repo !== null || place.globalFile !== null);
  return known.filter(
    (place) =>
      existsSync(agentHome(place, where)) ||
      (repo !== null && [place.file, ...place.signs].some((sign) => existsSync(join(repo, sign)))),
  );
}

/** Folders that linking this agent makes. */
export function newFoldersFor(
  place: LinkPlace,
  repo: string | null,
  where: Surroundings,
): string[] {
  const folder = dirname(fileOf(place, repo, where));
  return existsSync(folder) ? [] : [folder];
}

function fileOf(place: LinkPlace, repo: string | null, where: Surroundings): string {
  return repo === null
    ? join(agentHome(place, where), place.globalFile!)
    : join(repo, ...place.file.split('/'));
}

interface PlanLink extends Surroundings {
  repo: string | null;
  places: readonly LinkPlace[];
  context: string;
}

/** @throws AppError for a file that must not be touched */
export function planLink(from: PlanLink): LinkPlan {
  const found = from.places.map((place) => ({
    place,
    file: lookInside(fileOf(place, from.repo, from), from.repo),
  }));
  const plan: LinkPlan = { lines: [], changes: [] };
  for (const { place, file } of found) {
    // If the files of several agents are links to one file, it gets one line that all of them
    // understand.
    const shared = found.filter((each) => each.file.real === file.real);
    const line = shared.length > 1 ? renderSentence(from) : renderLine({ place, ...from });
    const after = withLine(file.bytes, line, place.head);
    const isNew = file.bytes === null || !after.equals(file.bytes);
    const change = !isNew ? 'kept' : lineIn(file.bytes) === null ? 'added' : 'replaced';
    plan.lines.push({
      agent: place.agent,
      title: place.title,
      path: file.path,
      line,
      change,
      committed: from.repo !== null && place.committed,
      note: noteFor(place, from),
    });
    if (isNew && shared[0]!.file === file) plan.changes.push({ file, after });
  }
  return plan;
}

/** Refuses a link out of the repository, since other projects may read the same file. */
export function lookInside(path: string, repo: string | null): OtherFile {
  const file = lookAtOther(path);
  if (
    repo !== null &&
    file.real !== path &&
    relative(realpathSync(repo), file.real).startsWith('..')
  ) {
    throw refuse(
      path,
      `is a link to ${file.real}, outside the repository: whatever shares it would show these notes`,
      'leave this agent out with --only, or make it a file',
    );
  }
  return file;
}

function noteFor(place: LinkPlace, { repo, userHome, env }: PlanLink): string | null {
  if (place.agent === 'claude-code' && repo !== null)
    return (
      'Claude Code asks once in a terminal whether this import is allowed: say yes. Without a terminal it stays ' +
      'silent; `dripstone link --hooks` needs no question'
    );
  if (place.agent === 'gemini-cli')
    return (
      `Gemini CLI imports nothing from outside ${repo === null ? 'its folder' : 'the repository'} and asks before it ` +
      'reads the file'
    );
  const override = join(agentHome(place, { userHome, env }), 'AGENTS.override.md');
  if (
    place.agent === 'codex' &&
    repo === null &&
    (statSync(override, { throwIfNoEntry: false })?.size ?? 0) > 0
  )
    return `Codex reads ${override} instead of this file: add the line there`;
  return null;
}

/**
 * Plans unlinking: removes our line from every place where it may be.
 * @param files more files that are known to have the line
 */
export function planUnlink(
  repo: string | null,
  files: readonly string[],
  where: Surroundings,
): LinkPlan {
  const known = LINK_PLACES.filter((place) => repo !== null || place.globalFile !== null).map(
    (place) => ({ place, path: fileOf(place, repo, where) }),
  );
  const others = files
    .filter((path) => !known.some((each) => each.path === path))
    .map((path) => ({
      place:
        LINK_PLACES.find((place) => path.endsWith(place.globalFile ?? place.file)) ??
        LINK_PLACES[0]!,
      path,
    }));
  const plan: LinkPlan = { lines: [], changes: [] };
  for (const { place, path } of [...known, ...others]) {
    const file = files.includes(path) ? lookAtOther(path) : lookIfFit(path);
    const line = lineIn(file?.bytes ?? null);
    if (file === null || file.bytes === null || line === null) continue;
    plan.lines.push({
      agent: place.agent,
      title: place.title,
      path,
      line,
      change: 'removed',
      committed: false,
      note: null,
    });
    if (!plan.changes.some((each) => each.file.real === file.real))
      plan.changes.push({ file, after: withoutLine(file.bytes, place.head) });
  }
  return plan;
}

// Adds our line to a file's bytes and removes it again: `withoutLine(withLine(bytes))` is `bytes`.
// Our line ends with a newline only if the file is new or ended with one.

/** Reads one character per byte, so that the bytes of any encoding stay the same. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

interface Found {
  start: number;
  /** After the line, before its line end. */
  end: number;
  line: string;
}

function linesOf(text: string): Found[] {
  const out: Found[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === '\r' ? newline - 1 : stop;
    out.push({ start, end, line: text.slice(start, end) });
    start = stop + 1;
  }
  return out;
}

function ourLines(text: string): Found[] {
  return linesOf(text).filter(({ line }) => isOurs(line));
}

/** Our line in a file, or null. */
export function lineIn(bytes: Uint8Array | null): string | null {
  const found = bytes === null ? undefined : ourLines(textOf(bytes))[0];
  return found === undefined ? null : bytesOf(found.line).toString('utf8');
}

/**
 * @param before null if there is no file
 * @param head beginning of a new file
 * @returns the same bytes if the file has the line, with our mark or written by hand; an older line
 * of ours is replaced
 */
export function withLine(before: Uint8Array | null, line: string, head = ''): Buffer {
  if (before === null) return Buffer.from(`${head}${line}\n`, 'utf8');
  const text = textOf(before);
  const added = Buffer.from(line, 'utf8').toString('latin1');
  const byHand = added.slice(0, -MARK.length).trimEnd();
  const old = ourLines(text)[0];
  if (old) return bytesOf(text.slice(0, old.start) + added + text.slice(old.end));
  if (linesOf(text).some((each) => each.line.trim() === byHand)) return Buffer.from(before);
  if (text === '') return bytesOf(added);
  const newline = newlineOf(text);
  return bytesOf(text.endsWith('\n') ? text + added + newline : text + newline + added);
}

/** A newline after a final carriage return would join with it to one line end. */
function newlineOf(text: string): string {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return windows * 2 > all || text.endsWith('\r') ? '\r\n' : '\n';
}

/** @returns null if we made the file and it has nothing else */
export function withoutLine(before: Uint8Array, head = ''): Buffer | null {
  let text = textOf(before);
  const wasEnded = text.endsWith('\n');
  const found = ourLines(text);
  if (found.length === 0) return Buffer.from(before);
  for (const { start, end } of found.reverse()) {
    const after = text.slice(end).replace(/^\r?\n/, '');
    const isLast = end === text.length;
    text = (isLast ? text.slice(0, start).replace(/\r?\n$/, '') : text.slice(0, start)) + after;
  }
  return wasEnded && text === Buffer.from(head, 'utf8').toString('latin1') ? null : bytesOf(text);
}
