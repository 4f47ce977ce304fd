/** A text as the statements that it makes, each with the negations, conditions and limits that govern its words. */
import { contentWords } from '../../text/words.js';
import {
  ALWAYS_REASON,
  COORDINATORS,
  DIRECTIONS,
  HEDGES,
  LIGHT_VERBS,
  NEGATIONS,
  OPERATORS,
  PRONOUNS,
  REASONS,
  RUN,
  RUN_OPERATORS,
  SEVERAL_WORDS,
  UNIVERSALS,
} from './function-words.js';

export interface Token {
  word: string;
  /** What governs it: the operator before it, the side of a name. */
  label: string;
  isName: boolean;
  /** From brackets: it has no place in the order of the others. */
  isAside?: boolean;
}

/** One statement of a text with all that governs it: kept with it, or left out whole. */
export interface Unit {
  sentence: number;
  /** Classes in order. */
  operators: string[];
  hedges: Set<string>;
  universals: Set<string>;
  tokens: Token[];
  /** What each negation denies; null: what stands before it, so that it cannot go alone. */
  denied: (string | null)[];
  /** What a "but" sets against it: without that it claims too much. */
  limits: Unit[];
}

/** A stretch between two joints, before it is known to what it belongs. */
interface Piece extends Unit {
  joint: '' | '.' | ';' | ':' | '(' | ',' | 'but';
  host: Piece | null;
  startsGoverned: boolean;
  hasComma: boolean;
  label: string;
  segment: 'start' | 'inside';
  /** The comma after an opening condition ends its reach. */
  opened: boolean;
  /** Operators with the number of tokens before them. */
  places: { operator: string; at: number }[];
  /** It holds a script without blanks. */
  isRun: boolean;
}

const ITEM =
  /`([^`]+)`|([.!?…。！？]+(?=\s|$|[^\x00-\x7f])|[;:；：](?=\s|$|[^\x00-\x7f])|\s[-–—]{1,2}\s|[—()（）,，、])|([\p{L}\p{N}_@~/\\$#%&+*=<>→.-](?:[\p{L}\p{N}_@~/\\$#%&+*=<>]|[.:'’-](?=[\p{L}\p{N}_/]))*)/gu;

function newPiece(joint: Piece['joint'], sentence: number, host: Piece | null): Piece {
  const unit = {
    sentence,
    operators: [],
    hedges: new Set<string>(),
    universals: new Set<string>(),
    tokens: [],
    denied: [],
    limits: [],
  };
  return {
    ...unit,
    joint,
    host,
    startsGoverned: false,
    hasComma: false,
    label: '',
    segment: 'start',
    opened: false,
    places: [],
    isRun: false,
  };
}

export function piecesOf(text: string): Piece[] {
  const bare = SEVERAL_WORDS.reduce((rest, [pattern, one]) => outsideSpans(rest, (open) => open.replace(pattern, one)), text);
  const items = [...bare.matchAll(ITEM)];
  const pieces: Piece[] = [newPiece('', 0, null)];
  let current = pieces[0]!;
  const open = (joint: Piece['joint'], host: Piece | null): void => {
    current = newPiece(joint, joint === '.' ? current.sentence + 1 : current.sentence, host);
    pieces.push(current);
  };
  for (const [i, item] of items.entries()) {
    const [, span, mark, word] = item;
    const next = (items[i + 1]?.[3] ?? '').toLowerCase();
    const sign = mark?.trim();
    if (span !== undefined) addName(current, items, i, span);
    else if (word !== undefined) {
      const isReason = opensReason(items, i);
      if (isReason && current.tokens.length > 0) open(',', current);
      // The "but" that opened a statement governs nothing in it.
      const isOpener = current.joint === 'but' && isEmpty(current) && operatorOf(word) === 'but';
      if (!isReason && !isOpener) addWord(current, items, i, word);
    } else if (/^[.!?…。！？]/u.test(sign!)) open('.', null);
    else if (/^[;；]/u.test(sign!)) open(';', current);
    else if (/^[(（]/u.test(sign!)) open('(', current);
    else if (/^[)）]/u.test(sign!)) current = current.joint === '(' && current.host ? current.host : current;
    else if (!/^[,，、]/u.test(sign!)) open(':', current);
    else if (COORDINATORS.has(next) && current.label === '' && !current.opened) open(',', current);
    else if (OPERATORS.get(next) === 'but') open('but', current);
    else if (!REASONS.has(next)) comma(current);
  }
  pieces.filter(({ isRun }) => isRun).forEach(labelBothSides);
  return pieces.filter((piece) => !isEmpty(piece));
}

/** "Because" anywhere, "since it" too, others behind a comma. */
function opensReason(items: readonly RegExpMatchArray[], i: number): boolean {
  const word = items[i]![3]!.toLowerCase();
  if (word === 'since' && PRONOUNS.test(items[i + 1]?.[3] ?? '')) return true;
  return ALWAYS_REASON.has(word) || (REASONS.has(word) && /^[,，、]$/u.test((items[i - 1]?.[2] ?? '').trim()));
}

function outsideSpans(text: string, change: (open: string) => string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('');
}

/** Behind "when x," the main statement begins; in a list it cannot be told how far a negation reaches. */
function comma(piece: Piece): void {
  piece.segment = 'start';
  if (piece.opened && !piece.hasComma) piece.label = '';
  else loosen(piece);
  piece.hasComma = true;
}
function loosen(piece: Piece): void {
  if (piece.label !== '' && !piece.label.endsWith('&')) piece.label += '&';
}

function isEmpty({ tokens, operators }: Piece): boolean {
  return tokens.length + operators.length === 0;
}

function operatorOf(word: string): string | undefined {
  const plain = word.toLowerCase().replaceAll('’', "'");
  return OPERATORS.get(plain) ?? (/n't$|^(?:dont|doesnt|isnt|cant|wont)$/.test(plain) ? 'not' : undefined);
}

function addWord(piece: Piece, items: readonly RegExpMatchArray[], i: number, raw: string): void {
  const word = raw.replace(/[./:'’-]+$/u, '') || raw;
  const plain = word.toLowerCase();
  const operator = operatorOf(word);
  if (operator !== undefined) return govern(piece, operator);
  const [hedge, universal] = [HEDGES.get(plain), UNIVERSALS.get(plain)];
  // "Never a or b" denies both.
  if (hedge !== undefined && !(hedge === 'or' && piece.label.startsWith('not'))) piece.hedges.add(hedge);
  if (universal !== undefined) piece.universals.add(universal);
  if (COORDINATORS.has(plain)) {
    if (!isListOfNames(items, i)) loosen(piece);
    return;
  }
  if (hedge !== undefined || universal !== undefined) return;
  if (RUN.test(word)) return addRun(piece, word);
  const isName = /[\d/_.=@$\\]|\p{Ll}\p{Lu}|^-{1,2}\p{L}/u.test(word);
  for (const token of isName ? wordsOfName(word) : contentWords(word).map(rootOf)) add(piece, items, i, token, isName);
}

/** Words of their own that a line may have: {@link LIGHT_VERBS} as tokens. */
export const LIGHT_WORDS: ReadonlySet<string> = new Set([...LIGHT_VERBS].flatMap(contentWords).map(rootOf));

/** The stemmer leaves `use` and makes `us` of `uses`. */
function rootOf(word: string): string {
  return /^[a-z]{3,}e$/.test(word) || word === 'use' ? word.slice(0, -1) : word;
}

/** `a` and `b`: the second name stands where the first does. */
function isListOfNames(items: readonly RegExpMatchArray[], i: number): boolean {
  return items[i - 1]?.[1] !== undefined && items[i + 1]?.[1] !== undefined;
}

function addName(piece: Piece, items: readonly RegExpMatchArray[], i: number, span: string): void {
  const before = items[i - 1];
  const isListed = before !== undefined && /^[,，、]$/u.test((before[2] ?? '').trim()) && items[i - 2]?.[1] !== undefined;
  // A comma inside a list of names is none of the sentence's.
  if (isListed && piece.label.endsWith('&')) piece.label = piece.label.slice(0, -1);
  for (const token of wordsOfName(span)) add(piece, items, i, token, true);
}

/** A name as one token, the same with and without backticks. */
function wordsOfName(name: string): string[] {
  const words = contentWords(name);
  return /\s/.test(name.trim()) || words.length !== 1 || words[0] === 'not'
    ? [name.trim().replace(/\s+/g, ' ').toLowerCase()]
    : words;
}

function add(piece: Piece, items: readonly RegExpMatchArray[], i: number, word: string, isName: boolean): void {
  const before = (items[i - 1]?.[3] ?? '').toLowerCase();
  const side = isName && DIRECTIONS.has(before) ? `>${before}` : '';
  piece.tokens.push({ word, label: piece.label + side, isName });
  piece.denied = piece.denied.map((each) => (each === '' ? word : each));
  piece.segment = 'inside';
}

function govern(piece: Piece, operator: string): void {
  const isFirst = isEmpty(piece);
  if (isFirst) piece.startsGoverned = true;
  if (isFirst && !NEGATIONS.has(operator)) piece.opened = true;
  piece.places.push({ operator, at: piece.tokens.length });
  piece.operators.push(operator);
  if (NEGATIONS.has(operator)) piece.denied.push(piece.segment === 'start' && !isFirst ? null : '');
  piece.label = operator;
  piece.segment = 'inside';
}

/** Pairs of signs between the operators of a run. */
function addRun(piece: Piece, run: string): void {
  piece.isRun = true;
  const hits = RUN_OPERATORS.flatMap(([operator, pattern]) =>
    [...run.matchAll(pattern)].map((hit) => ({ operator, from: hit.index, to: hit.index + hit[0].length })),
  ).sort((a, b) => a.from - b.from);
  let from = 0;
  const addWords = (to: number): void => {
    for (const word of contentWords(run.slice(from, to))) piece.tokens.push({ word, label: '', isName: false });
  };
  for (const { operator, from: at, to } of hits) {
    addWords(at);
    piece.operators.push(operator);
    piece.places.push({ operator, at: piece.tokens.length });
    if (NEGATIONS.has(operator)) piece.denied.push(null);
    from = Math.max(from, to);
  }
  addWords(run.length);
}

/** Which side an operator governs differs by language: both neighbours count. */
function labelBothSides(piece: Piece): void {
  for (const [i, token] of piece.tokens.entries()) {
    const before = piece.places.findLast(({ at }) => at <= i)?.operator ?? '';
    const behind = piece.places.find(({ at }) => at > i)?.operator ?? '';
    token.label = `${before}|${behind}`;
  }
}

/** Whether a piece only narrows what it stands beside ("not in the cellar", "Linux only"), and so goes and stays with it. */
function leans({ joint, startsGoverned, operators, hedges, tokens, hasComma, opened, places }: Piece): boolean {
  // Brackets hold another name of what they stand in, or a limit; a choice of examples may go.
  if (joint === '(') return operators.length > 0 || [...hedges].join() !== 'or';
  if (joint === ';') return opened && !hasComma;
  if (joint !== ':' && joint !== ',' && joint !== 'but') return false;
  return (startsGoverned && !(opened && hasComma)) || places.at(-1)?.at === tokens.length;
}

function unite(into: Piece, piece: Piece): void {
  into.denied.push(...piece.denied.map(() => null));
  into.operators.push(...piece.operators);
  into.tokens.push(...piece.tokens.map((token) => (piece.joint === '(' ? { ...token, isAside: true } : token)));
  for (const each of piece.hedges) into.hedges.add(each);
  for (const each of piece.universals) into.universals.add(each);
}

/** Pieces that stand or go together, as one. */
export function unitsOf(text: string): Unit[] {
  const units: Piece[] = [];
  const home = new Map<Piece, Piece>();
  let waiting: Piece | null = null;
  for (const piece of piecesOf(text)) {
    const host: Piece | null = waiting ?? (leans(piece) ? (home.get(piece.host!) ?? units.at(-1) ?? null) : null);
    waiting = null;
    if (host !== null) {
      unite(host, piece);
      home.set(piece, host);
      continue;
    }
    units.push(piece);
    home.set(piece, piece);
    if (piece.joint === 'but') home.get(piece.host!)?.limits.push(piece);
    // "If x: do y."
    if (piece.opened && !piece.hasComma && piece.tokens.every(({ label }) => label !== '')) waiting = piece;
  }
  return units;
}
