/** Longest line to search for joined records; longer lines are bad lines. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * Decodes a line with several JSON objects without newlines between them.
 *
 * @returns the objects in order; null for any other line, also for an incomplete object
 */
export function splitGlued(line: string): unknown[] | null {
  if (line.length > MAX_LENGTH) return null;
  const values: unknown[] = [];
  let start = skipSpace(line, 0);
  while (start < line.length) {
    const end = endOfObject(line, start);
    if (end < 0) return null;
    try {
      values.push(JSON.parse(line.slice(start, end)));
    } catch {
      return null;
    }
    start = skipSpace(line, end);
  }
  return values.length > 0 ? values : null;
}

function skipSpace(line: string, from: number): number {
  let at = from;
  while (at < line.length && ' \t\r'.includes(line[at]!)) at++;
  return at;
}

/** Index after the brace that closes the object at `start`, or -1. */
function endOfObject(line: string, start: number): number {
  if (line[start] !== '{') return -1;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < line.length; at++) {
    const char = line[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return -1;
}
