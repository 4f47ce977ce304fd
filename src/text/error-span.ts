/**
 * An error as a code span: no backticks, whole words, at most `most` characters, and no numbers at
 * its end that were taken out.
 */
export function errorSpan(error: string, most: number): string {
  const clean = error
    .replace(/`/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![\s:,])(?:[\s:,]*<[a-z]{1,8}>){1,20}$/, '');
  if (clean.length <= most) return `\`${clean}\``;
  const cut = clean.slice(0, most);
  return `\`${cut.slice(0, Math.max(cut.lastIndexOf(' '), Math.floor(most * 0.6))).replace(/(?<![\s,;:([{'"-])[\s,;:([{'"-]+$/, '')}\``;
}
