import type { Entry } from '../types.js';
import { AGREE, ANNOUNCES_PASTE, ASKS, IMPERATIVE, PICK, REQUEST } from './sentences/language-turns.js';
import { withoutOwnNotes } from './own-notes.js';
import { type Sentence, splitSentences } from './sentences/split.js';

type TurnType = 'task' | 'question' | 'pasted' | 'approval' | 'pick';

/** One message that a person typed, and what stood around it. */
export interface Turn {
  entry: Entry;
  type: TurnType;
  /** What the person typed in it; pasted parts are gone. */
  typed: string;
  sentences: Sentence[];
  /** The person stopped the agent or refused a call just before. */
  pushedBack: boolean;
}

/** Whether the person typed this entry. */
function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && !entry.copied && entry.text.trim() !== '';
}

/** What kind of message a typed text is. */
function typeTurn(text: string, typed: string, sentences: Sentence[]): TurnType {
  if (typed === '' || (text.length > 400 && typed.length * 5 < text.length)) return 'pasted';
  if (typed.length < 60 && AGREE.test(typed)) return 'approval';
  if (typed.length < 80 && PICK.test(typed)) return 'pick';
  const asks = sentences.filter((one) => isQuestion(one.text)).length;
  return asks > 0 && asks === sentences.length ? 'question' : 'task';
}

/** A sentence that wants to know something, not a request in question form. */
export function isQuestion(text: string): boolean {
  const mark = /[?？]["')\s]*$/u.test(text);
  if (REQUEST.test(text.replace(/^[¿¡]\s*/u, ''))) return false;
  return mark || (ASKS.test(text) && !/[.!]$/.test(text) && text.length < 160);
}

/** All turns of a session that a person typed, in order. Entries must be in order. */
export function readTurns(entries: Entry[]): Turn[] {
  const turns: Turn[] = [];
  let pushedBack = false;
  for (const entry of entries) {
    if (
      entry.marks.includes('interrupt') ||
      entry.marks.includes('rejection') ||
      entry.outcome === 'rejected' ||
      entry.outcome === 'interrupted'
    )
      pushedBack = true;
    if (!isTyped(entry)) {
      if (entry.role === 'assistant') pushedBack = entry.marks.includes('interrupt');
      continue;
    }
    const typed = typedPart(withoutOwnNotes(entry.text));
    const sentences = splitSentences(typed);
    turns.push({ entry, type: typeTurn(entry.text, typed, sentences), typed, sentences, pushedBack });
    pushedBack = false;
  }
  return turns;
}

/** Text above these sizes is mostly pasted (measured: review comments in such turns became false preferences). */
const LONG_TURN = { characters: 900, lines: 20 } as const;

/** Characters of a turn that are read; nobody types more. */
const MOST_TYPED = 20_000;

const FOREIGN_LINE = [
  // A form that is ticked off: a template of a pull request, a list of what is done.
  /^\s*[-*+]\s+\[[ xX]\]\s/,
  /^\s*(?:[$%❯➜»]|>{1,3}|PS [A-Z]:\\.*>|\w+@[\w.-]+[:~].*[$#])(?:\s|$)/u,
  /^\s*[+-]{1,3}(?![\s\w]|\s?\[)|^[+-]\s{2,}\S|^(?:@@|diff --git|index [0-9a-f]{7})/,
  /^\s*at .+[:(]\d+|^\s*File ".+", line \d+|^Traceback |^\s+\^+\s*$|^\s*\d+ \|/,
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[(?:INFO|WARN|ERROR|DEBUG|TRACE)|(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE)\b)/,
  /^\s*(?:error|warning|fatal|failed|exception|panic|note|hint|npm ERR!|E\s{2,})(?:\[\w+\])?:\s/i,
  /^\s*[{}[\]();,]+\s*$|[{;]\s*$|^\s*(?:import|export|const|let|var|def|func|fn|class|return|public|private|package|#include|<\/?[a-z])\b.*[;{(>:]\s*$/,
  /^\s*<\/?[a-zA-Z][\w:-]*(?:\s[^>]*)?>|<\/[a-zA-Z][\w:-]*>\s*$/,
  /^\s*(?:✓|✔|✗|✘|●|⎿|※|✅|❌|⚠|█|▶|PASS|FAIL|ok \d|not ok)\s?/u,
  /^\s*"[^"]+"\s*:\s|^\s*[\w.-]+\s*=\s*["'[{\d]/,
  /[│┌┐└┘├┤┬┴┼─═║]/u,
  /^\s*https?:\/\/\S+\s*$/,
  /^\s*(?:modified|deleted|renamed|new file|On branch|Your branch|Changes (?:not )?)[: ]/,
  /^\s*\[(?:Request interrupted|Image|Pasted text|Screenshot|Attachment)/i,
  /\w+\.\w{1,5}[:#]L?\d+(?:[-:]\d+)?\b/,
];

/** Lines that a person did not phrase: prompts, diffs, traces, logs, code, markup. */
function isForeignLine(line: string): boolean {
  return line.length > 1200 || FOREIGN_LINE.some((sign) => sign.test(line));
}

/** Grammar of a person talking to the agent; reviewers' and manuals' prose lacks it. */
const TALKS =
  /(?<![\p{L}])(?:i|i['’](?:d|m|ve|ll)|we|we['’](?:re|d|ve|ll)|you|your|let['’]?s|please|pls|me|my|our|ich|wir|du|bitte|je|nous|on|tu|yo|nosotros|eu|nós|você|io|noi|ik|wij|мы|ты|вы|пожалуйста|не надо)(?![\p{L}])|我|你|请|咱|私|ください|저|우리|해줘/iu;

/** Whether a paragraph reads as typed by a person. */
function readsAsTyped(text: string): boolean {
  return TALKS.test(text) && !/^\s*(?:#{1,6}\s|\*\*[^*]+\*\*)/.test(text);
}

/**
 * What a person typed in a turn: fenced code, quotations, tagged spans, prompts, logs, diffs and announced pastes are left out.
 * Of a long turn only the paragraphs in which the person talks to the agent remain.
 */
export function typedPart(text: string): string {
  const open = text
    .slice(0, MOST_TYPED)
    .replace(/<(\w[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>/g, '\n')
    // Blanks of its own line alone: with `\s` a run of blank lines was looked at from each of its lines (20,000 took a second).
    .replace(/(^|\n)[^\S\n]*(```|~~~)[\s\S]*?(?:\n[^\S\n]*\2[^\n]*|$)/g, '\n\n')
    .replace(/^[^\S\n]*>.*$/gm, '');
  const long = text.length > LONG_TURN.characters || text.split('\n').length > LONG_TURN.lines;
  const kept: string[] = [];
  let pasted = false;
  for (const paragraph of withoutRemarks(open).split(/\n\s*\n/)) {
    const lines = paragraph.split('\n');
    const own = lines.filter((line) => line.trim() !== '' && !isForeignLine(line));
    if (own.length * 2 < lines.filter((line) => line.trim() !== '').length) continue;
    const body = own.join('\n');
    if (pasted && !resumes(body)) continue;
    pasted = false;
    if (long && !readsAsTyped(body)) continue;
    kept.push(body);
    if (announcesPaste(body)) pasted = true;
  }
  return cutAfterAnnouncement(kept.join('\n\n')).trim();
}

const LIST_ITEM = /^\s{0,8}(?:[-*+•–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+(?=\S)/;
/** Items shorter than this are notes to the agent whatever their grammar. */
const LONG_ITEM = 60;
/** A shorter list is not judged. */
const LEAST_ITEMS = 3;

/** Whether a list item tells of the code as a reviewer does: a long sentence that neither talks to the agent nor instructs it. */
function isRemark(item: string): boolean {
  return (
    item.length >= LONG_ITEM &&
    !TALKS.test(item) &&
    !/^(?:always|never)\b/i.test(item) &&
    !IMPERATIVE.test(item.replace(/^(?:only|also)\s+/i, ''))
  );
}

/** A text without its list when most items are remarks on code: a review that was pasted in bullets, however short. */
function withoutRemarks(text: string): string {
  const lines = text.split('\n');
  const items: { from: number; to: number; text: string }[] = [];
  lines.forEach((line, at) => {
    const mark = LIST_ITEM.exec(line);
    const open = items.at(-1);
    if (mark) items.push({ from: at, to: at, text: line.slice(mark[0].length).trim() });
    else if (open?.to === at - 1 && line.trim() !== '') Object.assign(open, { to: at, text: `${open.text} ${line.trim()}` });
  });
  if (items.length < LEAST_ITEMS || items.filter((item) => isRemark(item.text)).length * 2 <= items.length) return text;
  return lines.filter((_, at) => !items.some((item) => at >= item.from && at <= item.to)).join('\n');
}

/** First person, or a plain request: pasted manuals say "you" too. */
const ASKS_AGENT =
  /(?<![\p{L}])(?:i|i['’](?:d|m|ve|ll)|we|let['’]?s|please|pls|(?:can|could|would) you|ich|wir|bitte|je|nous|yo|nosotros|eu|io|noi|ik|мы|пожалуйста)(?![\p{L}])|我|请|ください|해줘/iu;

/** A paragraph after a paste that is the person's again. */
function resumes(paragraph: string): boolean {
  return paragraph.length < 300 && ASKS_AGENT.test(paragraph);
}

/** A paragraph whose last line ends in a colon and speaks of an error, a review, a text to look at. */
function announcesPaste(paragraph: string): boolean {
  const last = paragraph.trim().split('\n').at(-1) ?? '';
  return /[:：]\s*$/.test(last) && ANNOUNCES_PASTE.test(last);
}

/** "take a look at: <somebody's sentence>" on one line: what follows the colon is not the person's. */
function cutAfterAnnouncement(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const at = /^(.{4,90}?[:：])\s+(.{40,})$/u.exec(line);
      return at && ANNOUNCES_PASTE.test(at[1] ?? '') && /^["'“A-Z]/.test(at[2] ?? '') && !readsAsTyped(at[2] ?? '')
        ? (at[1] ?? '')
        : line;
    })
    .join('\n');
}
