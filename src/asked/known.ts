/** Selects known claims that a model may judge: those with words or names of the session. */
import { entityKeys } from '../parse/entities.js';
import { contentWords, hasPolarity } from '../text/words.js';
import { type Lesson, USER_WORDS_TAG } from '../types.js';

const MOST_KNOWN = 12;
/** A claim without a common name must have this many common words. */
const LEAST_WORDS = 2;
/** A common name counts more than a word; claims of the same session come first. */
const NAME_WEIGHT = 3;
const SESSION_WEIGHT = 100;

/**
 * Sorted by day. Lessons of a later day are left out, unless they are from these sessions.
 * @param lessons live lessons by the id for the prompt
 * @param day day of the oldest session
 */
export function chooseKnown(
  lessons: ReadonlyMap<string, Lesson>,
  { digest, sessions, day }: { digest: string; sessions: readonly string[]; day: string },
): Map<string, Lesson> {
  const shown = digest.toLowerCase();
  const words = new Set(contentWords(digest));
  const isOfSession = ({ evidence }: Lesson): boolean =>
    evidence.some((event) => sessions.includes(event.session));
  const nearness = (lesson: Lesson): number => {
    const { text, said_by } = lesson;
    const names = [...entityKeys(text)].filter((name) => shown.includes(name)).length;
    const shared = new Set(contentWords(text).filter((word) => words.has(word))).size;
    const isRule = said_by === 'user' && hasPolarity(text);
    if (isOfSession(lesson)) return SESSION_WEIGHT + names;
    if (lesson.last_seen > day || (!isRule && names === 0 && shared < LEAST_WORDS)) return 0;
    return names * NAME_WEIGHT + shared + (isRule ? 1 : 0);
  };
  const weight = ({ importance, confidence }: Lesson): number => importance * confidence;
  return new Map(
    [...lessons]
      .filter(([, { fact }]) => fact === null)
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
        one.last_seen === other.last_seen
          ? a < b
            ? -1
            : 1
          : one.last_seen < other.last_seen
            ? -1
            : 1,
      ),
  );
}

/** A line with kind, day, speaker and text of a claim. */
export function knownLine(id: string, { kind, said_by, tags, last_seen, text }: Lesson): string {
  const speaker =
    said_by === 'user'
      ? 'the user'
      : tags.includes(USER_WORDS_TAG)
        ? 'the user, in other words'
        : 'the agent';
  const words = text.replace(/\s+/g, ' ').replace(/<\/known>/gi, '< /known>');
  return `${id} ${kind}, ${last_seen || 'no day'}, ${speaker}: ${words}`;
}
