/** Code in Markdown: blocks between fences, and spans between backticks. Pure. */

const FENCE = /^\s{0,8}(`{3,}|~{3,})(.*)$/s;
const SPAN = /`([^`]+)`/g;

/**
 * The fence that is open after a line. A shorter fence, or one with a language, does not close it.
 */
export function fenceAfter(line: string, open: string | null): string | null {
  const [, fence, language = ''] = FENCE.exec(line) ?? [];
  if (fence === undefined) return open;
  if (open === null) return language.includes('`') ? null : fence;
  return fence.startsWith(open) && language.trim() === '' ? null : open;
}

/** For each line, whether it is a fence or in a block of code. */
export function inFence(lines: readonly string[]): boolean[] {
  let open: string | null = null;
  return lines.map((line) => {
    const before = open;
    open = fenceAfter(line, open);
    return before !== null || open !== null;
  });
}

/** The text with each block of code replaced. A block without end ends with the text. */
export function withoutBlocks(
  text: string,
  instead: (code: string, language: string) => string = () => '',
): string {
  let open: string | null = null;
  let block: string[] = [];
  const ended = (): string =>
    instead(block.slice(1).join('\n').trimEnd(), block[0]!.replace(/^\s*[`~]+/, ''));
  const kept = text.split('\n').flatMap((line) => {
    const before = open;
    open = fenceAfter(line, open);
    if (open === null) return before === null ? [line] : [ended()];
    if (before === null) block = [];
    block.push(line);
    return [];
  });
  return [...kept, ...(open === null ? [] : [ended()])].join('\n');
}

/** The texts between single backticks, in order. */
export function codeSpans(text: string): string[] {
  return Array.from(text.matchAll(SPAN), ([, span]) => span!.trim());
}

/** The text with each code span replaced. */
export function withoutSpans(text: string, instead: (span: string) => string = () => ' '): string {
  return text.replace(SPAN, (_, span: string) => instead(span.trim()));
}
