/** Shortens a long text between sentences and marks how much is left out. Pure. */

/** Most characters of a mark. */
const MARK_CHARS = 32;
/** Below this limit, a text gets dots instead of a mark. */
const SHORTEST_MARKED = 100;
/** A text longer by at most this factor is not cut: a small cut may remove the main point. */
const SLACK = 1.25;
/** Shorter limits are exact, since a line of a list must not grow. */
const LEAST_SLACK_CHARS = 400;

/** The beginning of a text, with at most about this many characters, including the mark. */
export function clipEnd(text: string, chars: number): string {
  return clip(text, chars, 0);
}

/** Beginning and end of a text, since a person's request is before or after pasted text. */
export function clipMiddle(text: string, chars: number): string {
  return clip(text, chars, Math.floor(chars / 3));
}

function clip(text: string, chars: number, tailChars: number): string {
  if (text.length <= (chars >= LEAST_SLACK_CHARS ? chars * SLACK : chars)) return text;
  const isMarked = chars >= SHORTEST_MARKED;
  const tail = tailChars === 0 ? '' : tailOf(text.slice(-tailChars), isMarked);
  const left = Math.max(0, chars - tailChars - (isMarked ? MARK_CHARS : 3));
  const head = isMarked ? headOf(text, left) : text.slice(0, left);
  if (!isMarked) return tail === '' ? `${head}…` : `${head} … ${tail}`;
  const cut = text.length - head.length - tail.length;
  return tail === ''
    ? `${head} [… ${cut} more characters]`
    : `${head} [… ${cut} characters …] ${tail}`;
}

/** Whole sentences if they fill half of the length, else whole words. */
function headOf(text: string, chars: number): string {
  const part = text.slice(0, chars);
  const ends = [...part.matchAll(/[.!?。！？:](?=\s)|\n/gu)].map((hit) => hit.index + 1);
  const end = [ends.at(-1) ?? 0, part.search(/\s+\S*$/)].find((at) => at >= chars / 2);
  return part.slice(0, end ?? chars).trimEnd();
}

function tailOf(part: string, isMarked: boolean): string {
  if (!isMarked) return part;
  const sentence = /(?:[.!?。！？]\s+|\n)(?=\S)/u.exec(part);
  const starts = [sentence ? sentence.index + sentence[0].length : 0, part.search(/\s\S/) + 1];
  return part.slice(starts.find((at) => at > 0 && at <= part.length / 2) ?? 0);
}
