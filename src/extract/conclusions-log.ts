import type { Entry } from '../types.js';
import { AGREE, PUSHBACK } from './language-turns.js';
import { entityKeys } from './statement-entities.js';
import { contentWords } from './statement-key.js';
import { readTurns, type Turn } from './user-turns.js';

/** What the log of a session confirms: which names were touched, printed, typed, and what the person answered. */
export interface LogView {
  turns: Turn[];
  /** Calls that named an entity, by entity. */
  touched: ReadonlyMap<string, number>;
  /** Tokens that tools printed. */
  printed: ReadonlySet<string>;
  /** Content words that the person typed. */
  typed: ReadonlySet<string>;
  /** Edits: their place and the names on lines that they take away and that they add. */
  edits: readonly { seq: number; names: ReadonlySet<string>; added: ReadonlySet<string> }[];
  /** Files that commands removed: by their path in lower case and by its last part, the path as named there. */
  removed: ReadonlyMap<string, string>;
  /** Last `seq` of the session. */
  end: number;
}

/** Tool output is read up to this many characters per result; names stand early. */
const OUTPUT_READ = 20_000;

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:@-]*[\p{L}\p{N}_]/gu) ?? [];
}

/** Names on the lines of an edit that open with a sign. */
const namesOn = (sign: '+' | '-', edit: string): Set<string> => new Set(tokensOf(edit.split('\n').filter((line) => line.startsWith(sign)).join('\n')));

/** Files that a shell text removes. */
function removedFiles(command: string): string[] {
  const args = [...command.slice(0, 2000).matchAll(/(?:^|[\n;&|]\s*)(?:sudo )?(?:git rm|rm)((?: [^\s;&|<>]+)+)/g)].flatMap((hit) => (hit[1] ?? '').trim().split(/\s+/));
  return args.filter((word) => /^[\w@./-]{4,}$/.test(word) && !word.startsWith('-')).map((word) => word.replace(/^\.\/|\/$/g, ''));
}

/** Gathers once per session what conclusions are checked against. Entries must be in order. */
export function viewLog(entries: Entry[]): LogView {
  const turns = readTurns(entries);
  const touched = new Map<string, number>();
  const printed = new Set<string>();
  const edits: { seq: number; names: Set<string>; added: Set<string> }[] = [];
  const removed = new Map<string, string>();
  for (const entry of entries) {
    if (entry.role === 'tool_call') {
      for (const file of removedFiles(entry.command ?? '')) removed.set(file.toLowerCase(), file).set(file.toLowerCase().split('/').at(-1) ?? '', file);
      const names = new Set([...tokensOf((entry.command ?? '').slice(0, 2000)), ...entry.files.flatMap((file) => [file.toLowerCase(), file.toLowerCase().split('/').at(-1) ?? ''])]);
      for (const name of names) touched.set(name, (touched.get(name) ?? 0) + 1);
      if (entry.command === null && entry.files.length > 0 && /^[+-]/m.test(entry.text)) edits.push({ seq: entry.seq, names: namesOn('-', entry.text), added: namesOn('+', entry.text) });
    }
    if (entry.role === 'tool_result') {
      for (const token of tokensOf(entry.text.slice(0, OUTPUT_READ))) {
        printed.add(token);
        const base = token.split('/').at(-1);
        if (base && base !== token) printed.add(base);
      }
    }
  }
  return { turns, touched, printed, edits, removed, typed: new Set(turns.flatMap((turn) => contentWords(turn.typed))), end: entries.at(-1)?.seq ?? 0 };
}

/** What the log adds to a statement's worth, -0.3 to +0.25: touched, printed and typed names, a late place. */
export function confirm(text: string, entry: Entry, view: LogView): number {
  const keys = [...entityKeys(text)];
  const most = Math.max(0, ...keys.map((key) => view.touched.get(key) ?? 0));
  const printed = keys.filter((key) => view.printed.has(key)).length;
  const words = [...new Set(contentWords(text))];
  const typed = words.filter((word) => view.typed.has(word)).length;
  let gain = Math.min(0.1, 0.03 * Math.log2(1 + most));
  gain += keys.length > 0 && printed === 0 && most === 0 ? -0.08 : Math.min(0.06, 0.02 * printed);
  gain += words.length > 0 ? Math.min(0.1, (0.25 * typed) / words.length) : 0;
  gain += view.end > 0 ? 0.04 * (entry.seq / view.end) : 0;
  return gain;
}

/** What the person answered to the turn in which `entry` stands: they agreed, pushed back, or said something else. */
export function answerTo(entry: Entry, view: LogView): { agreed: boolean; denied: boolean; words: ReadonlySet<string> } {
  const next = view.turns.find((turn) => turn.entry.seq > entry.seq);
  if (!next) return { agreed: false, denied: false, words: new Set() };
  const first = next.sentences.slice(0, 2).map((one) => one.text).join(' ');
  const denied = next.pushedBack || (PUSHBACK.test(first.slice(0, 90)) && !AGREE.test(next.typed));
  const agreed = !denied && (next.type === 'approval' || next.type === 'pick' || /^(?:(?:ok(?:ay)?|great|perfect|nice|good|yes|thanks|please),?\s)?(?:add,? )?(?:commit|push|merge|ship|open (?:a |the )?pr|go ahead|proceed|do it|implement|apply)/i.test(next.typed));
  return { agreed, denied, words: new Set(contentWords(next.typed)) };
}

/** Whether a later edit rewrote lines that hold the names a statement starts from: what it said of them may be cured. */
export function isEditedLater(subject: string, entry: Entry, view: LogView): boolean {
  const names = [...entityKeys(subject)];
  return names.length > 0 && view.edits.some((edit) => edit.seq > entry.seq && names.some((name) => edit.names.has(name)));
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
