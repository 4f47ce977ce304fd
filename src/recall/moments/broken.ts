/** Which rules of the person a command or an edit would break, and what lifts them: for guards, and at any moment. */
import { ruleOf } from '../../parse/rules.js';
import { splitSentences } from '../../parse/sentences/split.js';
import { wishOf } from '../../parse/wishes.js';
import { brokenAhead, typedIn, type BrokenAhead, type Db } from '../../store/index.js';
import { typedText } from '../../text/typed-lines.js';
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
 * Whether a person asked for one of these commands or paths: a sentence of theirs has each of its words (of a flag without its
 * dashes; `git` may be left out). A sentence that says a rule or a wish is no permission. Pure.
 * @param typed texts of prompts
 */
export function isAskedFor(typed: readonly string[], names: readonly string[]): boolean {
  const sentences = typed
    .flatMap((text) => splitSentences(typedText(text)))
    .filter((sentence) => ruleOf(sentence) === null && wishOf(sentence) === null);
  return sentences.some((sentence) => names.some((name) => wordsOf(name).every((word) => hasWord(sentence, word))));
}

function wordsOf(name: string): string[] {
  const words = name.split(' ').map((word) => word.replace(/^-+/, ''));
  return words[0] === 'git' && words.length > 1 ? words.slice(1) : words;
}

function hasWord(sentence: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(String.raw`(?<![\w@-])${escaped}(?![\w@-])`, 'iu').test(sentence);
}
