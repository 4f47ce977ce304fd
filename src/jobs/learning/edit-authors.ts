/**
 * Finds the authors of edits in files. An edit counts as a person's until a log shows that an agent
 * wrote there, even a log that is read later.
 */
import { basename } from 'node:path';
import { authorOf } from '../../lessons/index.js';
import {
  callsNaming,
  loadLessons,
  loadProjects,
  homeState,
  metaValue,
  openFileEdits,
  setEditAuthors,
  saveHomeState,
  sliceKeys,
  textsOf,
  type Db,
  type FileEdit,
  type HomeState,
  markDirty,
} from '../../store/index.js';
import type { JobContext } from '../job.js';

/**
 * The part of a path that identifies a place in any spelling: a project's folder has its own name,
 * the global one lies below the home.
 */
function needlesOf(home: string, place: string): string[] {
  const [first, second, third] = place.split('/') as [string, string, string | undefined];
  return third === undefined ? [basename(home), first, second] : [second, third];
}

/**
 * Checks new entries and edits; call it after these were stored. A project with an edit of an agent
 * is learnt again.
 */
export async function settleAuthors({
  store,
  paths,
}: Pick<JobContext, 'store' | 'paths'>): Promise<void> {
  const found = await store.read(async (db) => {
    const edits = await openFileEdits(db);
    if (edits.length === 0) return null;
    const looked = await homeState(db);
    const now = {
      looked_entry: Number(await metaValue(db, 'next_n')) - 1,
      looked_edit: Math.max(...edits.map(({ n }) => n)),
    };
    if (now.looked_entry <= looked.looked_entry && now.looked_edit <= looked.looked_edit)
      return null;
    return { authors: await authorsOf(db, paths.home, edits, looked), now };
  });
  if (found === null) return;
  await store.write(async (db) => {
    await setEditAuthors(db, found.authors);
    if (found.authors.length > 0) {
      // The global lessons are learnt together with any project.
      const owners = found.authors.map(({ owner }) => owner);
      await markDirty(
        db,
        owners.includes('') ? (await loadProjects(db)).map(({ id }) => id) : owners,
      );
    }
    await saveHomeState(db, found.now);
  });
}

async function authorsOf(
  db: Db,
  home: string,
  edits: readonly FileEdit[],
  looked: HomeState,
): Promise<{ n: number; owner: string; author: string }[]> {
  const authors = [];
  for (const place of new Set(edits.map((edit) => edit.place))) {
    const here = edits.filter((edit) => edit.place === place);
    const after = here.some(({ n }) => n > looked.looked_edit) ? 0 : looked.looked_entry;
    const calls = await callsNaming(db, needlesOf(home, place), after);
    if (calls.length === 0) continue;
    const texts = new Map(
      (await loadLessons(db, { owner: here[0]!.owner === '' ? null : here[0]!.owner })).map(
        ({ id, text }) => [id, text],
      ),
    );
    const open = new Set(here);
    // The oldest matching call decides, so slices are enough; there may be thousands of calls.
    for (const slice of sliceKeys(calls)) {
      const byN = await textsOf(db, slice);
      const made = slice.map(({ n, agent, time, command }) => ({
        agent,
        time,
        command,
        text: byN.get(n) ?? '',
      }));
      for (const edit of open) {
        const author = authorOf(edit, made, texts.get(edit.lesson) ?? null);
        if (author !== null && open.delete(edit))
          authors.push({ n: edit.n, owner: edit.owner, author });
      }
      if (open.size === 0) break;
    }
  }
  return authors;
}
