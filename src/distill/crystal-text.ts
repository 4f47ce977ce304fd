/** A crystal that was changed as a whole (joined, purged), as the text of its file. */

import { idOf } from './crystal-parse.js';
import type { Crystal, CrystalLesson } from './crystal-shape.js';
import { compareText } from './order.js';

const byId = (lessons: readonly CrystalLesson[], project: string | null): CrystalLesson[] =>
  [...lessons].sort((a, b) => compareText(idOf(a, project), idOf(b, project)));

/** Ends in a newline; the same crystal gives the same bytes whatever the order of its keys and lists was. */
export function formatCrystal(crystal: Crystal): string {
  const { extra, ...known } = crystal;
  const project = crystal.project?.id ?? null;
  const { version, lessons, written, history, tombstones, entities, relations, edits, as_of, active_days } = known;
  const file = {
    version,
    project: crystal.project,
    as_of,
    active_days,
    lessons: byId(lessons, project),
    written: Object.fromEntries(Object.entries(written).sort((a, b) => compareText(a[0], b[0]))),
    entities,
    relations,
    history: byId(history, project),
    tombstones: [...tombstones].sort((a, b) => compareText(a.id, b.id)),
    edits,
    ...extra,
  };
  return `${JSON.stringify(inOrder(file, 0), null, 2)}\n`;
}

/** Keys inside the lists sorted; those of the file itself keep the order of the format. */
function inOrder(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((each) => inOrder(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (depth > 0) entries.sort((a, b) => compareText(a[0], b[0]));
  return Object.fromEntries(entries.map(([key, each]) => [key, inOrder(each, depth + 1)]));
}
