/** Notes that this program wrote itself, wherever they come back: an attachment, a file that a tool read with line numbers, a paste. */

/** Numbers that tools put before each line of a file: `     1→`, `12\t`, `3: `. */
const NUMBERED = /^[ \t]*\d+(?:→|\t|: )/;
const HEAD = /^\s*Notes from earlier sessions in (?:`[^`]*`|this project|every project)(?:, newest \d{4}-\d\d-\d\d)?; the repository and the user win over them\./;
const LESSON = /^- .* \^[0-9a-z]{3,16}$/;

const bare = (line: string): string => line.replace(NUMBERED, '').trim();

/** Whether a text holds a context.md of ours: its first line is always the same. */
export const holdsOwnNotes = (text: string): boolean => text.includes('Notes from earlier sessions in ') && text.split('\n').some((line) => HEAD.test(bare(line)));

/** The lesson lines of our notes in a text, without number and id; empty when it holds none. */
export const ownNotesIn = (text: string): string[] =>
  holdsOwnNotes(text) ? text.split('\n').map(bare).filter((line) => LESSON.test(line)).map((line) => line.replace(/^- | \^[0-9a-z]{3,16}$/g, '')) : [];

/** The text without the lesson lines of our notes. */
export const withoutOwnNotes = (text: string): string => (holdsOwnNotes(text) ? text.split('\n').filter((line) => !LESSON.test(bare(line))).join('\n') : text);
