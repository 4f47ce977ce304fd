import type { Draft, Origin, Role } from '../../types.js';
import type { State } from './state.js';

/** One entry; the working folder and branch are those of the moment. */
export function makeDraft(
  state: State,
  time: string | null,
  native: string | null,
  role: Role,
  origin: Origin,
  text: string,
  more: Partial<Draft> = {},
): Draft {
  const marks = [...(state.subagent ? ['subagent'] : []), ...(more.marks ?? [])];
  return {
    tool: null,
    call: null,
    command: null,
    exit: null,
    outcome: null,
    files: [],
    cwd: state.cwd,
    branch: state.branch,
    ...more,
    native,
    time,
    role,
    origin,
    text,
    ...(marks.length > 0 ? { marks } : {}),
  };
}

/** What one record gives: the state after it and its entries. */
export interface Part {
  state: State;
  drafts: Draft[];
  unknown?: string;
}

export const nothing = (state: State): Part => ({ state, drafts: [] });
