/** Selects lessons about one task, by its words and names. Often there are none. Pure. */
import { normaliseQuery, termsOf } from '../../terms/index.js';
import type { Lesson, Relation } from '../../types.js';

/**
 * Least share of common weight, so that a lesson is about the task. Meaning adds noise, so the
 * second value is higher.
 */
const LEAST_RELEVANCE = 0.12;
const LEAST_WITH_MEANING = 0.16;
/** Lessons below this share of the best one's relevance are left out. */
const LEAST_OF_BEST = 0.4;
/** Bonus of a lesson about a thing that the task names, or about a thing related to it. */
const NAMED = 0.25;
const RELATED = 0.12;
/** The cosine of unrelated texts; below it, common words count less. */
const NEUTRAL_COSINE = 0.22;
/**
 * Recency halves in half a year: slowly, so that old advice on the exact subject ranks above new
 * advice on a similar one.
 */
const HALF_LIFE_DAYS = 180;

/**
 * Lessons above the threshold by relevance x importance x confidence x recency, best first; ties by
 * id. Pure.
 * @param cosines of lessons to the task, by id; null when words alone decide
 */
export function rankForTask(
  task: string,
  lessons: readonly Lesson[],
  relations: readonly (Relation & { sessions: readonly string[] })[],
  day: string,
  cosines: ReadonlyMap<string, number> | null = null,
): Lesson[] {
  const wanted = new Set(normaliseQuery(task));
  const texts = lessons.map(
    (lesson) => new Set(termsOf([lesson.text, ...lesson.tags, ...lesson.files].join(' ')).keys()),
  );
  const weightOf = weights(texts);
  const named = namedThings(wanted, task, relations.filter(isTelling));
  const shares = lessons.map((lesson, index) => {
    const meaning = (cosines?.get(lesson.id) ?? NEUTRAL_COSINE) - NEUTRAL_COSINE;
    return Math.max(0, overlap(wanted, texts[index]!, weightOf) + meaning);
  });
  const least = cosines === null ? LEAST_RELEVANCE : LEAST_WITH_MEANING;
  const toThePoint = Math.max(least, LEAST_OF_BEST * Math.max(0, ...shares));
  return lessons
    .flatMap((lesson, index) => {
      const about = boost(lesson, named);
      const relevance = shares[index]! + about;
      if (about === 0 && shares[index]! < toThePoint) return [];
      const age =
        Math.max(0, (Date.parse(day) - Date.parse(`${lesson.last_seen}T00:00:00Z`)) / 86_400_000) ||
        0;
      return [
        {
          lesson,
          value:
            relevance *
            lesson.importance *
            Math.max(0.1, lesson.confidence) *
            0.5 ** (age / HALF_LIFE_DAYS),
        },
      ];
    })
    .sort((a, b) => b.value - a.value || (a.lesson.id < b.lesson.id ? -1 : 1))
    .map(({ lesson }) => lesson);
}

/** Rarer words weigh more: idf over the lessons themselves. */
function weights(texts: readonly ReadonlySet<string>[]): (term: string) => number {
  const holding = new Map<string, number>();
  for (const text of texts)
    for (const term of text) holding.set(term, (holding.get(term) ?? 0) + 1);
  return (term) => Math.log(1 + (texts.length + 0.5) / ((holding.get(term) ?? 0) + 0.5));
}

/** Cosine of two sets of terms under their weights. */
function overlap(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  weightOf: (term: string) => number,
): number {
  const square = (terms: Iterable<string>) =>
    [...terms].reduce((sum, term) => sum + weightOf(term) ** 2, 0);
  const common = square([...a].filter((term) => b.has(term)));
  return common === 0 ? 0 : common / Math.sqrt(square(a) * square(b));
}

interface Named {
  direct: Set<string>;
  related: Set<string>;
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Files that were edited together only in one session may be unrelated. */
function isTelling({ rel, sessions }: Relation & { sessions: readonly string[] }): boolean {
  return rel !== 'edited_with' || sessions.length > 1;
}

/** Things that the task names (a file by its last part), and things directly related to them. */
function namedThings(
  wanted: ReadonlySet<string>,
  task: string,
  relations: readonly Relation[],
): Named {
  const lower = task.toLowerCase();
  // A command or error of several words must occur unchanged in the task.
  const isNamed = (name: string) =>
    name.includes(' ')
      ? lower.includes(name.toLowerCase())
      : wanted.has(name.toLowerCase()) || wanted.has(baseOf(name).toLowerCase());
  const direct = new Set<string>();
  const related = new Set<string>();
  for (const { from, to } of relations) {
    for (const [thing, other] of [
      [from, to],
      [to, from],
    ] as const) {
      if (!isNamed(thing)) continue;
      direct.add(thing);
      related.add(other);
    }
  }
  return { direct, related };
}

function boost(lesson: Lesson, { direct, related }: Named): number {
  const about = (things: ReadonlySet<string>) =>
    [...things].some((thing) => lesson.files.includes(thing) || lesson.text.includes(thing));
  return about(direct) ? NAMED : about(related) ? RELATED : 0;
}
