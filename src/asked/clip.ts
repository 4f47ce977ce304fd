/** Long text shortened between sentences; a mark says how much was left out. Pure. */

/** Most characters of a mark. */
const MARK_CHARS = 32;
/** A text this short is too short for a mark: it gets dots alone. */
const SHORTEST_MARKED = 100;
/** A text that is longer by at most this factor stays whole: a short cut often removes the point. */
const SLACK = 1.25;
/** Short limits are kept: a line of a list must not grow. */
const LEAST_SLACK_CHARS = 400;

function fits(text: string, chars: number): boolean {
  return text.length <= (chars >= LEAST_SLACK_CHARS ? chars * SLACK : chars);
}

/** The beginning of a text, at most about so many characters, its mark among them. */
export function clipEnd(text: string, chars: number): string {
  if (fits(text, chars)) return text;
  if (chars < SHORTEST_MARKED) return `${text.slice(0, Math.max(0, chars - 1))}…`;
  const head = headOf(text, chars - MARK_CHARS);
  return `${head} [… ${text.length - head.length} more characters]`;
}

/** Beginning and end of a text: a person's request is before or after what they pasted. */
export function clipMiddle(text: string, chars: number): string {
  if (fits(text, chars)) return text;
  const tailChars = Math.floor(chars / 3);
  if (chars < SHORTEST_MARKED) {
    const tail = tailChars === 0 ? '' : text.slice(-tailChars);
    return `${text.slice(0, Math.max(0, chars - tailChars - 3))} … ${tail}`;
  }
  const head = headOf(text, chars - tailChars - MARK_CHARS);
  const tail = tailOf(text, tailChars);
  return `${head} [… ${text.length - head.length - tail.length} characters …] ${tail}`;
}

/** Whole sentences when they fill half of the length, else whole words. */
function headOf(text: string, chars: number): string {
  const part = text.slice(0, chars);
  const sentence = Math.max(
    ...[...part.matchAll(/[.!?。！？:](?=\s)|\n/gu)].map((hit) => hit.index + 1),
    0,
  );
  const word = part.search(/\s+\S*$/);
  return part
    .slice(0, sentence >= chars / 2 ? sentence : word > chars / 2 ? word : chars)
    .trimEnd();
}

function tailOf(text: string, chars: number): string {
  const part = text.slice(-chars);
  const sentence = /(?:[.!?。！？]\s+|\n)(?=\S)/u.exec(part);
  const start = sentence === null ? 0 : sentence.index + sentence[0].length;
  const word = /\s\S/.exec(part)?.index ?? -1;
  return part.slice(
    start > 0 && start <= chars / 2 ? start : word >= 0 && word < chars / 2 ? word + 1 : 0,
  );
}
