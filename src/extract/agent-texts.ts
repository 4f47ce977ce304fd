import type { Entry } from '../types.js';

/** Where an agent's sentence stood. `rules`: a memory or instruction file. Plans, documents and pull requests tell of one piece of work. */
export type Source = 'rules' | 'answer' | 'comment' | 'commit';

/** A text of the agent's own that may hold conclusions. */
export interface AgentText {
  entry: Entry;
  source: Source;
  text: string;
}

const RULES_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|QWEN|MEMORY|CONVENTIONS|CONTRIBUTING|LESSONS|copilot-instructions|\.(?:cursor|windsurf|cline|goose)rules)(?:\.md|\.mdc)?$|(?:^|\/)(?:memory|memories|\.cursor\/rules|\.claude\/rules|\.clinerules|\.serena\/memories|\.remember)\/[^/]+\.(?:md|mdc|txt)$/i;
const PROSE_FILE = /\.(?:md|mdx|rst|txt|adoc)$/i;
const GENERATED = /(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|release[-_ ]notes)\b|\.(?:lock|snap|svg|min\.\w+)$/i;

/** Every text in which the agent may have concluded something, in order. Entries must be in order. */
export function agentTexts(entries: readonly Entry[]): AgentText[] {
  return entries.flatMap((entry): AgentText[] => {
    if (entry.copied || entry.origin !== 'agent' || entry.marks.includes('plan')) return [];
    if (entry.role === 'assistant') return [{ entry, source: 'answer', text: entry.text }];
    return entry.role === 'tool_call' ? writtenTexts(entry) : [];
  });
}

function writtenTexts(entry: Entry): AgentText[] {
  if (entry.command !== null) return commitMessages(entry.command).map((text) => ({ entry, source: 'commit', text }));
  const path = entry.files[0];
  if (!path || GENERATED.test(path)) return [];
  const added = addedLines(entry.text, path, /write|create/i.test(entry.tool ?? ''));
  if (added === '') return [];
  if (RULES_FILE.test(path)) return [{ entry, source: 'rules', text: added }];
  if (PROSE_FILE.test(path)) return [];
  const comments = codeComments(added);
  return comments === '' ? [] : [{ entry, source: 'comment', text: comments }];
}

/**
 * Lines that an edit added: those marked `+`, or all lines after the path when none is marked.
 * @param whole the call wrote the file anew: a dash opens a list item, not a line that went
 */
function addedLines(text: string, path: string, whole: boolean): string {
  const lines = text.split('\n');
  const body = lines[0]?.includes(path) || lines[0]?.trim().endsWith(path.split('/').at(-1) ?? path) ? lines.slice(1) : lines;
  const added = body.filter((line) => /^\+(?!\+\+ )/.test(line)).map((line) => line.slice(1).replace(/^ (?=\S)/, ''));
  if (added.length > 0) return added.join('\n').trim();
  if (!whole && body.some((line) => /^-(?!-)/.test(line)) && body.every((line) => /^[- ]|^$/.test(line))) return '';
  return body.join('\n').trim();
}

/** Longer lines are data or minified code. */
const LONGEST_LINE = 400;

const LINE_COMMENT =
  /^\s*(?:\/\/+!?|#(?!!|\s*(?:include|define|if|endif|pragma|region))|--(?=\s)|;;+|\*(?!\/)(?=\s)|%(?=\s))\s?(.*)$/;
const TRAILING = /\S.*?\s(?:\/\/|#)\s(.{25,})$/;

/** Comments of code as paragraphs: neighbouring comment lines are joined, directives and rulers left out. */
function codeComments(code: string): string {
  const paragraphs: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0)
      paragraphs.push(
        open.reduce((text, words) => `${text}${/^(?:[-*•]|\d+[.)])\s/.test(words) || text.endsWith(':') ? '\n' : ' '}${words}`),
      );
    open = [];
  };
  for (const line of code.split('\n')) {
    if (line.length > LONGEST_LINE) {
      close();
      continue;
    }
    const words = (
      LINE_COMMENT.exec(line)?.[1] ?? (/^\s*(?:\/\*\*?|""")\s*(.+?)\s*(?:\*\/|""")?$/.exec(line)?.[1] as string | undefined)
    )?.trim();
    if (words === undefined) {
      close();
      const tail = TRAILING.exec(line)?.[1];
      if (tail && !/["'`]\s*\)?[;,]?$/.test(line)) paragraphs.push(tail);
      continue;
    }
    if (
      words === '' ||
      /^[-=*#~─]{3,}$/.test(words) ||
      /^(?:@\w+|eslint|prettier|biome|ts-|nolint|noqa|type:|pylint|go:|TODO|FIXME|XXX|HACK|SPDX|Copyright|region|endregion|\+build|#)/i.test(
        words,
      )
    )
      close();
    else open.push(words);
  }
  close();
  return paragraphs.join('\n\n');
}

/** A command that holds a commit message is shorter. */
const LONGEST_COMMAND = 20_000;

const HEREDOC = /<<-?\s*['"]?(\w+)['"]?[^\n]*\n([\s\S]*?)\n\s*\1\b/;

/** Bodies of commit messages in a shell command; subjects are reports and left out. */
function commitMessages(command: string): string[] {
  if (command.length > LONGEST_COMMAND || !/\bgit\b[^\n|;&]*\bcommit\b/.test(command)) return [];
  const heredoc = HEREDOC.exec(command)?.[2];
  const quoted = [...command.matchAll(/(?:-m|--message)[ =](?:"((?:[^"\\]|\\.)*)"|'((?:[^'])*)')/g)].map((hit) =>
    (hit[1] ?? hit[2] ?? '').replace(/\\(["`$\\])/g, '$1'),
  );
  const whole = heredoc ?? quoted.filter((part) => !part.startsWith('$(')).join('\n\n');
  const body = whole
    .split('\n')
    .slice(1)
    .join('\n')
    .replace(/^(?:Co-Authored-By|Signed-off-by|🤖|Generated with).*$/gim, '')
    .trim();
  return body === '' ? [] : [body];
}
