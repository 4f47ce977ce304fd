/** Known claims that a model may judge: those that share something with the session, by their id. */
import { entityKeys } from '../parse/entities.js';
import { contentWords, hasPolarity } from '../text/words.js';
import { type Lesson, USER_WORDS_TAG } from '../types.js';

const MOST_KNOWN = 12;
/** A claim that shares no name shares so many words. */
const LEAST_WORDS = 2;
/** A name that both have says more than a word; a claim from the same session comes first. */
const NAME_WEIGHT = 3;
const SESSION_WEIGHT = 100;

/**
 * At most twelve, in the order of their days. None of a later day than the session: it is newer.
 * @param lessons live ones by the id that is shown
 */
export function chooseKnown(
  lessons: ReadonlyMap<string, Lesson>,
  { digest, session, day }: { digest: string; session: string; day: string },
): Map<string, Lesson> {
  const shown = digest.toLowerCase();
  const words = new Set(contentWords(digest));
  const nearness = ({ text, saidBy, evidence }: Lesson): number => {
    const names = [...entityKeys(text)].filter((name) => shown.includes(name)).length;
    const shared = new Set(contentWords(text).filter((word) => words.has(word))).size;
    const isOfSession = evidence.some((event) => event.session === session);
    const isRule = saidBy === 'user' && hasPolarity(text);
    if (!isOfSession && !isRule && names === 0 && shared < LEAST_WORDS) return 0;
    return (isOfSession ? SESSION_WEIGHT : 0) + names * NAME_WEIGHT + shared + (isRule ? 1 : 0);
  };
  const weight = ({ importance, confidence }: Lesson): number => importance * confidence;
  return new Map(
    [...lessons]
      .filter(([, { fact, lastSeen }]) => fact === null && lastSeen <= day)
      .map((pair) => ({ pair, near: nearness(pair[1]) }))
      .filter(({ near }) => near > 0)
      .sort(
        (a, b) =>
          b.near - a.near ||
          weight(b.pair[1]) - weight(a.pair[1]) ||
          (a.pair[0] < b.pair[0] ? -1 : 1),
      )
      .slice(0, MOST_KNOWN)
      .map(({ pair }) => pair)
      .sort(([a, one], [b, other]) =>
        one.lastSeen === other.lastSeen ? (a < b ? -1 : 1) : one.lastSeen < other.lastSeen ? -1 : 1,
      ),
  );
}

/** Kind, day and speaker of a claim with its words. */
export function knownLine(id: string, { kind, saidBy, tags, lastSeen, text }: Lesson): string {
  const speaker =
    saidBy === 'user'
      ? 'the user'
      : tags.includes(USER_WORDS_TAG)
        ? 'the user, in other words'
        : 'the agent';
  const words = text.replace(/\s+/g, ' ').replace(/<\/known>/gi, '< /known>');
  return `${id} ${kind}, ${lastSeen || 'no day'}, ${speaker}: ${words}`;
}
