/**
 * Purges that other machines did: what they took out goes here too, and what was purged here comes
 * back with no import.
 */
import { basename } from 'node:path';
import { adapters } from '../../agents/index.js';
import { formatCrystal, purgeCrystal, type Crystal } from '../../lessons/index.js';
import {
  addPurged,
  knownMarks,
  loadProjects,
  purgedEdit,
  purgedSession,
} from '../../store/index.js';
import { sessionKey } from '../../types.js';
import type { JobContext } from '../job.js';
import { takeHandEdits } from '../learning/hand-edits.js';
import { readCrystal } from '../publishing/crystal-file.js';
import { passagesIn, proveGone, type Proof } from '../upkeep/purge-proof.js';
import { purgeMarked } from '../upkeep/purge.js';
import type { Bundle } from './bundle.js';

/** What went because another machine had purged it. */
export interface PurgedElsewhere {
  entries: number;
  lessons: number;
  proof: Proof;
}

/**
 * Days that went from a project go from the person's days too, unless another project had an entry
 * on them.
 */
interface PurgedDays {
  lost: Set<string>;
  kept: Set<string>;
}

function noDays(): PurgedDays {
  return { lost: new Set(), kept: new Set() };
}

/**
 * What was purged is known by hashes alone, so each event and edit of the crystal is looked up;
 * unchanged when none was.
 */
async function leftOf(
  { store }: JobContext,
  crystal: Crystal,
  days: PurgedDays,
): Promise<Pick<ReturnType<typeof purgeCrystal>, 'crystal' | 'removed'>> {
  const same = { crystal, removed: [] };
  const events = [...crystal.lessons, ...crystal.history].flatMap(({ evidence }) => evidence);
  const ids = [
    ...events.flatMap(({ entry }) => entry ?? []),
    ...crystal.tombstones.flatMap(({ sources = [] }) => sources.map(({ entry }) => entry)),
  ];
  // A relation names its sessions without their agent.
  const agents = [...new Set([...adapters, ...events].map(({ agent }) => agent))];
  const named = crystal.relations.flatMap(({ sessions }) =>
    sessions.flatMap((session) => agents.map((agent) => ({ agent, session }))),
  );
  const sessions = new Map(
    [...events, ...named].map(({ agent, session }) => [
      sessionKey(agent, session),
      purgedSession(agent, session),
    ]),
  );
  const marks = await store.read((db) =>
    knownMarks(db, [...new Set([...ids, ...sessions.values(), ...crystal.edits.map(purgedEdit)])]),
  );
  const isGone = ({ agent, session, entry }: (typeof events)[number]): boolean =>
    (entry !== null && marks.has(entry)) || marks.has(sessions.get(sessionKey(agent, session))!);
  if (crystal.project === null ? marks.size + days.lost.size === 0 : marks.size === 0) return same;
  const lost = new Set(events.filter(isGone).map(({ day }) => day));
  if (crystal.project === null) for (const day of days.lost) if (!days.kept.has(day)) lost.add(day);
  for (const event of events) if (!isGone(event)) lost.delete(event.day);
  for (const day of lost) days.lost.add(day);
  const left = purgeCrystal(crystal, {
    ids: marks,
    sessions: new Set([...sessions].filter(([, mark]) => marks.has(mark)).map(([key]) => key)),
    holds: () => false,
    days: lost,
    isGoneEdit: (edit) => marks.has(purgedEdit(edit)),
  });
  return left.changed ? left : same;
}

/** What lessons, their events and edits say. */
function wordsOf({ lessons, history, edits }: Crystal): string[] {
  return [
    ...[...lessons, ...history].flatMap(({ text, learnt, evidence }) => [
      text,
      ...(learnt === undefined ? [] : [learnt.text]),
      ...evidence.map(({ quote }) => quote),
    ]),
    ...edits.flatMap(({ text }) => text ?? []),
  ];
}

/**
 * Takes it out before anything is joined: what that machine taught of it earlier, and our own
 * copies. That a mark is known tells nothing: an import that was killed had noted it before all was
 * gone.
 * @returns what proves it once the rest is joined, given what that says itself; null when nothing
 * had to go
 */
export async function takePurged(
  context: JobContext,
  found: Bundle,
): Promise<((joined: readonly Crystal[]) => Promise<PurgedElsewhere>) | null> {
  const { store, paths } = context;
  const marks = (found.get(basename(paths.purged)) ?? '')
    .split('\n')
    .filter((mark) => /^[\w:]{16,80}$/.test(mark));
  if (marks.length === 0) return null;
  const owners = [...(await store.read((db) => loadProjects(db))), null];
  // Edits that only a crystal tells are taken in first: else they would come back out of it.
  await takeHandEdits(context, owners);
  await store.write((db) => addPurged(db, marks));
  const days = noDays();
  const crystals: { path: string; was: Crystal; left: Crystal; removed: string[] }[] = [];
  for (const project of owners) {
    const { crystal: was, path } = readCrystal(paths, project);
    if (was === null) continue;
    const { crystal: left, removed } = await leftOf(context, was, days);
    for (const day of left.active_days) days.kept.add(day);
    crystals.push({ path, was, left, removed });
  }
  const changed = crystals.filter(({ was, left }) => was !== left);
  const files = changed.map(({ path, left, removed }) => ({
    path,
    removed,
    text: formatCrystal(left),
  }));
  const gone = await purgeMarked(
    context,
    marks,
    files,
    passagesIn(changed.flatMap(({ was }) => wordsOf(was))),
  );
  if (gone === null) return null;
  const lessons = changed.reduce((sum, { removed }) => sum + removed.length, 0);
  return async (joined) => {
    const says = [...crystals.map(({ left }) => left), ...joined].flatMap(wordsOf);
    const passages = gone.passages.filter(
      (passage) => !says.some((text) => text.includes(passage)),
    );
    const proof = await proveGone(context, { needles: [], passages });
    return { entries: gone.entries, lessons, proof };
  };
}

/**
 * The crystals without what was purged here: an export from before the purge must not bring it
 * back. Left out are projects of which nothing else is left and that are not known here.
 */
export async function withoutPurged<T extends { slug: string | null; crystal: Crystal }>(
  context: JobContext,
  incoming: readonly T[],
  isKnown: (project: NonNullable<Crystal['project']>) => boolean,
): Promise<T[]> {
  const left: T[] = [];
  const days = noDays();
  for (const each of [...incoming].sort(
    (a, b) => Number(a.slug === null) - Number(b.slug === null),
  )) {
    const { crystal } = await leftOf(context, each.crystal, days);
    const { lessons, history, edits, relations, project } = crystal;
    const isBare = lessons.length + history.length + edits.length + relations.length === 0;
    if (crystal !== each.crystal && isBare && project !== null && !isKnown(project)) continue;
    for (const day of crystal.active_days) days.kept.add(day);
    left.push({ ...each, crystal });
  }
  return left;
}
