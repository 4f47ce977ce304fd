import type { Candidate } from '../types.js';
import { REQUEST } from './language-turns.js';
import type { Sentence } from './sentences-split.js';
import type { SessionInput } from './session.js';
import { toCandidate } from './statement.js';
import { ALONE, readUserSentence, saysItLasts } from './user-class.js';
import { readAnswer } from './user-answers.js';
import { readPick } from './user-picks.js';
import { asStyleWish } from './user-style.js';
import { readTongue } from './user-tongue.js';
import { isQuestion, readTurns, type Turn } from './user-turns.js';
import { fit, isWhole, plain, polish, tighten, unframe } from './wording.js';
import { dangles } from './wording-subject.js';

/** Longer sentences are pasted. */
const LONGEST = 500;
/** Said once, it holds on: the words go. */
const FROM_HERE = /^(?:from now on|going forward|from here on|in (?:the )?future|next time|ab (?:jetzt|sofort)|künftig|in zukunft|désormais|dorénavant|à partir de maintenant|a partir de ahora|de ahora en adelante|a partir de agora|d['’]ora in poi|vanaf nu|впредь|отныне|с этого момента)[,:]?\s+/iu;
/** A complaint that quotes the rule: "x doesn't keep the rule that …" states the rule. */
const BROKEN_RULE = /^.{3,120}?\s(?:(?:does(?:n['’]t| not)|do(?:n['’]t| not)|didn['’]t|did not) (?:adhere to|follow|respect|obey|honou?r|keep(?: to)?)|violates?|breaks?|broke|ignores?) (?:the|our) (?:\p{L}+ )?(?:invariant|rule|convention|contract|principle|guideline) that\s+(?=.*(?<!\p{L})(?:must|never|always|only|should|has to|have to|cannot)(?!\p{L}))/iu;
/** Trust in what a person typed. */
const USER = 0.9;

/** What the person said that holds beyond this session. Entries must be in order; most sentences are nothing. */
export function extractUserSentences(session: SessionInput): Candidate[] {
  const turns = readTurns(session.entries);
  const out = new Map<string, Candidate>();
  const keep = (candidate: Candidate | null): void => {
    if (!candidate) return;
    const id = `${candidate.kind}\0${candidate.scope}\0${candidate.key}`;
    const before = out.get(id);
    if (!before || candidate.worth > before.worth) out.set(id, candidate);
  };
  for (const turn of turns) {
    keep(pickOf(session, turn));
    if (turn.type === 'pasted' || turn.type === 'approval') continue;
    for (const sentence of turn.sentences) keep(candidateOf(session, turn, sentence));
  }
  keep(readTongue(session, turns));
  return [...out.values()];
}

function candidateOf(session: SessionInput, turn: Turn, sentence: Sentence): Candidate | null {
  const said = plain(sentence.text);
  const reply = turn.place === 'middle' || turn.place === 'last';
  const wish = asStyleWish(said);
  const common = { entry: turn.entry, saidBy: 'user' as const, trust: USER, quote: sentence.text };
  if (wish) return toCandidate(session, { ...common, kind: 'preference', text: ownWords(said) ?? wish.text, key: wish.key, importance: 4, worth: 0.7, alone: saysItLasts(said), tags: ['style'] });
  const text = wordUserSentence(said);
  if (text === null) return null;
  const reading = readUserSentence(text, said, { pushedBack: turn.pushedBack && sentence.block === 0, reply });
  if (!reading) return null;
  return toCandidate(session, { ...common, kind: reading.kind, text: polish(text.replace(FROM_HERE, '')), importance: reading.importance, worth: reading.worth, alone: reading.standing && reading.worth >= ALONE, scope: reading.scope, tags: ['said', reading.why.replace(/ /g, '-')] });
}

/** The person's own words for a wish, when they are an instruction of a few words. */
function ownWords(said: string): string | null {
  const text = wordUserSentence(said);
  if (text === null || !/^(?:keep|no|always|never)\b/iu.test(text)) return null;
  const words = text.split(/\s+/).length;
  return words >= 4 && words <= 16 ? text : null;
}

/** A typed sentence as a statement that stands alone: politeness off, requests in question form as instructions; null when it cannot. */
function wordUserSentence(said: string): string | null {
  if (said.length < 8 || said.length > LONGEST || isQuestion(said)) return null;
  const plainly = said.replace(/^[¿¡]\s*/u, '').replace(/,?\s+(?:please|pls|bitte)(?=[,;])/giu, '');
  const open = unframe(plainly.replace(REQUEST, '').replace(BROKEN_RULE, ''));
  const asked = open !== plainly && /[?？]\s*$/u.test(said) ? open.replace(/,?\s*(?:right|ok|okay|please|or)?\s*[?？]+\s*$/iu, '') : open;
  const text = fit(polish(tighten(asked)));
  if (text === null || text.length < 8 || !isWhole(text) || /[?？]$/u.test(text)) return null;
  return dangles(text) && !/^(?:that|this) way/i.test(text) ? null : text;
}

function pickOf(session: SessionInput, turn: Turn): Candidate | null {
  const pick = turn.type === 'pick' || turn.type === 'approval' ? readPick(turn) : readAnswer(turn);
  if (!pick) return null;
  return toCandidate(session, {
    kind: 'decision',
    text: pick.text,
    quote: `${turn.typed} (to: ${pick.offer})`,
    entry: turn.entry,
    saidBy: 'user',
    importance: 4,
    trust: USER,
    worth: 0.6,
    // "Let's do B" settles this task; a rule that says always settles more.
    alone: saysItLasts(pick.text),
    tags: ['said', 'picked'],
  });
}
