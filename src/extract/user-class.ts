import type { Candidate, LessonKind, Scope } from '../types.js';
import { ALWAYS, CHOOSE, FROM_NOW, INSTEAD, MUST, NEVER, ONLY, PERSONAL, PREFER, PROHIBIT, REMEMBER, SHOULD, STYLE, TRANSIENT, WE_USE } from './language-cues.js';
import { ASKS, REQUEST } from './language-turns.js';
import { IMPERATIVE, NOT_A_RULE, WORK } from './language-verbs.js';
import { countNamed, findEntities } from './statement-entities.js';

/** What one typed sentence is worth; null means nothing, the normal outcome. */
export interface UserReading {
  kind: LessonKind;
  importance: Candidate['importance'];
  scope: Scope;
  /** 0..1; from ALONE on the sentence counts by itself, below it must be said in two sessions. */
  worth: number;
  why: string;
}

/** From this worth on one saying is enough. */
export const ALONE = 0.6;

/** What surrounds the sentence. */
export interface UserPlace {
  /** The person stopped the agent or refused a call just before. */
  pushedBack: boolean;
  /** Not the first message: the agent had acted before. */
  reply: boolean;
}

const STATEFUL = /(?<![\p{L}])(?:it|this|that|these|those|them|he|she|they|above|below|here|there|one)(?![\p{L}])/iu;
const SUBJECT_DESCRIBES = /^(?:it|this|that|he|she|they|the \w+|my \w+|`[^`]+`|\w+)\s+(?:is|was|are|were|has|had|does|did|always|never|still|only|also|now|just)\b/iu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const HARD_TRANSIENT = /(?<![\p{L}])(?:for now|right now|this time|this once|for the moment|at the moment|today|tomorrow|for a second|later(?: on)?|yet|same pr|this (?:pr|branch|commit|session|change|issue|ticket)|vorerst|diesmal|pour l['’]instant|por ahora|por enquanto|per ora|пока|сейчас)(?![\p{L}])|暂时|这次|先(?!生)|とりあえず|今回|일단|이번/iu;

/** Reads a typed sentence, already freed of politeness (`text`), with its original words (`said`). */
export function readUserSentence(text: string, said: string, place: UserPlace): UserReading | null {
  const bare = text.replace(/`[^`]*`/g, 'x');
  const command = isInstruction(bare);
  const strong = ALWAYS.test(bare) || NEVER.test(bare) || FROM_NOW.test(bare);
  const reading = readRule(bare, command, strong, place);
  if (!reading) return null;
  const named = countNamed(findEntities(text));
  let worth = reading.worth;
  if (HARD_TRANSIENT.test(bare)) worth -= strong ? 0.15 : 0.45;
  else if (TRANSIENT.test(bare)) worth -= strong ? 0.02 : 0.12;
  if (STATEFUL.test(bare)) worth -= strong ? 0.05 : 0.12;
  if (WORK.test(bare)) worth += 0.06;
  if (named > 0 && named <= 4) worth += 0.06;
  if (place.pushedBack) worth += 0.1;
  const words = CJK.test(bare) ? bare.length / 2 : bare.split(/\s+/).length;
  if (words > 40) worth -= 0.2;
  if (words < 4 && named === 0 && reading.why !== 'style') worth -= 0.3;
  if (worth < 0.4) return null;
  return { ...reading, worth: Math.min(1, worth), scope: PERSONAL.test(said) && named === 0 ? 'global' : 'project' };
}

/** An instruction: opens with a base verb, or is in a language whose verbs are not listed but that carries a cue of demand. */
function isInstruction(text: string): boolean {
  return IMPERATIVE.test(text.replace(/^(?:(?:always|never|only|also|just|then|instead|first|and|or|when|if)\s+(?:[^,]{3,60},\s*)?)+/iu, '')) || /^(?:don['’]?t|do not|never|always|no|stop|only)\b/i.test(text);
}

type Rule = Omit<UserReading, 'scope'>;

function readRule(text: string, command: boolean, strong: boolean, place: UserPlace): Rule | null {
  const question = /[?？]\s*$/u.test(text) && !REQUEST.test(text);
  const foreign = !/^[\p{Script=Latin}\P{L}]+$/u.test(text) || !/\b(?:the|a|to|is|of|in|and|you|it|use|run|not)\b/i.test(text);
  if (question && !command) return null;
  if (ASKS.test(text) && !command && !strong) return null;
  if (NOT_A_RULE.test(text) && !strong) return null;
  if (strong && (command || /(?<![\p{L}])(?:i|we|you|agents?|must|should|please|want)(?![\p{L}])/iu.test(text) || (foreign && !SUBJECT_DESCRIBES.test(text)))) return { kind: place.pushedBack ? 'correction' : 'preference', importance: 5, worth: 0.82, why: 'always or never' };
  if (REMEMBER.test(text) && !question) return { kind: 'fact', importance: 4, worth: 0.68, why: 'to be remembered' };
  if (/^(?:don['’]?t|do not|never|stop|avoid|no more|no need to|keep away)\b/iu.test(text) || (foreign && PROHIBIT.test(text))) return { kind: place.reply ? 'correction' : 'preference', importance: place.pushedBack ? 5 : 4, worth: 0.62, why: 'forbidden' };
  if (WE_USE.test(text)) return { kind: /\b(?:don['’]?t|not|never|only)\b/i.test(text) ? 'decision' : 'fact', importance: 4, worth: 0.62, why: 'how we work' };
  if (INSTEAD.test(text) && (command || SHOULD.test(text) || MUST.test(text) || foreign)) return { kind: place.reply ? 'correction' : 'decision', importance: place.pushedBack ? 5 : 4, worth: 0.58, why: 'instead' };
  if (STYLE.test(text) && text.split(/\s+/).length < 30) return { kind: 'preference', importance: 4, worth: 0.64, why: 'style' };
  if (/(?<![\p{L}])(?:i (?:really )?(?:prefer|hate|dislike|like)|i['’]?d rather|my preference|we prefer|préfère|bevorzuge|lieber|prefiero|prefiro|preferisco|предпочитаю)(?![\p{L}])|喜欢|偏好|選好|선호/iu.test(text)) return { kind: 'preference', importance: 4, worth: 0.66, why: 'preferred' };
  if ((SHOULD.test(text) || MUST.test(text)) && !question) return { kind: 'decision', importance: 4, worth: shouldWorth(text, command), why: 'ought' };
  if (ONLY.test(text) && (command || foreign)) return { kind: 'decision', importance: 4, worth: 0.46, why: 'only' };
  if (CHOOSE.test(text)) return { kind: 'decision', importance: 4, worth: 0.48, why: 'chosen' };
  if (PREFER.test(text) && WORK.test(text) && !/(?<![\p{L}])to\s+\p{Ll}+\s+(?:the|this|a|an)\b/iu.test(text)) return { kind: 'preference', importance: 4, worth: 0.46, why: 'wished' };
  if (command && WORK.test(text) && place.pushedBack) return { kind: 'correction', importance: 4, worth: 0.48, why: 'after a stop' };
  return null;
}

/** "Agents should …", "tests must …", "we should be using …" is a rule; "the button should be blue" is a task. */
function shouldWorth(text: string, command: boolean): number {
  if (/(?<![\p{L}])(?:agents?|claude|you|we|everyone|nobody|code|comments?|tests?|commits?|prs?|branches|names?|errors?|functions?|files?|strings?|types?|docs?|changes)\s+(?:\S+\s+){0,2}(?:should|must|need|ha(?:s|ve) to|shouldn['’]?t|mustn['’]?t)/iu.test(text)) return 0.56;
  return command ? 0.5 : 0.48;
}
