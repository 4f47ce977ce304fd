/** What the person said that holds beyond this session; most sentences yield nothing. */
import { type Said, type Weights, explain, judge, saysItLasts } from '../../judge/index.js';
import { LASTS_TAG, type Candidate, type Entry } from '../../types.js';
import { sessionRoots, changesOf } from '../commands/runs.js';
import { REQUEST } from './language-turns.js';
import type { Sentence } from './split.js';
import type { JudgedInput, SessionInput } from '../session.js';
import { reasonTag, toCandidate } from './statement.js';
import { isOfTheMoment, surroundingsOf } from './surroundings.js';
import { type Turn, isQuestion } from '../user-turns.js';
import { dangles } from './subject.js';
import { fit, isWhole, plain, polish, tighten, unframe } from './wording.js';
import { namesOn } from '../agent-texts.js';
import { entityKeys } from './entities.js';

/** From this probability on a sentence that was said once is enough. */
const STANDS = 0.2;
/** Below this a sentence is dropped, even when two sessions said it. */
const LEAST_STANDING = 0.06;
/**
 * A sentence that says "always", "never" or "from now on" needs only this, and then has EXPLICIT_WORTH, which context.md shows.
 * Of 4,108 typed sentences of ten projects 19 say it with 0.08 or more, 14 of them lasting and 8 worth keeping; with 0.12 or
 * more 15, 12 and 8.
 */
const STANDS_IF_EXPLICIT = { early: 0.08, late: 0.15 };
const EXPLICIT_WORTH = 0.5;
/** Longer sentences are taken for pasted text. */
const LONGEST = 500;
/** Openings that the lesson does not need. */
const FROM_HERE =
  /^(?:from now on|going forward|from here on|in (?:the )?future|next time|ab (?:jetzt|sofort)|künftig|in zukunft|désormais|dorénavant|à partir de maintenant|a partir de ahora|de ahora en adelante|a partir de agora|d['’]ora in poi|vanaf nu|впредь|отныне|с этого момента)[,:]?\s+/iu;
/** Trust in what a person typed. */
const USER = 0.9;

/** Whether a sentence that a person typed says by itself that it holds beyond the session. */
export function saysStanding(weights: Weights, text: string): boolean {
  const alone = { position: 0, of: 1, lastOfTurn: false, reply: null, after: null, place: null };
  const { standing } = judge(weights, { role: 'user', text, ...alone });
  const lasts = saysItLasts(text);
  return standing >= (lasts === null ? STANDS : STANDS_IF_EXPLICIT[lasts]);
}

/** Entries must be in order. */
export function extractUserSentences(session: JudgedInput, turns: readonly Turn[]): Candidate[] {
  const around = surroundingsOf(session.entries);
  const isDone = carriedOut(session.entries, turns, sessionRoots(session));
  const out = new Map<string, Candidate>();
  for (const turn of turns) {
    if (turn.type === 'pasted' || turn.type === 'approval' || turn.type === 'pick') continue;
    turn.sentences.forEach((sentence, position) => {
      const said = { ...around.get(turn.entry.id)!, text: sentence.text, position, of: turn.sentences.length };
      const candidate = candidateOf(session, turn, sentence, said, isDone);
      const before = candidate && out.get(candidate.key);
      if (candidate && (!before || candidate.worth > before.worth)) out.set(candidate.key, candidate);
    });
  }
  const tongue = readTongue(session, turns);
  return [...out.values(), ...(tongue ? [tongue] : [])];
}

function candidateOf(
  session: JudgedInput,
  turn: Turn,
  sentence: Sentence,
  said: Said,
  isDone: (turn: Turn, text: string) => boolean,
): Candidate | null {
  const { standing } = judge(session.judge, said);
  if (standing < LEAST_STANDING) return null;
  const text = wordUserSentence(plain(sentence.text));
  if (text === null || isOfTheMoment(text)) return null;
  const corrects = turn.pushedBack && sentence.block === 0;
  const lasts = saysItLasts(sentence.text);
  const explicit = lasts !== null && standing >= STANDS_IF_EXPLICIT[lasts];
  // A request that was carried out at once was a task, unless it says that it holds on; asked for again in another session it is
  // a habit.
  const alone = explicit || (standing >= STANDS && (lasts !== null || !isDone(turn, sentence.text)));
  return toCandidate(session, {
    kind: corrects ? 'correction' : 'preference',
    text: polish(text.replace(FROM_HERE, '')),
    quote: sentence.text,
    entry: turn.entry,
    saidBy: 'user',
    importance: corrects || explicit ? 5 : 4,
    trust: USER,
    worth: explicit ? Math.max(standing, EXPLICIT_WORTH) : standing,
    alone,
    tags: ['said', ...(explicit ? [LASTS_TAG] : []), reasonTag(standing, explain(session.judge, said))],
  });
}

/**
 * A typed sentence as a statement that stands alone: politeness off, requests in question form as instructions; null when it
 * cannot.
 */
function wordUserSentence(said: string): string | null {
  if (said.length < 8 || said.length > LONGEST || isQuestion(said)) return null;
  const plainly = said.replace(/^[¿¡]\s*/u, '').replace(/,?\s+(?:please|pls|bitte)(?=[,;])/giu, '');
  const open = unframe(plainly.replace(REQUEST, ''));
  const asked =
    open !== plainly && /[?？]\s*$/u.test(said) ? open.replace(/,?\s*(?:right|ok|okay|please|or)?\s*[?？]+\s*$/iu, '') : open;
  const text = fit(polish(tighten(asked)));
  if (text === null || text.length < 8 || !isWhole(text) || /[?？]$/u.test(text)) return null;
  return dangles(text) && !/^(?:that|this) way/i.test(text) ? null : text;
}

const TONGUES: readonly [string, RegExp][] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Korean', /\p{Script=Hangul}/u],
  ['Chinese', /\p{Script=Han}/u],
  ['Russian', /(?:^|\s)(?:и|не|что|на|это|как|для|с|в)(?=\s)/iu],
  ['German', /(?:^|\s)(?:und|nicht|das|ist|bitte|die|der|wir|auch)(?=\s)/iu],
  ['French', /(?:^|\s)(?:les|des|est|pas|une|pour|dans|avec|le)(?=\s)/iu],
  ['Spanish', /(?:^|\s)(?:los|las|que|para|una|por favor|está|con|el)(?=\s)/iu],
  ['Portuguese', /(?:^|\s)(?:não|que|para|uma|você|isso|está|com|os)(?=\s)/iu],
  ['Italian', /(?:^|\s)(?:che|non|gli|per|una|con|questo|il|è)(?=\s)/iu],
];

/** The language of a text when it is not English, else null; two common words are asked for where scripts do not tell. */
function tongueOf(text: string): string | null {
  for (const [name, sign] of TONGUES) {
    const hits = text.match(new RegExp(sign.source, `${sign.flags}g`)) ?? [];
    const script = sign.source.includes('Script');
    if (script ? hits.length >= 3 : new Set(hits.map((hit) => hit.trim().toLowerCase())).size >= 3) return name;
  }
  return null;
}

/** The person's language when most turns of a session share one that is not English. Needs a second session to count. */
function readTongue(session: SessionInput, turns: readonly Turn[]): Candidate | null {
  const own = turns.filter((turn) => turn.type !== 'pasted' && turn.typed.length >= 8);
  const counts = new Map<string, number>();
  for (const turn of own) {
    const tongue = tongueOf(turn.typed);
    if (tongue) counts.set(tongue, (counts.get(tongue) ?? 0) + 1);
  }
  const [name, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  const shown = own.find((turn) => tongueOf(turn.typed) === name);
  if (!shown || count < 2 || count * 2 <= own.length) return null;
  return toCandidate(session, {
    kind: 'preference',
    text: `The user writes ${name}: answer in ${name}`,
    key: 'user language',
    quote: shown.typed,
    entry: shown.entry,
    saidBy: 'observed',
    importance: 3,
    trust: 0.6,
    worth: 0.55,
    alone: false,
    tags: ['language'],
  });
}

// Which requests of a person the agent carried out before they spoke again: such a sentence was a task, not a standing wish.

/** What the agent did between one message of the person and the next. */
interface Done {
  /** Files that it changed, by path and by last part, and names on the lines that it changed. */
  names: ReadonlySet<string>;
  commands: readonly string[];
}

/** Longer shell texts are taken for scripts and not searched. */
const LONGEST_COMMAND = 2000;

function doneBy(entries: readonly Entry[], roots: string[]): Done {
  const names = new Set<string>();
  for (const { file, entry } of changesOf([...entries], roots)) {
    const path = file.toLowerCase();
    names.add(path).add(path.split('/').at(-1)!);
    for (const sign of ['+', '-'] as const) for (const name of namesOn(sign, entry.text)) names.add(name);
  }
  const commands = entries.flatMap(({ role, command, copied }) =>
    role === 'tool_call' && command !== null && !copied ? [` ${command.slice(0, LONGEST_COMMAND).toLowerCase()} `] : [],
  );
  return { names, commands };
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
function runs(name: string, { commands }: Done): boolean {
  const whole = new RegExp(`(?<![\\w./-])${escaped(name)}(?![\\w-])`);
  return commands.some((command) => whole.test(command));
}

/**
 * For each typed message: whether a sentence of it names something that the agent changed or ran before the person spoke again.
 * Entries must be in order.
 */
function carriedOut(entries: readonly Entry[], turns: readonly Turn[], roots: string[]): (turn: Turn, text: string) => boolean {
  const at = new Map(entries.map((entry, index) => [entry.id, index] as const));
  const starts = turns.map(({ entry }) => at.get(entry.id)!);
  const known = new Map<Turn, Done>();
  const doneAfter = (turn: Turn): Done => {
    const from = at.get(turn.entry.id)!;
    const done =
      known.get(turn) ?? doneBy(entries.slice(from + 1, starts.find((start) => start > from) ?? entries.length), roots);
    known.set(turn, done);
    return done;
  };
  return (turn, text) => {
    const names = [...entityKeys(text)];
    if (names.length === 0) return false;
    const done = doneAfter(turn);
    return names.some((name) => done.names.has(name) || runs(name, done));
  };
}
