/** What linking would change: which agents, which line, in which file. Looks at files, changes none. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { LINK_PLACES, type LinkAgent, type LinkPlace } from './agents.js';
import { lineIn, withLine, withoutLine } from './edit.js';
import { lookAtOther, refuse, type Change, type OtherFile } from './files.js';
import { renderLine, renderSentence } from './line.js';

export interface Surroundings {
  userHome: string;
  env: Record<string, string | undefined>;
}

export interface PlannedLine {
  agent: LinkAgent;
  title: string;
  path: string;
  line: string;
  change: 'added' | 'replaced' | 'kept' | 'removed';
  committed: boolean;
  /** What a person should know about this agent, or null. */
  note: string | null;
}

export interface LinkPlan {
  lines: PlannedLine[];
  changes: Change[];
}

/** Folder of an agent's own settings. */
const agentHome = (place: Pick<LinkPlace, 'home' | 'env'>, { userHome, env }: Surroundings): string => {
  const moved = place.env === null ? undefined : env[place.env]?.split(',')[0]?.trim();
  return moved ? (isAbsolute(moved) ? moved : join(userHome, moved)) : join(userHome, place.home);
};

/** Places of the agents that are used on this machine or in this repository; all of them when none shows. */
export const choosePlaces = (repo: string | null, where: Surroundings): LinkPlace[] => {
  const known = LINK_PLACES.filter((place) => repo !== null || place.globalFile !== null);
  const used = known.filter(
    (place) =>
      existsSync(agentHome(place, where)) ||
      (repo !== null && [place.file, ...place.signs].some((sign) => existsSync(join(repo, sign)))),
  );
  return repo !== null && used.length === 0 ? known : used;
};

const fileOf = (place: LinkPlace, repo: string | null, where: Surroundings): string =>
  repo === null ? join(agentHome(place, where), place.globalFile!) : join(repo, ...place.file.split('/'));

export interface PlanLink extends Surroundings {
  repo: string | null;
  places: readonly LinkPlace[];
  context: string;
  copy: boolean;
}

/** @throws AppError for a file that must not be touched */
export const planLink = (from: PlanLink): LinkPlan => {
  const found = from.places.map((place) => ({ place, file: lookInside(fileOf(place, from.repo, from), from.repo) }));
  const plan: LinkPlan = { lines: [], changes: [] };
  for (const { place, file } of found) {
    // Agents whose files are one file behind links get one line that all of them understand.
    const shared = found.filter((each) => isSame(each.file, file));
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
};

/** A link out of the repository is shared with others, which must not see this project's notes. */
const lookInside = (path: string, repo: string | null): OtherFile => {
  const file = lookAtOther(path);
  if (repo !== null && file.real !== path && relative(realpathSync(repo), file.real).startsWith('..')) {
    throw refuse(
      path,
      `is a link to ${file.real}, outside the repository: whatever shares it would show these notes`,
      'leave this agent out with --agents, or make it a file',
    );
  }
  return file;
};

const isSame = (a: OtherFile, b: OtherFile): boolean => a.real === b.real;

const noteFor = (place: LinkPlace, { repo, copy, userHome, env }: PlanLink): string | null => {
  if (place.agent === 'claude-code' && repo !== null && !copy)
    return 'Claude Code asks once in a terminal whether this import is allowed: say yes. Without a terminal it stays silent; `--copy` needs no question';
  if (place.agent === 'gemini-cli' && !copy)
    return `Gemini CLI imports nothing from outside ${repo === null ? 'its folder' : 'the repository'} and asks before it reads the file${repo === null ? '' : '; `--copy` needs no question'}`;
  const override = join(agentHome(place, { userHome, env }), 'AGENTS.override.md');
  if (place.agent === 'codex' && repo === null && (statSync(override, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return `Codex reads ${override} instead of this file: add the line there`;
  return null;
};

/**
 * Takes our line out of every place where it may be.
 * @param files further files that are known to hold it
 */
export const planUnlink = (repo: string | null, files: readonly string[], where: Surroundings): LinkPlan => {
  const known = LINK_PLACES.filter((place) => repo !== null || place.globalFile !== null).map((place) => ({
    place,
    path: fileOf(place, repo, where),
  }));
  const others = files
    .filter((path) => !known.some((each) => each.path === path))
    .map((path) => ({
      place: LINK_PLACES.find((place) => path.endsWith(place.globalFile ?? place.file)) ?? LINK_PLACES[0]!,
      path,
    }));
  const plan: LinkPlan = { lines: [], changes: [] };
  for (const { place, path } of [...known, ...others]) {
    const file = files.includes(path) ? lookAtOther(path) : lookIfThere(path);
    const line = lineIn(file?.bytes ?? null);
    if (file === null || file.bytes === null || line === null) continue;
    plan.lines.push({ agent: place.agent, title: place.title, path, line, change: 'removed', committed: false, note: null });
    if (!plan.changes.some((each) => isSame(each.file, file)))
      plan.changes.push({ file, after: withoutLine(file.bytes, place.head) });
  }
  return plan;
};

/** A place that cannot hold a line of ours (a folder, a dangling link, a binary file) is none to clean. */
const lookIfThere = (path: string): OtherFile | null => {
  try {
    return lookAtOther(path);
  } catch {
    return null;
  }
};
