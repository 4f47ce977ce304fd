/**
 * Lines that an edit added: those marked `+`, or all lines after the path when none is marked.
 * @param whole the call wrote the file anew: a dash opens a list item, not a line that went
 */
export function addedLines(text: string, path: string, whole: boolean): string {
  const lines = text.split('\n');
  const body = lines[0]?.includes(path) || lines[0]?.trim().endsWith(path.split('/').at(-1) ?? path) ? lines.slice(1) : lines;
  const added = body.filter((line) => /^\+(?!\+\+ )/.test(line)).map((line) => line.slice(1).replace(/^ (?=\S)/, ''));
  if (added.length > 0) return added.join('\n').trim();
  if (!whole && body.some((line) => /^-(?!-)/.test(line)) && body.every((line) => /^[- ]|^$/.test(line))) return '';
  return body.join('\n').trim();
}

/** Longer lines are data or minified code. */
const LONGEST_LINE = 400;

const LINE_COMMENT = /^\s*(?:\/\/+!?|#(?!!|\s*(?:include|define|if|endif|pragma|region))|--(?=\s)|;;+|\*(?!\/)(?=\s)|%(?=\s))\s?(.*)$/;
const TRAILING = /\S.*?\s(?:\/\/|#)\s(.{25,})$/;

/** Comments of code as paragraphs: neighbouring comment lines are joined, directives and rulers left out. */
export function codeComments(code: string): string {
  const paragraphs: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) paragraphs.push(open.reduce((text, words) => `${text}${/^(?:[-*•]|\d+[.)])\s/.test(words) || text.endsWith(':') ? '\n' : ' '}${words}`));
    open = [];
  };
  for (const line of code.split('\n')) {
    if (line.length > LONGEST_LINE) {
      close();
      continue;
    }
    const words = (LINE_COMMENT.exec(line)?.[1] ?? (/^\s*(?:\/\*\*?|""")\s*(.+?)\s*(?:\*\/|""")?$/.exec(line)?.[1] as string | undefined))?.trim();
    if (words === undefined) {
      close();
      const tail = TRAILING.exec(line)?.[1];
      if (tail && !/["'`]\s*\)?[;,]?$/.test(line)) paragraphs.push(tail);
      continue;
    }
    if (words === '' || /^[-=*#~─]{3,}$/.test(words) || /^(?:@\w+|eslint|prettier|biome|ts-|nolint|noqa|type:|pylint|go:|TODO|FIXME|XXX|HACK|SPDX|Copyright|region|endregion|\+build|#)/i.test(words)) close();
    else open.push(words);
  }
  close();
  return paragraphs.join('\n\n');
}

/** A command that holds a commit message or a pull request is shorter. */
const LONGEST_COMMAND = 20_000;

const HEREDOC = /<<-?\s*['"]?(\w+)['"]?[^\n]*\n([\s\S]*?)\n\s*\1\b/;

/** Bodies of commit messages and pull requests in a shell command; subjects of commits are reports and left out. */
export function commitMessages(command: string): { source: 'commit' | 'request'; text: string }[] {
  if (command.length > LONGEST_COMMAND) return [];
  const kind = /\bgit\b[^\n|;&]*\bcommit\b/.test(command) ? 'commit' : /\b(?:gh|glab)\s+(?:pr|mr|issue)\s+(?:create|edit|comment|review)\b/.test(command) ? 'request' : null;
  if (!kind) return [];
  const heredoc = HEREDOC.exec(command)?.[2];
  const quoted = [...command.matchAll(/(?:-m|--message|-b|--body)[ =](?:"((?:[^"\\]|\\.)*)"|'((?:[^'])*)')/g)].map((hit) => (hit[1] ?? hit[2] ?? '').replace(/\\(["`$\\])/g, '$1'));
  const whole = heredoc ?? quoted.filter((part) => !part.startsWith('$(')).join('\n\n');
  const body = kind === 'commit' ? whole.split('\n').slice(1).join('\n') : whole;
  const clean = body.replace(/^(?:Co-Authored-By|Signed-off-by|🤖|Generated with).*$/gim, '').trim();
  return clean === '' ? [] : [{ source: kind, text: clean }];
}
