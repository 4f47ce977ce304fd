/** Which rules of the person a command or an edit would break, and what lifts them: for guards, and at any moment. */
import { ruleOf } from '../../parse/rules.js';
import { splitSentences } from '../../parse/sentences/split.js';
import { ASKS, wishOf } from '../../parse/wishes.js';
import { brokenAhead, typedIn, type BrokenAhead, type Db } from '../../store/index.js';
import { typedText } from '../../text/typed-lines.js';
import { isDenied, STOP_WORDS } from '../../text/words.js';
import type { StepAhead } from '../../types.js';

export interface Ahead {
  /** Project id; null: every project. */
  project: string | null;
  /** The agent's own id; null: of no session. */
  session: string | null;
  /** Of the command that is about to run. */
  steps: readonly StepAhead[];
  /** The file that is about to be edited, below the project's root. */
  file: string | null;
}

/**
 * Those of these rules that a command or an edit would break. A rule is off in a session in which the person asked for what it
 * forbids.
 * @returns isTyped: whether anything that they typed there is known
 */
export async function brokenHere(
  db: Db,
  rules: string[],
  { session, ...ahead }: Ahead,
): Promise<{ broken: BrokenAhead[]; isTyped: boolean }> {
  const broken = await brokenAhead(db, { ...ahead, rules });
  if (broken.length === 0 || session === null) return { broken, isTyped: false };
  const typed = (await typedIn(db, [session])).get(session) ?? [];
  return { broken: broken.filter(({ names }) => !isAskedFor(typed, names)), isTyped: typed.length > 0 };
}

/**
 * Whether a person asked for one of these commands or paths: a clause of theirs has each of its words (of a flag without its
 * dashes), or begins with those behind `git`. What says a rule or a wish, denies, asks or tells is no permission: when in doubt
 * the guard speaks. Pure.
 * @param typed texts of prompts
 */
export function isAskedFor(typed: readonly string[], names: readonly string[]): boolean {
  const clauses = typed
    .flatMap((text) => splitSentences(typedText(text)))
    .filter((text) => !ASKS.test(text) && !isDenied(text) && ruleOf(text) === null && wishOf(text) === null)
    .flatMap((sentence) => sentence.split(BETWEEN_CLAUSES).map((clause) => clause.trim().replace(OPENING, '')))
    .filter((clause) => !TELLS.test(clause));
  return clauses.some((clause) => names.some((name) => isAskedIn(clause, name)));
}

const BETWEEN_CLAUSES = /[,;:.!…—–]\s+|\s+(?:(?:and|then|but|or|und|dann)\s+|(?=why\s))/iu;
/** What may stand before an order. */
const OPENING =
  /^(?:(?:please|pls|bitte|ok(?:ay)?|yes|sure|now|just|also|then|so|go|let['’]?s|(?:you|we) (?:can|may|should)|i want you to)[\s,]+)*/iu;
/** Ahead of a clause these make a statement or a question of it: a subject, or a verb before its subject. */
const TELLS =
  /^(?:i|you|he|she|it|we|they|th(?:is|at|ese|ose|ere|e)|an?|my|your|our|why|what|who|how|can|could|did|does|is|are|was|were|has|have|had)(?![\p{L}])/iu;

const BE = String.raw`(?:is|are|was|were|has|had|does|did|will|would)(?![\p{L}])`;
const IS = new RegExp(`^${BE}`, 'u');

function isAskedIn(clause: string, name: string): boolean {
  const words = name.split(' ').map((word) => word.replace(/^-+/, ''));
  const said = clause.split(/\s+/).map((word) => word.toLowerCase().replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, ''));
  const at = said.findIndex((word) => !words.includes(word));
  const [next, after] = at === -1 ? [] : said.slice(at);
  const has = (word: string): boolean => hasWord(clause, word);
  const isOpen = (word: string): boolean => word === 'now' || STOP_WORDS.has(word);
  const isVerb = (word = ''): boolean => IS.test(word) || (/..(?:[^s]s|ed)$/.test(word) && !isOpen(word));
  // "npm install fails": what a clause begins with is its subject when a verb follows.
  if (words.every(has)) return at === 0 || !(isVerb(next) || isVerb(after));
  // "push it" is an order, "push notifications" none.
  return words[0] === 'git' && words.slice(1).every(has) && at !== 0 && (next === undefined || isOpen(next));
}

/** Whether it has this word, but neither as "the push" nor as "push is …": those tell of it. Of paths one says "the" as well. */
function hasWord(clause: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = /[./]/.test(word) ? '' : String.raw`(?<!(?<!\p{L})(?:the|an?|this|that|my|your|our)\s+["'\x60]?)`;
  return new RegExp(String.raw`${before}(?<![\w@-])-{0,2}${escaped}(?![\w@-])(?!\S*\s+${BE})`, 'iu').test(clause);
}
