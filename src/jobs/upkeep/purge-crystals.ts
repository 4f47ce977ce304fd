/** Removes purged data from crystals: those of this home, and those of an import. */
import { adapters } from '../../agents/index.js';
import { purgeCrystal, type Crystal, type Purged } from '../../lessons/index.js';
import { activeDays, loadPurged, purgedEdit, purgedSession } from '../../store/index.js';
import { sessionKey, type Project } from '../../types.js';
import type { JobContext } from '../job.js';
import { readCrystal, type ReadCrystal } from '../publishing/crystal-file.js';

/**
 * Days that projects lost and kept. The person loses the days that no project kept, so projects
 * must come first.
 */
interface PurgedDays {
  lost: Set<string>;
  kept: Set<string>;
}

function eventsOf({ lessons, history }: Crystal): Crystal['lessons'][number]['evidence'] {
  return [...lessons, ...history].flatMap(({ evidence }) => evidence);
}

/**
 * A crystal without purged data; the same object if nothing is removed. Pure.
 * @param purged `ids` has every mark, since only hashes of sessions and edits are known
 * @param stored days of the project in the database, before and after the purge
 */
function leftOf(
  crystal: Crystal,
  purged: Purged,
  days: PurgedDays,
  stored: { now: readonly string[]; left: readonly string[] },
): { crystal: Crystal; removed: string[] } {
  const events = eventsOf(crystal);
  // A relation names its sessions without their agents.
  const agents = [...new Set([...adapters, ...events].map(({ agent }) => agent))];
  const named = crystal.relations.flatMap(({ sessions }) =>
    sessions.flatMap((session) => agents.map((agent) => ({ agent, session }))),
  );
  const sessions = new Set(purged.sessions);
  for (const { agent, session } of [...events, ...named])
    if (purged.ids.has(purgedSession(agent, session))) sessions.add(sessionKey(agent, session));
  const isGone = ({ agent, session, entry }: (typeof events)[number]): boolean =>
    (entry !== null && purged.ids.has(entry)) || sessions.has(sessionKey(agent, session));
  const lost = new Set([...stored.now, ...events.filter(isGone).map(({ day }) => day)]);
  if (crystal.project === null) for (const day of days.lost) if (!days.kept.has(day)) lost.add(day);
  for (const day of stored.left) lost.delete(day);
  for (const event of events) if (!isGone(event)) lost.delete(event.day);
  const isGoneEdit = (edit: Crystal['edits'][number]): boolean => purged.ids.has(purgedEdit(edit));
  const left = purgeCrystal(crystal, { ...purged, sessions, days: lost, isGoneEdit });
  for (const day of lost) days.lost.add(day);
  for (const day of left.crystal.active_days) days.kept.add(day);
  return left.changed ? left : { crystal, removed: [] };
}

/**
 * Entries whose quotes in a crystal must be removed. They may come from another machine, where
 * their marks then remove them, too.
 */
export function quotedIn(
  crystals: readonly ReadCrystal[],
  hasPurged: Purged['hasPurged'],
): string[] {
  const events = crystals.flatMap(({ crystal }) => (crystal === null ? [] : eventsOf(crystal)));
  return events.flatMap(({ entry, quote }) => (entry !== null && hasPurged(quote) ? [entry] : []));
}

/**
 * The crystals of this home, before and after.
 * @param projects those that remain
 * @returns `removed`: ids of the removed lessons
 */
export async function leftCrystals(
  { paths, store, clock }: JobContext,
  projects: readonly Project[],
  purged: Purged,
) {
  const days = { lost: new Set<string>(), kept: new Set<string>() };
  const now = clock.now().toISOString();
  const ids = [...purged.ids];
  const found = [];
  for (const project of [...projects, null]) {
    const { crystal: was, path } = readCrystal(paths, project);
    if (was === null) continue;
    const id = project?.id ?? null;
    const stored = await store.read(async (db) => ({
      now: await activeDays(db, id, now),
      left: await activeDays(db, id, now, ids),
    }));
    const { crystal: left, removed } = leftOf(was, purged, days, stored);
    found.push({ path, was, left, removed });
  }
  return found;
}

/**
 * Crystals of others without data that was purged here, so that an older export does not bring it
 * back. Leaves out projects that are empty then and unknown here.
 */
export async function withoutPurged<T extends { slug: string | null; crystal: Crystal }>(
  { store }: JobContext,
  incoming: readonly T[],
  isKnown: (project: NonNullable<Crystal['project']>) => boolean,
): Promise<T[]> {
  const ids = new Set(await store.read((db) => loadPurged(db)));
  const purged = { ids, sessions: new Set<string>(), hasPurged: () => false };
  const days = { lost: new Set<string>(), kept: new Set<string>() };
  const inOrder = [...incoming].sort((a, b) => Number(a.slug === null) - Number(b.slug === null));
  return inOrder.flatMap((each) => {
    const { crystal } = leftOf(each.crystal, purged, days, { now: [], left: [] });
    const { lessons, history, edits, relations, project } = crystal;
    const isBare = lessons.length + history.length + edits.length + relations.length === 0;
    return crystal !== each.crystal && isBare && project !== null && !isKnown(project)
      ? []
      : [{ ...each, crystal }];
  });
}

/** The texts of lessons, their events and edits. */
export function wordsOf({ lessons, history, edits }: Crystal): string[] {
  return [
    ...[...lessons, ...history].flatMap(({ text, learnt, evidence }) => [
      text,
      ...(learnt === undefined ? [] : [learnt.text]),
      ...evidence.map(({ quote }) => quote),
    ]),
    ...edits.flatMap(({ text }) => text ?? []),
  ];
}
