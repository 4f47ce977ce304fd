import type { Candidate, LessonKind, Scope } from '../types.js';
import { ALWAYS, CHOOSE, FROM_NOW, INSTEAD, MUST, NEVER, ONLY, PERSONAL, PREFER, PROHIBIT, REMEMBER, SHOULD, STYLE, TRANSIENT, WE_USE } from './language-cues.js';
import { ASKS, REQUEST } from './language-turns.js';
import { IMPERATIVE, NOT_A_RULE, WORK } from './language-verbs.js';
import { contentWords } from './statement-key.js';
import { countNamed, findEntities } from './statement-entities.js';

/** What one typed sentence is worth; null means nothing, the normal outcome. */
export interface UserReading {
  kind: LessonKind;
  importance: Candidate['importance'];
  scope: Scope;
  /** 0..1. */
  worth: number;
  /** It says itself that it holds on: always, never, from now on, we use, I prefer; one saying is enough then. */
  standing: boolean;
  why: string;
}

/** What says that it holds on counts by one saying from this worth on; all else needs a second session. */
export const ALONE = 0.6;

/** What surrounds the sentence. */
export interface UserPlace {
  /** The person stopped the agent or refused a call just before. */
  pushedBack: boolean;
  /** Not the first message: the agent had acted before. */
  reply: boolean;
}

/** Opens a task of thought: nothing is ruled. */
const TASKISH = /^(?:(?:also|and|then|now|first|ok)\s+)*(?:check|figure|find|think|look|see|investigate|research|explore|analy[sz]e|describe|explain|tell|show|summari[sz]e|propose|suggest|generate|create|createa|draft|provide|do a|let me|let investigate|help|add why|review|compare|i want to|i need|we need an?|i just|i['’]m|i am|i got|i changed|i have|it|there)(?![\p{L}])/iu;
const STATE_WORD = /(?<![\p{L}])(?:(?:this|these)(?! (?:change|work|fix|edit)s?(?![\p{L}]))|that|those|it|them)(?![\p{L}])|这[个些](?!修改|改动|变更)|那[个些]/iu;
/** Two quoted strings: a text of the program is to be reworded, once. */
const NEW_WORDS = /["“«][^"”»]{3,}["”»].*["“«][^"”»]{3,}["”»]/u;
const LINES = /(?<![\p{L}])lines? \d|\w:\d+\b|#\d+/iu;
/** A bare pronoun: "this" before a noun names enough. */
const STATEFUL =
  /(?<![\p{L}])(?:it|them|he|she|they|above|below|this|that|these|those)(?=\s*(?:$|[.,;:!?)]|(?:is|was|are|were|should|will|would|must|can|to|and|or|in|on|for|with|from|at|as|so|but|now|again|first|instead|up|out|off|into|back|too|also|into|does|doesn['’]?t|did|one|ones|way)(?![\p{L}])))/iu;
const SUBJECT_DESCRIBES = /^(?:it|this|that|he|she|they|the \w+|my \w+|`[^`]+`|\w+)\s+(?:is|was|are|were|has|had|does|did|always|never|still|only|also|now|just)\b/iu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const HARD_TRANSIENT = /(?<![\p{L}])(?:for now|right now|this time|this once|for the moment|at the moment|today|tomorrow|for a second|later(?: on)?|yet|same pr|this (?:pr|branch|commit|session|change|issue|ticket)|vorerst|diesmal|pour l['’]instant|por ahora|por enquanto|per ora|пока|сейчас)(?![\p{L}])|暂时|这次|先(?!生)|とりあえず|今回|일단|이번/iu;

/** Whether a statement says itself that it holds every time. */
export const saysItLasts = (text: string): boolean => isStanding(text.replace(/`[^`]*`/g, 'x'), isInstruction(text));

/** Reads a typed sentence, already freed of politeness (`text`), with its original words (`said`). */
export function readUserSentence(text: string, said: string, place: UserPlace): UserReading | null {
  const bare = text.replace(/`[^`]*`/g, 'x');
  const command = isInstruction(bare);
  const strong = isStanding(bare, command);
  const reading = readRule(bare, command, strong, place);
  if (!reading || (TASKISH.test(bare) && !strong && reading.why !== 'audited')) return null;
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
  if (LINES.test(text)) worth -= 0.25;
  if (NEW_WORDS.test(text)) worth -= 0.15;
  if (words < 3 && named === 0 && reading.why !== 'style') worth -= 0.3;
  if (worth < (reading.why === 'asked' ? 0.3 : 0.4)) return null;
  return { ...reading, worth: Math.min(1, worth), standing: strong || (!OF_THIS_TASK.test(bare) && (LASTING.has(reading.why) || WHEREVER.test(bare))), scope: PERSONAL.test(said) && named === 0 ? 'global' : 'project' };
}

/** An instruction: opens with a base verb, or is in a language whose verbs are not listed but that carries a cue of demand. */
function isInstruction(text: string): boolean {
  return IMPERATIVE.test(text.replace(/^(?:(?:(?:always|never|only|also|just|then|instead|first|and|or)\s+|(?:from now on|going forward|from here on|in (?:the )?future|next time),?\s+|(?:when(?:ever)?|if|before|after|once|every time|each time|any ?time)\s+[^,]{3,80},\s*(?:then\s+|please\s+)?))+/iu, '')) || /^(?:don['’]?t|do not|never|always|no|stop|only)\b/i.test(text);
}

/** The always or never governs what is to be done: "always run X", "you should never …", "whenever …, do …"; not "it always fails". */
function isStanding(text: string, command: boolean): boolean {
  if (FROM_NOW.test(text) && (command || /(?<![\p{L}])(?:i|we|you|please|always|never)(?![\p{L}])|[^\x00-\x7f]{3}/iu.test(text)) && !/^to\s/i.test(text)) return true;
  if (WE_EVER.test(text) || WHEN_EVER.test(text)) return true;
  const foreign = isForeign(text);
  if (foreign) return (ALWAYS.test(text) || NEVER.test(text)) && !SUBJECT_DESCRIBES.test(text);
  if (/^(?:always|never(?! mind)|don['’]?t ever|do not ever)\b/i.test(text)) return true;
  const hit = /(?:^|[\s,;(])(?:always|never)\s+(\p{L}+)/iu.exec(text);
  if (hit?.[1] && IMPERATIVE.test(hit[1]) && /(?<![\p{L}])(?:i|we|you|agents?|claude|must|should|please|want|and|to)\s+(?:\p{L}+\s)?(?:always|never)/iu.test(text)) return true;
  return command && (/(?<![\p{L}])(?:every time|each time|whenever|any ?time|without exception|at all times|(?:before|after|on|with|for|in) (?:every|each|any) \p{L}+)(?![\p{L}])/iu.test(text) || /(?<![\p{L}])always[.!]?$/iu.test(text)) && !/^(?:integrate|think|make it|show|explain|figure)\b/i.test(text);
}

/** "If x, always y". */
const WHEN_EVER = /^(?:if|when(?:ever)?|before|after|once|on|for)\s[^,]{3,100},\s*(?:then\s+|please\s+|you\s+)?(?:must\s+|should\s+)?(?:always|never)\s+\p{L}/iu;

/** A review asked for by what it has to find: "check that the tests don't …, don't … and are …" tells what the work must be like. */
const AUDIT = /^(?:please\s+)?(?:check|review|verify|make sure|ensure|double-check)\s[^.?!]{3,80}?\s(?:(?:so )?that|,?\s?(?:if|whether)) (?:they|it|all|each|every|none|no \p{L}+|the \p{L}+)\s(?:\p{L}+\s){0,2}?(?:(?:do|does|are|is|has|have)(?:n['’]?t| not)|never|only|must|always)(?![\p{L}])/iu;

/** What a team does as a habit; not what once happened to it. */
const WE_EVER = /(?<![\p{L}])we\s+(?:\p{L}+\s)?(?:always|never)\s+(?!(?:had|got|saw|did|was|were|been|said|knew|went|made|came|will|would|could|should|can|ran|wrote|\p{L}+ed)(?![\p{L}]))\p{L}/iu;

/** Marks of a sentence in another language that also uses words which English has. */
const OTHER_LATIN =
  /(?<![\p{L}])(?:nunca|siempre|usa|usar|uses|hagas|favor|los|las|und|nicht|bitte|immer|statt|niemals|verwende[nt]?|nutze[nt]?|der|das|wir|keine?|toujours|jamais|les|nous|utilise[rz]?|plutôt|sempre|usare|não|uma|isso|gebruik|altijd|nooit|niet|een|het|voor)(?![\p{L}])/iu;

/** A language whose instructions are told by cues alone. */
function isForeign(text: string): boolean {
  return !/^[\p{Script=Latin}\P{L}]+$/u.test(text) || OTHER_LATIN.test(text) || !ENGLISH.test(text);
}

const ENGLISH = /(?<![\p{L}])(?:the|a|to|is|are|of|in|and|you|it|use|run|not|do|we|i|this|that|for|with|on|my|be|when|please)(?![\p{L}])/iu;

type Rule = Omit<UserReading, 'scope' | 'standing'>;

/** Said of all cases, whichever they are: "for every test …", "… wherever we can". */
const WHEREVER = /(?<![\p{L}])(?:wherever|everywhere|whichever|(?:for|in|on|with|to|before|after) (?:every|each|any)(?! (?:one|other|of (?:these|those|them)))\s\p{L}+)(?![\p{L}])/iu;

/** Said of the work at hand, not of the project: "we use this branch for these changes". */
const OF_THIS_TASK = /(?<![\p{L}])(?:this|these|that|those)\s(?!(?:repo(?:sitory)?|project|code ?base|team|company|package|module|workspace|monorepo)(?![\p{L}])|(?:is|are|must|should|uses?|needs?)(?![\p{L}]))\p{L}+/iu;

/** Readings whose own words say that they hold on. */
const LASTING = new Set(['how we work', 'preferred', 'to be remembered']);

function readRule(text: string, command: boolean, strong: boolean, place: UserPlace): Rule | null {
  const question = /[?？]\s*$/u.test(text) && !REQUEST.test(text);
  const foreign = isForeign(text);
  if (question && !command) return null;
  if (ASKS.test(text) && !command && !strong) return null;
  if (AUDIT.test(text) && /,|(?<![\p{L}])and(?![\p{L}])/iu.test(text)) return { kind: 'preference', importance: 4, worth: 0.72, why: 'audited' };
  if (NOT_A_RULE.test(text) && !strong) return null;
  if (strong) return { kind: place.pushedBack ? 'correction' : 'preference', importance: 5, worth: 0.82, why: 'always or never' };
  if (REMEMBER.test(text) && !question) return { kind: 'fact', importance: 4, worth: 0.68, why: 'to be remembered' };
  if (/^(?:don['’]?t|do not|never|avoid|no more|keep away|(?:please )?stop \w+ing)\b/iu.test(text)) return { kind: place.pushedBack ? 'correction' : 'preference', importance: place.pushedBack ? 5 : 4, worth: 0.56, why: 'forbidden' };
  if (command && /[,;–—-]\s+(?:and\s+|but\s+|so\s+)?(?:please\s+)?(?:don['’]?t|do not|never|not)\s+\p{L}/iu.test(text)) return { kind: place.pushedBack ? 'correction' : 'preference', importance: place.pushedBack ? 5 : 4, worth: 0.52, why: 'forbidden' };
  if (foreign && PROHIBIT.test(text)) return { kind: place.pushedBack ? 'correction' : 'preference', importance: 4, worth: MUST.test(text) || place.pushedBack ? 0.56 : 0.48, why: 'forbidden' };
  if (/(?<![\p{L}])\w+ (?:shouldn['’]?t|should not|must not|mustn['’]?t|should never)\s/iu.test(text) && !question) return { kind: place.pushedBack ? 'correction' : 'decision', importance: place.pushedBack ? 5 : 4, worth: GENERIC.test(text) ? 0.6 : 0.54, why: 'forbidden' };
  if (WE_USE.test(text)) return { kind: /\b(?:don['’]?t|not|never|only)\b/i.test(text) ? 'decision' : 'fact', importance: 4, worth: 0.62, why: 'how we work' };
  if (INSTEAD.test(text) && (command || SHOULD.test(text) || MUST.test(text) || PREFER.test(text) || foreign)) return { kind: place.pushedBack ? 'correction' : 'decision', importance: place.pushedBack ? 5 : 4, worth: 0.58, why: 'instead' };
  if (STYLE.test(text) && text.split(/\s+/).length < 30 && /(?<![\p{L}])(?:should|so that|remains?|stay|keep|be|always|must|too|less|more readable|explain|answer|write|comments?|messages?|rule)(?![\p{L}])|[^\x00-\x7f]{4}/iu.test(text) && !/^(?:read|look|find|show|tell|check|review|see|make this)\b/i.test(text)) return { kind: 'preference', importance: 4, worth: 0.64, why: 'style' };
  if (/(?<![\p{L}])(?:i (?:really )?(?:prefer|hate|dislike)|i['’]?d rather|my preference|we prefer|préfère|bevorzuge|lieber|prefiero|prefiro|preferisco|предпочитаю)(?![\p{L}])|喜欢|偏好|選好|선호/iu.test(text)) return { kind: 'preference', importance: 4, worth: 0.66, why: 'preferred' };
  if (STANDING_WISH.test(text)) return { kind: 'preference', importance: 4, worth: 0.62, why: 'preferred' };
  if ((SHOULD.test(text) || MUST.test(text)) && !question) return { kind: 'decision', importance: 4, worth: shouldWorth(text), why: 'ought' };
  if (ONLY.test(text) && (command || foreign)) return { kind: 'decision', importance: 4, worth: 0.46, why: 'only' };
  if (CHOOSE.test(text)) return { kind: 'decision', importance: 4, worth: /(?<![\p{L}])(?:is settled|we decided|i decided|stick (?:with|to)|stay (?:on|with|at)|keep using|bleiben? bei)(?![\p{L}])/iu.test(text) ? 0.56 : 0.48, why: 'chosen' };
  if (PREFER.test(text) && WORK.test(text) && !/(?<![\p{L}])to\s+\p{Ll}+\s+(?:the|this|a|an)\b/iu.test(text)) return { kind: 'preference', importance: 4, worth: 0.46, why: 'wished' };
  if ((command || foreign) && WORK.test(text) && !question && !place.pushedBack && text.length < 160 && (CJK.test(text) ? text.length >= 9 : contentWords(text).length >= 4) && !STATEFUL.test(text) && !STATE_WORD.test(text)) return { kind: 'preference', importance: 4, worth: 0.4, why: 'asked' };
  if (command && WORK.test(text) && place.pushedBack) return { kind: 'correction', importance: 4, worth: 0.48, why: 'after a stop' };
  return null;
}

/** A wish for whatever comes: "we want whatever is easier to keep". */
const STANDING_WISH = /^(?:we|i)\s(?:\p{L}+\s)?(?:want|prefer|favou?r|value|choose|take|go for|go with)\s(?:[^.?!]{0,40}\s)?(?:whatever|whichever|wherever|whenever)(?![\p{L}])/iu;

/** "Agents should …", "tests must …", "we should be using …" is a rule; "the button should be blue" is a task. */
const GENERIC = /^(?:(?:the|all|any|every|our|your) )?(?:ai )?(?:agents?|claude|codex|you|we|code|comments?|tests?|commits?|prs?|branches|names?|errors?|functions?|files?|strings?|types?|docs?|changes|scripts?|nobody|nothing|everyone)(?![\p{L}])/iu;

function shouldWorth(text: string): number {
  if (/^(?:we|i|you)\s+(?:also\s+)?(?:need|have) (?:to\s|an?\s)|^(?:let me|in the|also)\b|[?？]/iu.test(text)) return 0.4;
  const only = ONLY.test(text) ? 0.06 : 0;
  if (GENERIC.test(text)) return 0.55 + only;
  return 0.46 + only;
}
