import { TRANSIENT } from './language-cues.js';
import { AGREE } from './language-turns.js';
import type { Pick } from './user-picks.js';
import type { Turn } from './user-turns.js';
import { fit, plain, polish, tighten } from './wording.js';
import { dangles } from './wording-subject.js';

/** Longer answers are instructions of their own. */
const SHORT = 60;

const ASKED = '(?:should|shall|do you want|would you like|want|may|can|could)(?: (?:we|i|me|us|the project|it))?(?: to)?';
/** "Should I use A or B (for C)?" */
const EITHER = new RegExp(`(?:^|[\\s(])${ASKED} (use|keep|target|support|prefer|go with|stay on|switch to|put|store|name|call)\\s+([^?,]{1,50}?),?\\s+or\\s+(?:rather\\s+|instead\\s+)?(?:\\1\\s+)?([^?,]{1,50}?)(\\s+(?:for|in|as|on|when|everywhere)\\b[^?]{0,60})?\\?`, 'iu');
/** "Which package manager should we use (for C)?" */
const WHICH = /(?:^|[.!\s])(?:which|what)\s+([^?,.]{3,40}?)\s+(?:should|shall|do)\s+(?:we|i|you|the project|it)\s+(?:want to\s+|want me to\s+|prefer to\s+)?(use|target|support|follow|prefer)(\s+(?:for|in|on|when)\s[^?]{3,60})?\?/iu;
/** "Which zone should times be stored in?" */
const WHERE = /(?:^|[.!\s])(?:which|what)\s+([^?,.]{3,40}?)\s+(?:should|shall|must)\s+((?:(?!be\b)[^\s?,.]+\s+){1,4})be\s+(\p{L}{3,20}\s+(?:in|as|by|with|to|from|on|at|under))\?/iu;
const FIRST = /^(?:the )?(?:first|former|1st|erste[rsn]?|première?|primer[oa]?|prim[oa])(?: (?:one|option))?[.!]?$/iu;
const SECOND = /^(?:the )?(?:second|latter|last|2nd|zweite[rsn]?|letztere[rsn]?|deuxième|second[oae]?|segund[oa])(?: (?:one|option))?[.!]?$/iu;
/** Things of this task only. */
const ONCE = /(?<![\p{L}])(?:title|branch|commit message|pr|pull request|file ?name|next|step|order|approach|option)(?![\p{L}])/iu;

/** The rule that a short answer settles, in the words of the question that it answers; null when question or answer is not clear. */
export function readAnswer(turn: Turn): Pick | null {
  const answer = turn.typed.trim().replace(/^(?:please\s+|let['’]?s\s+|we\s+)?(?:use|go with|take|keep)\s+/iu, '').replace(/[.!]+$/, '');
  if (!turn.answered || answer === '' || answer.length > SHORT || answer.includes('\n') || /[?？]/.test(answer) || AGREE.test(answer)) return null;
  const text = plain(turn.answered.text.replace(/```[\s\S]*?(?:```|$)/g, ''));
  const asked = text.slice(-400);
  if ((asked.match(/[?？]/g) ?? []).length !== 1) return null;
  const hit = readEither(asked, answer) ?? readWhich(asked, answer) ?? readWhere(asked, answer);
  if (!hit || TRANSIENT.test(hit.text) || TRANSIENT.test(hit.offer) || dangles(hit.text)) return null;
  const whole = fit(polish(tighten(hit.text)));
  return whole === null ? null : { text: whole, offer: hit.offer };
}

const bare = (text: string): string => text.toLowerCase().replace(/[`"'.\s]/g, '');

function readEither(asked: string, answer: string): Pick | null {
  const hit = EITHER.exec(asked);
  if (!hit) return null;
  const [, verb = '', a = '', b = '', tail = ''] = hit;
  const named = (option: string): boolean => bare(option) === bare(answer) || (bare(answer).length >= 3 && bare(option).includes(bare(answer)));
  const first = FIRST.test(answer) || (named(a) && !named(b));
  const second = SECOND.test(answer) || (named(b) && !named(a));
  if (first === second || ONCE.test(`${a} ${b}`)) return null;
  return { text: `${verb} ${first ? a : b} instead of ${first ? b : a}${tail}`, offer: hit[0].trim() };
}

function readWhich(asked: string, answer: string): Pick | null {
  const hit = WHICH.exec(asked);
  if (!hit || ONCE.test(hit[1] ?? '') || answer.split(/\s+/).length > 5) return null;
  const [, thing = '', verb = '', tail = ''] = hit;
  return { text: `${verb} ${answer} as the ${thing}${tail}`, offer: hit[0].trim() };
}

function readWhere(asked: string, answer: string): Pick | null {
  const hit = WHERE.exec(asked);
  if (!hit || ONCE.test(hit[1] ?? '') || answer.split(/\s+/).length > 5) return null;
  const [, , things = '', verb = ''] = hit;
  return { text: `${things.trim()} should be ${verb} ${answer}`, offer: hit[0].trim() };
}
