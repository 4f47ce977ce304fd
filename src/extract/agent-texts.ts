import type { Entry } from '../types.js';
import { entityKeys } from './sentences/entities.js';
import { splitSentences, type Sentence } from './sentences/split.js';
import { type Turn, readTurns } from './user-turns.js';

/**
 * Where an agent's sentence stood. `rules`: a memory or instruction file. Plans, documents and pull requests tell of one piece of
 * work.
 */
type Source = 'rules' | 'answer' | 'comment' | 'commit';

/** A text of the agent's own that may hold conclusions. */
export interface AgentText {
  entry: Entry;
  source: Source;
  sentences: Sentence[];
}

const RULES_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|QWEN|MEMORY|CONVENTIONS|CONTRIBUTING|LESSONS|copilot-instructions|\.(?:cursor|windsurf|cline|goose)rules)(?:\.md|\.mdc)?$|(?:^|\/)(?:memory|memories|\.cursor\/rules|\.claude\/rules|\.clinerules|\.serena\/memories|\.remember)\/[^/]+\.(?:md|mdc|txt)$/i;
const PROSE_FILE = /\.(?:md|mdx|rst|txt|adoc)$/i;
const GENERATED = /(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|release[-_ ]notes)\b|\.(?:lock|snap|svg|min\.\w+)$/i;

/** Every text in which the agent may have concluded something, in order. Entries must be in order. */
function agentTexts(entries: readonly Entry[]): AgentText[] {
  return entries.flatMap((entry) => {
    if (entry.copied || entry.origin !== 'agent' || entry.marks.includes('plan')) return [];
    const texts: [Source, string][] =
      entry.role === 'assistant' ? [['answer', entry.text]] : entry.role === 'tool_call' ? writtenTexts(entry) : [];
    return texts.map(([source, text]) => ({ entry, source, sentences: splitSentences(text) }));
  });
}

function writtenTexts(entry: Entry): [Source, string][] {
  if (entry.command !== null) return commitMessages(entry.command).map((text) => ['commit', text]);
  const path = entry.files[0];
  if (!path || GENERATED.test(path)) return [];
  const added = addedLines(entry.text, path, /write|create/i.test(entry.tool ?? ''));
  if (added === '') return [];
  if (RULES_FILE.test(path)) return [['rules', added]];
  if (PROSE_FILE.test(path)) return [];
  const comments = codeComments(added);
  return comments === '' ? [] : [['comment', comments]];
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

/** Longer lines are taken for data or minified code and left out. */
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

/** Longer commands are not searched for commit messages. */
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

/** What a session's log says and shows, read once for all extractors. */
export interface LogView {
  /** What the person typed. */
  turns: Turn[];
  /** What the agent may have concluded. */
  told: AgentText[];
  /** Edits: their place and the names on lines that they take away and that they add. */
  edits: readonly { seq: number; names: ReadonlySet<string>; added: ReadonlySet<string> }[];
  /** Files that commands removed: by their path in lower case and by its last part, the path as named there. */
  removed: ReadonlyMap<string, string>;
}

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:@-]*[\p{L}\p{N}_]/gu) ?? [];
}

/** Names on the lines of an edit that open with a sign. */
export function namesOn(sign: '+' | '-', edit: string): Set<string> {
  return new Set(
    tokensOf(
      edit
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .join('\n'),
    ),
  );
}

/** Files that a shell text removes. */
function removedFiles(command: string): string[] {
  const args = [...command.slice(0, 2000).matchAll(/(?:^|[\n;&|]\s*)(?:sudo )?(?:git rm|rm)((?: [^\s;&|<>]+)+)/g)].flatMap(
    (hit) => (hit[1] ?? '').trim().split(/\s+/),
  );
  return args
    .filter((word) => /^[\w@./-]{4,}$/.test(word) && !word.startsWith('-'))
    .map((word) => word.replace(/^\.\/|\/$/g, ''));
}

/** Entries must be in order. */
export function viewLog(entries: Entry[]): LogView {
  const edits: { seq: number; names: Set<string>; added: Set<string> }[] = [];
  const removed = new Map<string, string>();
  for (const entry of entries) {
    if (entry.role === 'tool_call') {
      for (const file of removedFiles(entry.command ?? ''))
        removed.set(file.toLowerCase(), file).set(file.toLowerCase().split('/').at(-1) ?? '', file);
      if (entry.command === null && entry.files.length > 0 && /^[+-]/m.test(entry.text))
        edits.push({ seq: entry.seq, names: namesOn('-', entry.text), added: namesOn('+', entry.text) });
    }
  }
  return { turns: readTurns(entries), told: agentTexts(entries), edits, removed };
}

/**
 * Whether a later edit took the thing that a statement names first out of the code, and none wrote it again: what was said of
 * it holds no longer.
 */
export function isGoneLater(text: string, entry: Entry, view: LogView): boolean {
  const [name] = entityKeys(text);
  const later = view.edits.filter((edit) => edit.seq > entry.seq);
  const last = name === undefined ? undefined : later.filter((edit) => edit.names.has(name) || edit.added.has(name)).at(-1);
  return last !== undefined && !last.added.has(name!);
}

/** Words of a lack, which a later edit that names the thing mends. */
const LACKS =
  /(?<![\p{L}])(?:(?:is|are) (?:not|never|n['’]t) (?:in|set|handled|covered|included|listed|registered|wired|exported|called|checked|passed|used|defined|implemented)|(?:isn|aren)['’]t (?:in|set|handled|covered|included|listed|registered|wired|exported|called|checked|passed|used|defined|implemented)|only (?:includes?|checks?|lists?|contains?|handles?|sets?|looks?|covers?|matches)|(?:is|are) missing|lacks?|misses|hard-?codes?|hard-?coded|remains? empty|(?:doesn['’]t|does not|don['’]t|do not) (?:detect|include|handle|know about|check|set|pass|call|cover|match|list|propagate|capture|update|reset|validate))(?![\p{L}])|缺少|没有处理|未处理|不包含/iu;

/** Whether a claim of a lack was followed by an edit that writes what it names. */
export function isCuredLater(text: string, entry: Entry, view: LogView): boolean {
  if (!LACKS.test(text.replace(/`[^`]*`/g, 'x'))) return false;
  const names = [...entityKeys(text)].filter((name) => name.length >= 4);
  return view.edits.some((edit) => edit.seq > entry.seq && names.some((name) => edit.added.has(name)));
}
