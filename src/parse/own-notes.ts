/**
 * Finds notes that this program wrote in later texts: an attachment, a file that a tool read with
 * line numbers, a paste.
 */

import type { Entry } from '../types.js';

/** The program in a shell, by any path or runner. */
const OWN_PROGRAM = /(?:^|[\s;&|(/])dripstone\s+[a-z]/;
/**
 * First words of every prompt that we send to a model. A session that begins with them is our own
 * call and is not read.
 */
export const OWN_CALL = '[dripstone own call]';

/**
 * Whether a result may be output of this program, since `recall` and `fix` print lessons without a
 * head. Only for finding repetitions, since any command may contain our name.
 */
export function isOwnOutput({
  role,
  command,
  text,
}: Pick<Entry, 'role' | 'command' | 'text'>): boolean {
  return (
    role === 'tool_result' &&
    ((command !== null && OWN_PROGRAM.test(command)) || text.includes(OWN_CALL))
  );
}

/** Numbers that tools put before each line of a file: `     1→`, `12\t`, `3: `. */
const NUMBERED = /^[ \t]*\d+(?:→|\t|: )/;
const HEAD =
  /^\s*Notes from earlier sessions in (?:`[^`]*`|this project|every project)(?:, newest \d{4}-\d\d-\d\d)?(?:; the repository and the user win over them)?\.$/;
/** The only headings of a context.md. */
const HEADING = /^## (?:The user said|Learnt here|Recent (?:sessions|work)|Everywhere)\b/;
const LINE = /^(?:[-*] \S|Unfinished on \d{4}-\d\d-\d\d: )/;
/** Our additions after a lesson: the day of a contradiction; in earlier versions its id. */
const ADDED = / (?:\^[0-9a-z]{3,16}|\(contradicted on \d{4}-\d\d-\d\d\))$/;

function bare(line: string): string {
  return line.replace(NUMBERED, '').trim();
}

/** Whether a text contains a context.md, by its first line. */
function holdsOwnNotes(text: string): boolean {
  return (
    text.includes('Notes from earlier sessions in ') &&
    text.split('\n').some((line) => HEAD.test(bare(line)))
  );
}

/**
 * Which lines of a text are bullets of our notes. Our notes end before the first line that is
 * neither blank, nor one of our headings, nor a bullet.
 */
function ownLines(lines: readonly string[]): boolean[] {
  let inside = false;
  return lines.map((raw) => {
    const line = bare(raw);
    if (HEAD.test(line)) inside = true;
    else if (line !== '' && !HEADING.test(line) && !LINE.test(line)) inside = false;
    return inside && LINE.test(line);
  });
}

/** The bullets of our notes in a text, without number and id. */
export function ownNotesIn(text: string): string[] {
  if (!holdsOwnNotes(text)) return [];
  const lines = text.split('\n');
  const own = ownLines(lines);
  return lines
    .filter((_, index) => own[index])
    .map((line) =>
      bare(line)
        .replace(/^[-*] /, '')
        .replace(ADDED, ''),
    );
}

/** The text without the bullets of our notes and their headings. */
export function withoutOwnNotes(text: string): string {
  if (!holdsOwnNotes(text)) return text;
  const lines = text.split('\n');
  const own = ownLines(lines);
  return lines
    .filter((line, i) => !own[i] && !HEADING.test(bare(line)) && !HEAD.test(bare(line)))
    .join('\n');
}
