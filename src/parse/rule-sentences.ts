/** Sentences of a prompt that read like a rule: `review` asks whether they are one. */
import { typedFreely } from '../text/typed-lines.js';
import { lineOf } from '../text/verbatim.js';
import { splitSentences } from './sentences/split.js';

const RULE =
  /^(?:(?:please|also|and|so|but|ok(?:ay)?)[\s,:]+)*(?:never|don['’]?t|do not|always|no)(?![\p{L}'’])|(?<!\p{L})use .{1,80}(?:(?<!\p{L})not |instead of|rather than)/iu;
const SHORTEST = 8;

/** @param typed a prompt; its `Remember:` lines are claims already */
export function ruleSentences(typed: string): string[] {
  return splitSentences(typedFreely(typed)).flatMap((sentence) => {
    const text = lineOf(sentence);
    const isRule = text !== null && text.length >= SHORTEST && RULE.test(text);
    return isRule && !/[?？]["')\s]*$/u.test(text) ? [text] : [];
  });
}
