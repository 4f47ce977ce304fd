/** Merges candidates of one kind, scope and key into one lesson; their order has no effect. */

import type { Candidate, LessonEvent, Lesson, SaidBy } from '../types.js';
import { blankLesson, datesOf, topTrust, type Forming } from './forming.js';
import { lessonId } from './identity.js';
import { uniteEvidence } from './order.js';
import { countSessions } from './sessions.js';
import { compareText, sortedSet } from '../text/order.js';

/** Largest number of files of one lesson; more do not help to find the lesson. */
const MAX_FILES = 20;

const SPEAKER_RANK: Readonly<Record<SaidBy, number>> = { user: 2, observed: 1, agent: 0 };

/** A text that may become the lesson's text, with the fields that decide. */
interface Wording {
  text: string;
  correction: boolean;
  trust: number;
  day: string;
  extractor: number;
  worth: number;
}

/**
 * Best first: the user's correction, then higher trust, newer day, later extractor, higher worth,
 * and at last the order of the texts. `uniteLesson` of crystals uses this order too, so that
 * machines agree.
 */
function compareWordings(a: Wording, b: Wording): number {
  return (
    Number(b.correction) - Number(a.correction) ||
    b.trust - a.trust ||
    compareText(b.day, a.day) ||
    b.extractor - a.extractor ||
    b.worth - a.worth ||
    compareText(a.text, b.text)
  );
}

function isCorrection(c: { kind: string; said_by: SaidBy; importance: number }): boolean {
  return c.said_by === 'user' && (c.kind === 'correction' || c.importance === 5);
}

function wordingOf(c: Candidate | Lesson): Wording {
  const { text, extractor, worth, evidence } = c;
  const { trust, day } = Array.isArray(evidence)
    ? { trust: topTrust(evidence), day: datesOf(evidence).last_seen }
    : evidence;
  return { text, correction: isCorrection(c), trust, day, extractor, worth };
}

function topSpeaker(speakers: readonly SaidBy[]): SaidBy {
  return speakers.reduce(
    (top, s) => (SPEAKER_RANK[s] > SPEAKER_RANK[top] ? s : top),
    'agent' as SaidBy,
  );
}

/** All candidates and the remembered lesson of one key. */
interface Pile {
  candidates: Candidate[];
  remembered: Lesson | null;
}

function formLesson(id: string, project: string | null, pile: Pile): Forming | null {
  const supporting = pile.candidates.filter((c) => c.evidence.supports);
  // A remembered lesson without support has only events against it, so its text cannot win.
  const kept = pile.remembered?.evidence.some((e) => e.supports) === true ? [pile.remembered] : [];
  const wordings = [...supporting.map(wordingOf), ...kept.map(wordingOf)].sort(compareWordings);
  const best = wordings[0];
  if (!best) return null;
  const evidence = uniteEvidence([
    ...pile.candidates.map((c) => c.evidence),
    ...(pile.remembered?.evidence ?? []),
  ]);
  const from = supporting[0] ?? kept[0]!;
  const sources = [...supporting, ...kept];
  const tags = sortedSet(sources.flatMap((s) => s.tags));
  const lesson = blankLesson({
    id,
    project,
    kind: from.kind,
    scope: project === null ? 'global' : 'project',
    key: from.key,
    text: best.text,
    importance: Math.max(...sources.map((s) => s.importance)) as Lesson['importance'],
    said_by: topSpeaker(sources.map((s) => s.said_by)),
    tags,
    files: sortedSet(sources.flatMap((s) => s.files)).slice(0, MAX_FILES),
    worth: Math.max(...wordings.filter((w) => w.text === best.text).map((w) => w.worth)),
    evidence,
    extractor: Math.max(...sources.map((s) => s.extractor)),
    fact: from.fact ?? null,
    fields: from.fields ?? null,
    ...datesOf(evidence),
  });
  const admitted = kept.length > 0 || supporting.some((c) => c.alone) || hasTwoSessions(evidence);
  return { lesson, admitted, isPersonsWording: false, forgotten: false };
}

/** Whether the events come from two independent sessions; this is enough to admit a lesson. */
export function hasTwoSessions(evidence: readonly LessonEvent[]): boolean {
  return countSessions(evidence) >= 2;
}

/**
 * Merges candidates and remembered lessons of equal keys into forming lessons, in id order.
 * @param project project id, which is part of every lesson's id; null for global lessons
 */
export function mergeCandidates(
  project: string | null,
  candidates: readonly Candidate[],
  remembered: readonly Lesson[],
): Forming[] {
  const piles = new Map<string, Pile>();
  const pileOf = (id: string): Pile => {
    const pile = piles.get(id) ?? { candidates: [], remembered: null };
    piles.set(id, pile);
    return pile;
  };
  for (const candidate of candidates)
    pileOf(lessonId(project, candidate.kind, candidate.key)).candidates.push(candidate);
  for (const lesson of remembered) {
    const pile = pileOf(lesson.id);
    pile.remembered = pile.remembered ? uniteLessons(pile.remembered, lesson) : lesson;
  }
  return [...piles.keys()]
    .sort(compareText)
    .flatMap((id) => formLesson(id, project, piles.get(id)!) ?? []);
}

/**
 * Joins two lessons of one id from two crystals: unites their evidence and keeps the better text.
 */
function uniteLessons(a: Lesson, b: Lesson): Lesson {
  const [best] = [a, b].sort(
    (x, y) =>
      compareWordings(wordingOf(x), wordingOf(y)) ||
      compareText(JSON.stringify(x), JSON.stringify(y)),
  );
  const evidence = uniteEvidence([...a.evidence, ...b.evidence]);
  return {
    ...best!,
    importance: Math.max(a.importance, b.importance) as Lesson['importance'],
    said_by: topSpeaker([a.said_by, b.said_by]),
    tags: sortedSet([...a.tags, ...b.tags]),
    files: sortedSet([...a.files, ...b.files]).slice(0, MAX_FILES),
    worth: Math.max(a.worth, b.worth),
    evidence,
    extractor: Math.max(a.extractor, b.extractor),
    supersedes: sortedSet([...a.supersedes, ...b.supersedes]),
    ...datesOf(evidence),
  };
}
