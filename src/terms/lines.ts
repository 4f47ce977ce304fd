/** Lines without loading them all at once: generators over one string. */

/** Non-empty lines of a text with terminal colours taken out, each cut to 400 characters; stops after `limit` lines. */
export function* plainLines(text: string, limit: number): Generator<string> {
  let start = 0;
  for (let seen = 0; seen < limit && start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    if (end > start) {
      const line = withoutColour(text.slice(start, Math.min(end, start + 600)))
        .slice(0, 400)
        .trimEnd();
      if (line.trim() !== '') {
        seen++;
        yield line;
      }
    }
    start = end + 1;
  }
}

/** Text without ANSI escapes and other control characters except tab. */
function withoutColour(line: string): string {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) return line;
  return line.replace(/\u001b\[[0-9;?]{0,16}[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}
