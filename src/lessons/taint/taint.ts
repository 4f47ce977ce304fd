/**
 * What came in from outside is not learnt until the user types it. It guards what can harm: a
 * harmless command that ran and passed in a session in which no foreign text had named it is clean
 * evidence, whatever a page says elsewhere. What fetches, weakens safety or sends data is withheld
 * on the whole machine once foreign text named it first; within a session the record's order
 * decides, never equal times.
 */

import {
  sessionKey,
  type Candidate,
  type Lesson,
  type Origin,
  type Occurrence,
} from '../../types.js';
import { mergeCandidates } from '../merge.js';
import { isOwn, reachOf, riskOf, type Risk } from './risk.js';
import { inGroup } from '../sessions.js';
import { nameKey, readable } from '../../text/plain-names.js';
import { codeSpans } from '../wording.js';
import { placesIn, proseRisk } from './agents-prose.js';

const URL_IN_TEXT = /\b(?:https?|ftp):\/\/[^\s`'")>\]]+/gi;

/** Of two origins at one place the less trusted one is taken for the first. */
const DISTRUST: Readonly<Record<Origin, number>> = {
  external: 4,
  injected: 3,
  tool: 2,
  agent: 1,
  user: 0,
};
const FOREIGN: ReadonlySet<Origin> = new Set(['external', 'injected']);

/** Who named a token first in each session, and whether the user ever typed it. */
interface FirstSights {
  typed: boolean;
  /** Session -> its first sight. */
  first: Map<string, Occurrence>;
}

/** What is known of the sights of tokens. */
export type Sights = Pick<ReadonlyMap<string, FirstSights>, 'get' | 'has'>;

/** Occurrences without a session are one session of unknown project. */
function keyOf(s: Occurrence): string {
  return sessionKey(s.agent ?? '', s.session ?? '');
}

/**
 * Within a session by the record's order; occurrences that were stored without it by time, the less
 * trusted first.
 */
function isEarlier(a: Occurrence, b: Occurrence): boolean {
  if (a.seq != null && b.seq != null && a.seq !== b.seq) return a.seq < b.seq;
  return a.time !== b.time ? a.time < b.time : DISTRUST[a.origin] > DISTRUST[b.origin];
}

/** First sight of every token in every session, whatever order the occurrences come in. */
export function firstSights(occurrences: readonly Occurrence[]): Sights {
  const seen = new Map<string, FirstSights>();
  for (const s of occurrences) {
    const token = nameKey(s.token);
    const of = seen.get(token) ?? { typed: false, first: new Map<string, Occurrence>() };
    seen.set(token, of);
    of.typed ||= s.origin === 'user';
    const old = of.first.get(keyOf(s));
    if (!old || isEarlier(s, old)) of.first.set(keyOf(s), s);
  }
  return { get: (token) => seen.get(nameKey(token)), has: (token) => seen.has(nameKey(token)) };
}

/**
 * The same when only the sights of some tokens were loaded: all that a machine ever saw may be
 * millions, and lessons ask for hundreds.
 * @param asked tokens whose occurrences are all here
 * @param missing takes up the others that are looked for; an answer that needed one of them does
 * not hold
 */
export function partialSights(
  occurrences: readonly Occurrence[],
  asked: ReadonlySet<string>,
  missing: Set<string>,
): Sights {
  const sights = firstSights(occurrences);
  const noted = (name: string): string => {
    const token = nameKey(name);
    if (!asked.has(token)) missing.add(token);
    return token;
  };
  return { get: (token) => sights.get(noted(token)), has: (token) => sights.has(noted(token)) };
}

/**
 * Tokens whose sights decide about these candidates and texts, as far as that can be said before
 * they are joined.
 */
export function tokensAsked(
  candidates: readonly Pick<Candidate, 'mentions' | 'text'>[],
  texts: readonly string[],
): string[] {
  return [
    ...new Set(
      [
        ...candidates.flatMap(({ mentions, text }) => [
          ...mentions,
          ...tokensOfText(text),
          ...placesIn(text),
        ]),
        ...texts.flatMap((text) => [...tokensOfText(text), ...placesIn(text)]),
      ].map(nameKey),
    ),
  ];
}

/**
 * The foreign sight that no other session's own sight precedes; at equal times of two sessions the
 * foreign one counts as first.
 */
function foreignFirst(
  { first }: FirstSights,
  isForeign: (s: Occurrence) => boolean,
): Occurrence | null {
  const oldest = (of: readonly Occurrence[]): Occurrence | undefined =>
    of.reduce<Occurrence | undefined>(
      (old, s) => (old === undefined || s.time < old.time ? s : old),
      undefined,
    );
  const all = [...first.values()];
  const [foreign, own] = [oldest(all.filter(isForeign)), oldest(all.filter((s) => !isForeign(s)))];
  return foreign && (!own || foreign.time <= own.time) ? foreign : null;
}

/**
 * Whose lesson is looked at: foreign sights of other projects, or of other sessions, do not touch
 * what is harmless.
 */
interface TaintScope {
  /** Project id, or null for what is true everywhere. */
  project: string | null;
  /** `agent\0session` that the candidate comes from; null when only the crystal remembers it. */
  session: string | null;
  packages: ReadonlySet<string>;
}

const SOURCE: Readonly<Record<Origin, string>> = {
  external: 'a page or another service',
  injected: 'text given to the agent',
  tool: "a local tool's output",
  agent: 'the agent',
  user: 'the user',
};
function named(token: string, s: Occurrence, more = ''): string {
  return `${SOURCE[s.origin]} named \`${token}\` first${s.time === '' ? '' : `, on ${s.time.slice(0, 10)}`}${more}`;
}

/** Risks that nothing but the person's own typing clears. */
const UNTIL_TYPED: Readonly<Partial<Record<Risk, string>>> = {
  weakens: 'weakens safety, or changes how later commands run',
  destroys: 'destroys what does not come back',
  evaluates: 'runs code that it contains',
};
/**
 * Of what only an agent says: it may repeat a page that no log shows, so it waits for the person
 * whoever named it first.
 */
const UNTIL_APPROVED = 'brings something in or carries it out';

/** An address of this machine brings nothing in. */
const LOCAL = /^\w+:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i;

/** Why one token is withheld; null when it is not. */
function reasonOf(
  token: string,
  seen: FirstSights | undefined,
  place: TaintScope,
  risks: ReadonlySet<Risk | null>,
  isShown: boolean,
  isAgents: boolean,
): string | null {
  if (seen?.typed) return null;
  const risk = riskOf(token, place.packages);
  // Code in a command that a lesson does not show is only its context: then it matters who named
  // it.
  const alone = risk === null || (risk === 'evaluates' && !isShown) ? undefined : UNTIL_TYPED[risk];
  if (alone !== undefined) return `\`${token}\` ${alone}, and nobody typed it`;
  const waits =
    isAgents && risk !== null && !LOCAL.test(token)
      ? `\`${token}\` ${UNTIL_APPROVED}, and nobody typed it`
      : null;
  if (!seen) return waits;
  const isCommand = /\s/.test(token);
  // A package, host or image is judged with the command that would fetch it.
  const worst =
    risk === 'evaluates'
      ? 'fetches'
      : (risk ??
        (isCommand
          ? null
          : risks.has('fetches')
            ? 'fetches'
            : risks.has('sends')
              ? 'sends'
              : null));
  if (worst !== null) {
    const s = foreignFirst(
      seen,
      (each) => FOREIGN.has(each.origin) || (each.origin === 'tool' && worst === 'fetches'),
    );
    return s === null
      ? waits
      : named(token, s, worst === 'sends' ? '; it sends data' : '; it brings something in');
  }
  const reach = reachOf(token, place.packages);
  if (reach === 'session') {
    if (place.session === null) return null;
    const s = seen.first.get(place.session) ?? seen.first.get(sessionKey('', ''));
    return s && FOREIGN.has(s.origin) ? named(token, s, ' in the session that shows it') : null;
  }
  const isNear = ([, s]: [string, Occurrence]): boolean =>
    place.project === null || s.project === undefined || s.project === place.project;
  const near = { ...seen, first: new Map([...seen.first].filter(isNear)) };
  const s = foreignFirst(reach === 'machine' ? seen : near, (each) => FOREIGN.has(each.origin));
  if (s !== null) return named(token, s);
  // A local tool's output may name what the project itself holds; any other program, script or file
  // that it brings up is foreign code.
  if ((!isCommand && reach === 'machine') || isOwn(token, place.packages)) return null;
  const told = foreignFirst(near, (each) => each.origin === 'tool');
  return told && named(token, told, '; nothing of the project names it');
}

function tokensOfText(text: string): string[] {
  const plain = readable(text);
  return [
    ...codeSpans(text),
    ...new Set([text, plain].flatMap((each) => each.match(URL_IN_TEXT) ?? [])),
  ];
}

function whyWithheld(
  tokens: readonly string[],
  text: string,
  sights: Sights,
  place: TaintScope,
  isAgents: boolean,
): string | null {
  const shown = new Set(tokensOfText(text));
  const all = [...new Set(tokens)];
  const risks = new Set(all.map((token) => riskOf(token, place.packages)));
  for (const token of all) {
    const reason = reasonOf(token, sights.get(token), place, risks, shown.has(token), isAgents);
    if (reason !== null) return reason;
  }
  return isAgents
    ? proseRisk(text, place.packages, (name) => sights.get(name)?.typed === true)
    : null;
}

/** A person's own words are theirs, whatever they name. */
function isTyped(c: { saidBy: string; evidence: { supports: boolean } }): boolean {
  return c.saidBy === 'user' || !c.evidence.supports;
}

/**
 * Why a candidate is withheld; its text's own code spans and URLs count as well as what the
 * extractor listed.
 */
function whyCandidate(
  c: Candidate,
  sights: Sights,
  place: Omit<TaintScope, 'session'>,
): string | null {
  return whyWithheld(
    [...c.mentions, ...tokensOfText(c.text)].filter((token) => !isTyped(c) || sights.has(token)),
    c.text,
    sights,
    { ...place, session: sessionKey(c.evidence.agent, c.evidence.session) },
    c.saidBy === 'agent' && c.evidence.supports,
  );
}

/** Candidates that bring nothing tainted in. */
export function withoutTainted(
  candidates: readonly Candidate[],
  sights: Sights,
  place: Omit<TaintScope, 'session'>,
): Candidate[] {
  return candidates.filter((c) => whyCandidate(c, sights, place) === null);
}

/**
 * The same for lessons that the crystal remembers: a log read later may show where a command really
 * came from.
 */
export function withoutTaintedLessons(
  lessons: readonly Lesson[],
  sights: Sights,
  place: Omit<TaintScope, 'session'>,
): Lesson[] {
  return lessons.filter((lesson) => whyLesson(lesson, sights, place) === null);
}

/** Why a lesson's words are withheld; null when they are not. */
export function whyLesson(
  { text, saidBy }: Pick<Lesson, 'text' | 'saidBy'>,
  sights: Sights,
  place: Omit<TaintScope, 'session'>,
): string | null {
  const tokens = tokensOfText(text).filter((token) => saidBy !== 'user' || sights.has(token));
  return whyWithheld(tokens, text, sights, { ...place, session: null }, saidBy === 'agent');
}

/** A lesson that taint keeps out, and why. */
export interface Withheld {
  lesson: Lesson;
  reason: string;
}

/**
 * What would be lessons without taint, in id order; `known` are ids that clean evidence admitted.
 */
export function withheldLessons(
  candidates: readonly Candidate[],
  sights: Sights,
  place: Omit<TaintScope, 'session'>,
  known: ReadonlySet<string>,
  groups: ReadonlyMap<string, string>,
): Withheld[] {
  const reasons = new Map<Candidate, string>();
  for (const c of candidates) {
    const reason = whyCandidate(c, sights, place);
    if (reason !== null) reasons.set(c, reason);
  }
  const byEntry = new Map(
    [...reasons].map(([c, reason]) => [`${c.kind}\0${c.key}`, reason] as const),
  );
  return mergeCandidates(
    place.project,
    [...reasons.keys()].map((candidate) => inGroup(candidate, groups)),
    [],
  )
    .filter((f) => f.admitted && !known.has(f.lesson.id))
    .map(({ lesson }) => ({ lesson, reason: byEntry.get(`${lesson.kind}\0${lesson.key}`)! }));
}
