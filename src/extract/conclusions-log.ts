import type { Entry } from '../types.js';
import { entityKeys } from './statement-entities.js';
import { readTurns, type Turn } from './user-turns.js';

/** What conclusions and withdrawals are checked against. */
export interface LogView {
  turns: Turn[];
  /** Edits: their place and the names on lines that they take away and that they add. */
  edits: readonly { seq: number; names: ReadonlySet<string>; added: ReadonlySet<string> }[];
  /** Files that commands removed: by their path in lower case and by its last part, the path as named there. */
  removed: ReadonlyMap<string, string>;
}

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:@-]*[\p{L}\p{N}_]/gu) ?? [];
}

/** Names on the lines of an edit that open with a sign. */
export const namesOn = (sign: '+' | '-', edit: string): Set<string> =>
  new Set(
    tokensOf(
      edit
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .join('\n'),
    ),
  );

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
  const turns = readTurns(entries);
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
  return { turns, edits, removed };
}

/** Whether a later edit took the thing that a statement names first out of the code, and none wrote it again: what was said of it is over. */
export function isGoneLater(text: string, entry: Entry, view: LogView): boolean {
  const [name] = entityKeys(text);
  const later = view.edits.filter((edit) => edit.seq > entry.seq);
  const last = name === undefined ? undefined : later.filter((edit) => edit.names.has(name) || edit.added.has(name)).at(-1);
  return last !== undefined && !last.added.has(name!);
}

/** Tells of a lack: what an edit that names the thing then mends. */
const LACKS =
  /(?<![\p{L}])(?:(?:is|are) (?:not|never|n['’]t) (?:in|set|handled|covered|included|listed|registered|wired|exported|called|checked|passed|used|defined|implemented)|(?:isn|aren)['’]t (?:in|set|handled|covered|included|listed|registered|wired|exported|called|checked|passed|used|defined|implemented)|only (?:includes?|checks?|lists?|contains?|handles?|sets?|looks?|covers?|matches)|(?:is|are) missing|lacks?|misses|hard-?codes?|hard-?coded|remains? empty|(?:doesn['’]t|does not|don['’]t|do not) (?:detect|include|handle|know about|check|set|pass|call|cover|match|list|propagate|capture|update|reset|validate))(?![\p{L}])|缺少|没有处理|未处理|不包含/iu;

/** Whether a claim of a lack was followed by an edit that writes what it names. */
export function isCuredLater(text: string, entry: Entry, view: LogView): boolean {
  if (!LACKS.test(text.replace(/`[^`]*`/g, 'x'))) return false;
  const names = [...entityKeys(text)].filter((name) => name.length >= 4);
  return view.edits.some((edit) => edit.seq > entry.seq && names.some((name) => edit.added.has(name)));
}
