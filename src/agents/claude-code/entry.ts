import type { Draft, Origin, Role } from '../../types.js';
import { isoTime, short, text as textOf, type Json } from '../fields.js';
import type { State } from './state.js';

/** What all entries of one record share. */
export interface Place {
  uuid: string | null;
  time: string | null;
  cwd: string | null;
  branch: string | null;
  marks: string[];
}

/** Reads the shared part of a record; sidechain records are a subagent's. */
export function placeOf(record: Json, state: State): Place {
  return {
    uuid: textOf(record.uuid),
    time: isoTime(record.timestamp),
    cwd: short(record.cwd) ?? state.cwd,
    branch: branchOf(record) ?? state.branch,
    marks: isSidechain(record, state) ? ['subagent'] : [],
  };
}

export const isSidechain = (record: Json, state: State): boolean => record.isSidechain === true || state.subagent;

/** The branch; a detached head has none. */
export function branchOf(record: Json): string | null {
  const branch = short(record.gitBranch);
  return branch === 'HEAD' ? null : branch;
}

/** An entry of a record: the native id is the record's own id, the block's index and, for what is cut out of a block, a suffix. */
export function makeDraft(
  place: Place,
  block: string | number,
  role: Role,
  origin: Origin,
  text: string,
  more: Partial<Draft> = {},
): Draft {
  const draft: Draft = {
    native: place.uuid === null ? null : `${place.uuid}:${block}`,
    time: place.time,
    role,
    origin,
    tool: more.tool ?? null,
    text,
    call: more.call ?? null,
    command: more.command ?? null,
    exit: more.exit ?? null,
    outcome: more.outcome ?? null,
    files: more.files ?? [],
    cwd: place.cwd,
    branch: place.branch,
  };
  const own = more.marks ?? [];
  if (place.marks.length + own.length > 0) draft.marks = place.marks.length === 0 ? own : [...new Set([...place.marks, ...own])];
  return draft;
}
