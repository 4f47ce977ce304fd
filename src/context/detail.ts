/** detail/<kind>.md: every live lesson with counts, dates, evidence and id. */
import { createHash } from 'node:crypto';
import { MOST_LESSON_CHARS, type LessonEvent, type Lesson } from '../types.js';
import { type DetailFile, lessonsIn, topicsOf } from './index-line.js';
import { nameOf, neutralise } from './neutralise.js';

/** Events shown per lesson; `dripstone lessons show` has all. */
const EVENTS = 5;
const KEYWORDS = 12;

function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}

const SAID = {
  user: 'the user said it',
  observed: 'seen in sessions',
  agent: 'an agent concluded it',
} as const;

function compareValue(a: Lesson, b: Lesson): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.importance * b.confidence - a.importance * a.confidence ||
    (a.id < b.id ? -1 : 1)
  );
}

function compareNewest(a: LessonEvent, b: LessonEvent): number {
  const [x, y] = [a, b].map(
    (e) => `${e.day}\u0000${e.agent}\u0000${e.session}\u0000${e.entry ?? ''}`,
  ) as [string, string];
  return x > y ? -1 : x < y ? 1 : 0;
}

function eventLine(e: LessonEvent): string {
  const session = e.entry === null ? '' : ` ${nameOf(e.session.slice(0, 8)) ?? ''}`;
  const quote = neutralise(e.quote).replaceAll('"', "'");
  return `  - ${e.supports ? '' : 'against: '}${e.day} ${nameOf(e.agent) ?? 'agent'}${session}: "${quote}"`;
}

function lessonBlock(l: Lesson, off: string | undefined): string {
  const marks = [
    l.pinned ? 'pinned' : '',
    l.status === 'conflict'
      ? `in conflict with ${l.conflictsWith.map((id) => `^${id}`).join(', ')}`
      : '',
  ].filter((m) => m !== '');
  const counts = [
    SAID[l.saidBy],
    plural(l.sessions, 'session'),
    l.firstSeen === l.lastSeen ? l.lastSeen : `${l.firstSeen} to ${l.lastSeen}`,
    `confidence ${l.confidence.toFixed(2)}`,
    `importance ${l.importance}`,
    ...(l.uses > 0 ? [plural(l.uses, 'use')] : []),
    ...marks,
  ].filter((part) => part !== '');
  const files = l.files.flatMap((f) => nameOf(f) ?? []).slice(0, EVENTS);
  const events = [...l.evidence].sort(compareNewest);
  const more =
    events.length > EVENTS ? [`  - and ${plural(events.length - EVENTS, 'more event')}`] : [];
  return [
    `- ${neutralise(l.text)} ^${l.id}`,
    `  - ${counts.join(' · ')}`,
    ...(files.length > 0 ? [`  - files: ${files.join(', ')}`] : []),
    ...(off === undefined ? [] : [`  - off the page: ${neutralise(off)}`]),
    ...events.slice(0, EVENTS).map(eventLine),
    ...more,
  ].join('\n');
}

/**
 * Text of one detail file; empty lists give a file that says so.
 * @param kind name of the file, e.g. `gotchas`
 * @param lessons lessons of the project in any status and order
 * @param day project clock
 * @param off id -> why the page leaves a lesson out
 */
export function renderDetail(
  kind: DetailFile,
  lessons: readonly Lesson[],
  day = '',
  off: ReadonlyMap<string, string> = new Map(),
): string {
  const shown = lessonsIn(kind, lessons).sort(compareValue);
  const topics = topicsOf(shown, KEYWORDS);
  const head = [
    `> Summary: ${shown.length} ${kind}${day === '' ? '' : `, as of ${day}`}, most valuable first.`,
    `> Keywords: ${[kind, ...topics].join(', ')}`,
  ];
  const blocks = shown.map((each) => lessonBlock(each, off.get(each.id)));
  return withWritten(
    [head.join('\n'), ...(blocks.length > 0 ? [blocks.join('\n')] : [])].join('\n\n'),
  );
}

// What a detail file says about itself: hashes of what we wrote, in a comment at its end, so that a
// person's changes are recognised even without the database. Text and hashes are written at once
// and cannot disagree.

const OPEN =
  '<!-- written by dripstone: bullets above may be changed, removed and added; the rest is ours';
const CLOSE = '-->';
const ID = /(?:^|\s)\^([a-z0-9]{16})$/;

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

/** A bullet as the file has it. */
interface Bullet {
  /** null: a person added it, or took its id away. */
  id: string | null;
  text: string;
  /** `new`: we did not write this id here. */
  state: 'same' | 'changed' | 'new';
}

interface ParsedDetail {
  bullets: Bullet[];
  /** Ids that we wrote and that stand here no more. */
  missing: string[];
  /** 1-based lines that are no bullet of a person and not as we wrote them. */
  odd: number[];
}

interface Block {
  id: string | null;
  text: string;
  rest: string[];
  line: number;
}

/** Head, lines below a bullet that is gone from the top, bullets, and where what else stands. */
function splitBody(body: string): {
  head: string[];
  lead: Pick<Block, 'rest' | 'line'>;
  blocks: Block[];
  odd: number[];
} {
  const lead: Pick<Block, 'rest' | 'line'> = { rest: [], line: 0 };
  const head: string[] = [];
  const blocks: Block[] = [];
  const odd: number[] = [];
  for (const [index, raw] of body.split('\n').entries()) {
    const line = raw.trimEnd();
    const last = blocks.at(-1);
    const bullet = /^[-*+]\s+(.*)$/s.exec(line) ?? /^[-*+]()$/.exec(line);
    if (line === '') continue;
    else if (bullet) blocks.push({ ...idAndText(bullet[1]!), rest: [], line: index + 1 });
    else if (!last && line.startsWith('> ')) head.push(line);
    else if (/^\s+- /.test(line)) {
      if (!last) lead.line ||= index + 1;
      (last ?? lead).rest.push(line);
    }
    // A line that goes on below its bullet belongs to the person's sentence, not to our counts.
    else if (last && /^\s{2,}\S/.test(line) && last.rest.length === 0)
      Object.assign(
        last,
        idAndText(`${last.text}${last.id === null ? '' : ` ^${last.id}`} ${line.trim()}`),
      );
    else odd.push(index + 1);
  }
  return { head, lead, blocks, odd };
}

function idAndText(words: string): { id: string | null; text: string } {
  const id = ID.exec(words)?.[1] ?? null;
  return { id, text: (id === null ? words : words.replace(ID, '')).trim() };
}

/** The body with the comment that tells what was written. */
function withWritten(body: string): string {
  const { head, blocks } = splitBody(body);
  const lines = blocks.flatMap(({ id, text, rest }) =>
    id === null ? [] : [`${id} ${hash(text)} ${hash(rest.join('\n'))}`],
  );
  return `${body.trimEnd()}\n\n${[OPEN, `head ${hash(head.join('\n'))}`, ...lines, CLOSE].join('\n')}\n`;
}

/** A person's words that no lesson can hold; what we wrote is no edit. */
function isTooLong({ state, text }: Bullet): boolean {
  return state !== 'same' && text.length > MOST_LESSON_CHARS;
}

/**
 * What a person did to a detail file; null when it does not say what we wrote, so that nothing can
 * be told. Never throws.
 */
export function parseDetail(text: string): ParsedDetail | null {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const at = plain.lastIndexOf(OPEN);
  const end = plain.indexOf(CLOSE, at);
  if (at < 0 || end < 0) return null;
  const written = new Map(
    plain
      .slice(at, end)
      .split('\n')
      .slice(1)
      .map((line) => [line.split(' ')[0]!, line.split(' ').slice(1)] as const),
  );
  // A bullet at the very end, behind our comment, is one too: appending is the easiest way to add
  // one. Lines keep their numbers.
  const comment = plain.slice(at, end + CLOSE.length);
  const { head, lead, blocks, odd } = splitBody(
    plain.slice(0, at) + comment.replace(/[^\n]/g, '') + plain.slice(end + CLOSE.length),
  );
  const seen = new Set<string>();
  const isOurs = (block: Block): boolean =>
    block.id !== null && written.get(block.id)?.[0] === hash(block.text);
  // Of two bullets with one id the one with our words keeps it.
  for (const block of blocks) if (isOurs(block)) seen.add(block.id!);
  const taken = new Set<string>();
  const bullets = blocks.map((block): Bullet => {
    const { id, text: words } = block;
    if (id === null) return { id, text: words, state: 'new' };
    if (isOurs(block) && !taken.has(id)) {
      taken.add(id);
      return { id, text: words, state: 'same' };
    }
    if (seen.has(id) || taken.has(id)) return { id: null, text: words, state: 'new' };
    if (!written.has(id)) return { id, text: words, state: 'new' };
    taken.add(id);
    return { id, text: words, state: 'changed' };
  });
  const here = new Set(blocks.map(({ id }) => id));
  const missing = [...written.keys()].filter((id) => id !== 'head' && id !== '' && !here.has(id));
  const left = new Set(missing.map((id) => written.get(id)![1]));
  const strange = [{ id: '', ...lead }, ...blocks]
    .filter(({ id, rest }) => !isOurRest(rest, written.get(id ?? '')?.[1] ?? hash(''), left))
    .map(({ line }) => line);
  const long = blocks.filter((_, i) => isTooLong(bullets[i]!)).map(({ line }) => line);
  const headOdd = written.get('head')?.[0] === hash(head.join('\n')) ? [] : [1];
  return {
    bullets: bullets.filter(
      (bullet) => !isTooLong(bullet) && (bullet.id !== null || bullet.text !== ''),
    ),
    missing,
    odd: [...headOdd, ...odd, ...strange, ...long].sort((a, b) => a - b),
  };
}

/** Below one bullet there are a few lines of ours; of more than so many no cut is looked for. */
const MOST_LEFT = 200;

/**
 * Lines below a bullet as we wrote them, and behind them those of bullets that were taken away
 * alone.
 */
function isOurRest(
  rest: readonly string[],
  own: string,
  left: ReadonlySet<string | undefined>,
): boolean {
  const isLeft = (from: number): boolean =>
    from === rest.length ||
    rest.some(
      (_, at) =>
        at >= from && left.has(hash(rest.slice(from, at + 1).join('\n'))) && isLeft(at + 1),
    );
  if (rest.length > MOST_LEFT) return hash(rest.join('\n')) === own;
  return [...rest.keys(), rest.length].some(
    (from) => hash(rest.slice(0, from).join('\n')) === own && isLeft(from),
  );
}
