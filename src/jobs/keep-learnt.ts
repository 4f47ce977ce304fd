/** A session of which some texts are gone for good: a missing text is no sign that nothing was said in it. Pure. */
import { TRIED_TAG, type Candidate, type Episode, type Evidence, type Extraction } from '../types.js';

/**
 * What the session yields now, and what it yielded while its texts were there. Of the same entry and kind the present one counts, in case
 * the extractor words it better.
 * @param before null when nothing was learnt from it
 * @param lost ids of the entries whose texts are gone
 */
export const keepLearnt = (before: Extraction | null, now: Extraction, lost: ReadonlySet<string>): Extraction => {
  if (before === null) return now;
  const told = new Set(now.candidates.map(placeOf));
  const isGone = ({ entry }: Evidence): boolean => entry === null || lost.has(entry);
  return {
    candidates: [
      ...now.candidates,
      ...before.candidates.filter((each) => !told.has(placeOf(each)) && (isGone(each.evidence) || isOfSeveral(each))),
    ],
    sightings: united(before.sightings, now.sightings),
    relations: united(before.relations, now.relations),
    episode: keepEpisode(before.episode, now.episode),
    opening: keepOpening(before.opening, now.opening),
  };
};

/** A failure and its cure, or uses of a command: what is missing may be another entry than the one that it names. A sentence stands in its own. */
const isOfSeveral = ({ saidBy, tags }: Candidate): boolean => saidBy === 'observed' || tags.includes('cure');

/** How a command ended is no other telling of what was learnt at the same entry. */
const placeOf = ({ kind, key, tags, evidence: { entry } }: Candidate): string =>
  JSON.stringify(tags.includes(TRIED_TAG) ? [TRIED_TAG, key] : [kind, entry]);

const united = <T>(before: readonly T[], now: readonly T[]): T[] => [
  ...new Map([...before, ...now].map((each) => [JSON.stringify(each), each])).values(),
];

/** Another first prompt than before is one that came later, a person's unless it comes in the same frame. */
const keepOpening = (before: Extraction['opening'], now: Extraction['opening']): Extraction['opening'] =>
  before === null || now === null
    ? (before ?? now)
    : { ...before, typedLater: before.typedLater || now.typedLater || !isSameHand(before, now) };

const isSameHand = (one: NonNullable<Extraction['opening']>, other: NonNullable<Extraction['opening']>): boolean =>
  one.hash === other.hash || (one.frame !== null && one.frame === other.frame);

/** It began with what is missing now, and ends with what came last. */
const keepEpisode = (before: Episode | null, now: Episode | null): Episode | null => {
  if (before === null || now === null) return before ?? now;
  const list = (name: 'files' | 'commands' | 'commits'): string[] => [...new Set([...before[name], ...now[name]])];
  const end = now.day > before.day ? now : before;
  const { day, outcome, signal, unfinished, nextStep } = end;
  return {
    ...before,
    day,
    outcome,
    signal,
    unfinished,
    nextStep,
    files: list('files'),
    commands: list('commands'),
    commits: list('commits'),
  };
};
