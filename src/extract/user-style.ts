import { STYLE } from './language-cues.js';

/** Wishes about the shape of answers; one key each, so that they are counted over sessions whatever their wording. */
const WISHES: readonly { key: string; text: string; pattern: RegExp }[] = [
  {
    key: 'style answers concise',
    text: 'Keep answers concise and to the point',
    pattern: /(?<![\p{L}])(?:be|explain|answer|reply|respond|write|keep (?:it|answers?|replies|responses?|explanations?)|recommend|summari[sz]e|findings?|list)\b.{0,50}(?<![\p{L}])(?:concise(?:ly)?|terse|brief(?:ly)?|succinct(?:ly)?|short)|(?:too|so|less|very) (?:verbose|wordy|long-winded)|fasse dich kurz|sei (?:kurz|knapp)|sois (?:plus )?concis|sé (?:más )?(?:conciso|breve)|seja (?:mais )?conciso|sii (?:più )?conciso|(?:пиши|отвечай) (?:кратко|короче)|слишком длинно|太啰嗦|(?:回答|回复|说).{0,6}简[洁短]|簡潔に|간결하게|짧게 (?:답|설명)/iu,
  },
  { key: 'style answers no jargon', text: 'Explain in plain words, without jargon', pattern: /\b(?:no|without|avoid|less) (?:\w+ )?jargon\b|\bplain (?:english|words|language)\b/iu },
];

/** The wish about answers that a short sentence states, or null. */
export function asStyleWish(text: string): { key: string; text: string } | null {
  if (!STYLE.test(text) || text.split(/\s+/).length > 22 || /\b(?:rule|comments?|readme|claude\.md|agents\.md|docs?|file|section|name)\b/i.test(text)) return null;
  const wish = WISHES.find((one) => one.pattern.test(text));
  return wish ? { key: wish.key, text: wish.text } : null;
}
