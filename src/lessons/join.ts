/**
 * Joins claims that say the same into one lesson. Of two claims that contradict each other, one
 * stays live.
 */
import { plainText } from '../text/fingerprint.js';
import { INSTEAD_TAG, isOfHand, type Lesson, type LessonEvent } from '../types.js';
import { FADED_BELOW, confidenceAt } from './confidence.js';
import type { ProjectClock } from './days.js';
import { isOpenToAgents } from './edits.js';
import { datesOf, type Forming } from './forming.js';
import { hasTwoSessions } from './merge.js';
import { eventKey, uniteEvidence } from './order.js';
import { connected, sayingTheSame } from './same.js';
import { compareText, sortedSet } from '../text/order.js';

/** Whether the person said that two lessons must not be joined. */
export type IsApart = (a: Lesson, b: Lesson) => boolean;

/** Whether a person wrote or pinned the lesson. */
export function isPersonsChoice(f: Forming): boolean {
  return f.isPersonsWording || f.lesson.pinned;
}

function linkSuperseded(winner: Lesson, loser: Lesson): void {
  winner.supersedes = sortedSet([...winner.supersedes, loser.id]);
  loser.superseded_by = winner.id;
}

/** The first member, in this order, of the first group that has members. */
function firstOf(
  groups: readonly (readonly Forming[])[],
  compare: (a: Lesson, b: Lesson) => number,
): Forming {
  return [...groups.find((members) => members.length > 0)!].sort(
    (a, b) => compare(a.lesson, b.lesson) || compareText(a.lesson.id, b.lesson.id),
  )[0]!;
}

/** A lesson of unknown day sorts last in both orders. */
function oldestFirst(a: Lesson, b: Lesson): number {
  return compareText(a.first_seen || '~', b.first_seen || '~');
}
function newestFirst(a: Lesson, b: Lesson): number {
  return compareText(b.last_seen, a.last_seen);
}

/**
 * The oldest lesson keeps its id. Its text is the person's wording, else a pinned one, else the
 * newest.
 */
function oldestOf(members: readonly Forming[]): Forming {
  const winner = firstOf([members], oldestFirst);
  const groups = [
    members.filter((m) => m.isPersonsWording),
    members.filter(isPersonsChoice),
    members,
  ];
  const shown = firstOf(groups, newestFirst);
  const { kind, text, importance, said_by } = winner.lesson;
  if (shown.isPersonsWording && !winner.isPersonsWording) {
    winner.lesson.kind = shown.lesson.kind;
    winner.lesson.said_by = shown.lesson.said_by;
    winner.isPersonsWording = true;
  }
  if (shown.lesson.text !== text) {
    winner.lesson.learnt ??= { kind, text, importance, said_by };
    winner.lesson.text = shown.lesson.text;
  }
  winner.lesson.pinned ||= members.some(({ lesson }) => lesson.pinned);
  return winner;
}

/**
 * Of lessons with equal words: one that the person wrote or pinned, else one that the person said.
 */
function personsOf(members: readonly Forming[]): Forming {
  const groups = [
    members.filter(isPersonsChoice),
    members.filter(({ lesson }) => lesson.said_by === 'user'),
    members,
  ];
  return firstOf(groups, newestFirst);
}

/**
 * Unites the events of lessons that say the same in one of them, which supersedes the others. If an
 * agent or a person forgot one, the others that they may forget are forgotten, too. Changes the
 * lessons.
 */
export function joinGroup(
  members: readonly Forming[],
  winnerOf: (members: readonly Forming[]) => Forming = personsOf,
): void {
  if (members.some((m) => m.forgotten === 'person')) {
    for (const m of members) if (!isPersonsChoice(m)) m.forgotten = 'person';
    return;
  }
  // If an agent forgets its own version of something that a person said, the person's lesson stays.
  if (members.some((m) => m.forgotten))
    for (const m of members) if (isOpenToAgents(m.lesson, 'forget')) m.forgotten = 'agent';
  const left = members.filter((m) => !m.forgotten);
  if (left.length < 2) return;
  const evidence = uniteEvidence(left.flatMap((m) => m.lesson.evidence));
  const winner = winnerOf(left);
  winner.admitted ||= left.some((m) => m.admitted) || hasTwoSessions(evidence);
  winner.lesson.importance = Math.max(
    ...left.map((m) => m.lesson.importance),
  ) as Lesson['importance'];
  winner.lesson.tags = sortedSet(left.flatMap((m) => m.lesson.tags));
  Object.assign(winner.lesson, { evidence, ...datesOf(evidence) });
  for (const m of left.filter((each) => each !== winner)) {
    linkSuperseded(winner.lesson, m.lesson);
    m.admitted ||= winner.admitted;
  }
}

/**
 * Joins the claims of one project (or the global ones) that say the same. Claims of the person are
 * joined only if their words are equal, so that none replaces a different one. Changes the lessons.
 */
export function joinSame(forming: readonly Forming[], isApart: IsApart): void {
  const areApart = (a: Forming, b: Forming): boolean => isApart(a.lesson, b.lesson);
  // Two facts are the same only if their keys are equal, so they are not joined here.
  const claims = forming
    .filter(({ lesson }) => lesson.fact === null)
    .sort((a, b) => compareText(a.lesson.id, b.lesson.id));
  const wordings = ({ lesson: { text, learnt } }: Forming): string[] =>
    [text, ...(learnt ? [learnt.text] : [])].map(plainText);
  const equal = connected(claims, wordings, (a, b) => !areApart(a, b));
  const isPersons = ({ lesson }: Forming): boolean => lesson.said_by === 'user';
  for (const group of equal.filter((members) => members.some(isPersons))) joinGroup(group);
  // A forgotten lesson supersedes no other, but lessons that say the same are forgotten with it.
  const others = claims.filter(
    (f) =>
      f.lesson.superseded_by === null &&
      ((f.lesson.learnt?.said_by ?? f.lesson.said_by) !== 'user' || f.forgotten !== false),
  );
  const textOf = ({ lesson }: Forming): string => lesson.learnt?.text ?? lesson.text;
  for (const group of sayingTheSame(others, textOf, areApart)) joinGroup(group, oldestOf);
}

/**
 * Of two lessons that a model found to contradict each other, the later one supersedes the other.
 * An agent's lesson never supersedes the person's or a pinned one. Changes the lessons' links.
 */
export function supersedeByClaim(forming: readonly Forming[], isApart: IsApart): void {
  const open = forming.filter((f) => f.admitted && !f.forgotten && !f.isPersonsWording);
  const byId = new Map(open.map(({ lesson }) => [lesson.id, lesson]));
  for (const { lesson } of [...open].sort((a, b) => compareText(a.lesson.id, b.lesson.id)))
    for (const tag of lesson.tags.filter((one) => one.startsWith(INSTEAD_TAG))) {
      const other = byId.get(tag.slice(INSTEAD_TAG.length));
      if (
        !other ||
        other === lesson ||
        lesson.superseded_by !== null ||
        other.superseded_by !== null
      )
        continue;
      if (isApart(lesson, other)) continue;
      const [winner, loser] =
        newestDay(lesson) >= newestDay(other) ? [lesson, other] : [other, lesson];
      if (!loser.pinned && (loser.said_by !== 'user' || winner.said_by === 'user'))
        linkSuperseded(winner, loser);
    }
}

function newestDay({ evidence }: Lesson): string {
  return evidence.reduce(
    (newest, { supports, day }) => (supports && day > newest ? day : newest),
    '',
  );
}

/**
 * The lesson with confidence and status, computed from its links, its age and its edits. Pinned
 * lessons never fade.
 */
export function lessonAt(lesson: Lesson, clock: ProjectClock): Lesson {
  const confidence = confidenceAt(lesson, clock);
  const isFaded = confidence < FADED_BELOW && !lesson.pinned;
  const status =
    lesson.status === 'forgotten'
      ? 'forgotten'
      : lesson.superseded_by !== null
        ? 'superseded'
        : isFaded
          ? 'faded'
          : 'live';
  return { ...lesson, confidence, status };
}

/** A lesson of the database or of a crystal. */
interface Joined {
  evidence: LessonEvent[];
  supersedes: readonly string[];
}

/**
 * Lessons without the events of the lessons that they superseded, so that all can be joined again
 * in other groups. A lesson with no supporting event of its own keeps all events.
 */
export function withOwnEvents<L extends Joined>(
  lessons: readonly L[],
  idOf: (lesson: L) => string,
  superseded_by: (lesson: L) => string | null | undefined,
): L[] {
  const byId = new Map(lessons.map((lesson) => [idOf(lesson), lesson]));
  return lessons.map((lesson) => {
    const joined = new Set(
      lesson.supersedes
        .flatMap((id) => byId.get(id) ?? [])
        .filter((other) => superseded_by(other) === idOf(lesson))
        .flatMap(({ evidence }) => evidence.map(eventKey)),
    );
    if (joined.size === 0) return lesson;
    const evidence = lesson.evidence.filter((event) => !joined.has(eventKey(event)));
    return evidence.some((event) => event.supports && !isOfHand(event))
      ? { ...lesson, evidence }
      : lesson;
  });
}
