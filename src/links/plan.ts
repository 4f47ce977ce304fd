/**
 * What linking would change: which agents, which line, in which file. Looks at files, changes none.
 */
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
  /** `left`: it has to be added by hand, as the note says. */
  change: 'added' | 'replaced' | 'kept' | 'removed' | 'left';
  committed: boolean;
  /** What a person should know about this agent, or null. */
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

/** Folders that linking this agent would make. */
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
    // Agents whose files are one file behind links get one line that all of them understand.
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

/** A link out of the repository is shared with others, which must not see this project's notes. */
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
 * Takes our line out of every place where it may be.
 * @param files further files that are known to have it
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

// Puts our line into the bytes of another's file, and takes it out again:
// `withoutLine(withLine(bytes))` is `bytes`. Our line ends with a newline only if the file did, or
// is new.

/** One character a byte: whatever encoding the file has comes out as it went in. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

interface Found {
  start: number;
  /** Behind the line, before its end. */
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

/** The line of ours in a file, or null. */
export function lineIn(bytes: Uint8Array | null): string | null {
  const found = bytes === null ? undefined : ourLines(textOf(bytes))[0];
  return found === undefined ? null : bytesOf(found.line).toString('utf8');
}

/**
 * @param before null when there is no file
 * @param head opening of a file that is made again
 * @returns the same bytes when the line is there, with our mark or written by hand; an older line
 * of ours is replaced in its place
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

/** After a lone carriage return at the end a bare newline would make one line ending of the two. */
function newlineOf(text: string): string {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return windows * 2 > all || text.endsWith('\r') ? '\r\n' : '\n';
}

/** @returns null when the file was made by us and has nothing else */
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
