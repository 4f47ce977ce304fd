/**
 * Lessons, episodes and notes that answer a query: few enough to be scored whole, beside the
 * entries that the store finds.
 */
import { type Db, entriesById, lessonsOfAgent, newestEvidence } from '../store/index.js';
import type { Hit, Mode, SearchOptions } from '../types.js';
import { isHistory, type Text } from './text-cache.js';

/** Faded and superseded lessons rank behind live ones. */
const HISTORY_WEIGHT = 0.5;

/**
 * Hits with their whole texts, scored 0..1: the squared share of the query's weight that a text
 * has. The caller scales them against entries.
 * @param known all texts of the home
 */
export async function searchTexts(
  db: Db,
  known: readonly Text[],
  options: SearchOptions,
  mode: Mode,
  terms: readonly string[],
): Promise<Hit[]> {
  const { agent, query, limit } = options;
  const all = known.filter((text) => isWanted(text, options));
  const texts = agent === null ? all : await ofAgent(db, all, agent);
  const scoreOf = mode === 'exact' ? exactly(query) : byTerms(texts, terms);
  const best = texts
    .map((text) => ({ ...text, score: (isHistory(text.hit) ? HISTORY_WEIGHT : 1) * scoreOf(text) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        (mode === 'exact' ? (b.hit.at ?? '').localeCompare(a.hit.at ?? '') : 0) ||
        (a.hit.id < b.hit.id ? -1 : 1),
    )
    .slice(0, limit);
  return addPlaces(db, best);
}

function isWanted({ hit, owner, kind: own }: Text, asked: SearchOptions): boolean {
  const { project, kind, since, until } = asked;
  if (project !== null && owner !== project && owner !== null) return false;
  if (kind !== null && hit.type !== kind && own !== kind) return false;
  const day = hit.at?.slice(0, 10);
  if (day === undefined) return since === null && until === null;
  return (since === null || day >= since) && (until === null || day <= until);
}

/**
 * Lessons with evidence from sessions of that agent, and its episodes; a note belongs to no agent.
 */
async function ofAgent(db: Db, texts: readonly Text[], agent: string): Promise<Text[]> {
  const lessons = new Set(await lessonsOfAgent(db, agent));
  return texts.filter(({ hit }) =>
    hit.type === 'lesson' ? lessons.has(hit.id) : hit.agent === agent,
  );
}

function exactly(query: string): (text: Text) => number {
  return ({ hit }) => Number(query !== '' && hit.text.includes(query));
}

/**
 * Rare words weigh more (the idf of Lucene over these texts); squared, so that half a match is far
 * behind a whole one.
 */
function byTerms(texts: readonly Text[], terms: readonly string[]): (text: Text) => number {
  const weights = new Map(
    terms.map((term) => {
      const holding = texts.filter(({ holds }) => holds(term)).length;
      return [term, Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  const sum = (all: readonly (readonly [string, number])[]): number =>
    all.reduce((total, [, weight]) => total + weight, 0);
  const whole = sum([...weights]);
  return ({ holds }) =>
    whole === 0 ? 0 : (sum([...weights].filter(([term]) => holds(term))) / whole) ** 2;
}

/** A lesson carries the place of its newest evidence. */
async function addPlaces(db: Db, texts: readonly (Text & { score: number })[]): Promise<Hit[]> {
  const newest = await newestEvidence(
    db,
    texts.flatMap(({ hit, owner }) =>
      hit.type === 'lesson' ? [{ lesson: hit.id, project: owner }] : [],
    ),
  );
  const entries = await entriesById(
    db,
    newest.map(({ entry }) => entry),
  );
  const places = new Map(entries.map((entry) => [entry.id, entry]));
  return texts.map(({ hit: unscored, owner, score }) => {
    const hit = { ...unscored, score };
    const event = newest.find(({ lesson, project }) => lesson === hit.id && project === owner);
    if (hit.type !== 'lesson' || event === undefined) return hit;
    const { agent, session } = event;
    const entry = places.get(event.entry);
    if (entry === undefined) return { ...hit, agent, session };
    const { path, line } = entry;
    const citation = `${hit.citation} · ${path}:${line}`;
    return { ...hit, agent, session, at: entry.time ?? hit.at, path, line, citation };
  });
}
