import type { Draft } from '../../types.js';
import { textHash } from '../hash.js';
import { isWebCommand } from '../web.js';
import { makeDraft, type Place } from './entry.js';
import type { Piece } from './prompt.js';
import type { State } from './state.js';

/** Gives the pieces of one text their ids: the prompt itself has the block's plain id, what was cut off has a suffix. */
export function placePieces(
  state: State,
  place: Place,
  pieces: Piece[],
  block: string | number,
  main = pieces[0],
): { state: State; drafts: Draft[] } {
  let bang = state.bang;
  const drafts = pieces.map((piece, n) => {
    const id = piece === main ? block : `${block}:${n}`;
    if (!piece.shell) return makeDraft(place, id, piece.role, piece.origin, piece.text, { marks: piece.marks });
    const command = piece.shell === 'command' ? piece.text : null;
    if (command !== null) bang = `!${place.uuid ?? textHash(command)}`;
    const web = command === null && state.bang !== null && state.bang.endsWith('+web');
    if (command !== null && isWebCommand(command)) bang += '+web';
    return makeDraft(place, id, piece.role, web ? 'external' : piece.origin, piece.text, { tool: 'Bash', call: bang, command });
  });
  return { state: bang === state.bang ? state : { ...state, bang }, drafts };
}
