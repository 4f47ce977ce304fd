/**
 * Lessons, episodes and notes that answer a query: few enough to be scored whole, beside the
 * entries that the store finds.
 */
import { type Db, entriesById, lessonsOfAgent, newestEvidence } from '../store/index.js';
import type { Hit, Mode, SearchOptions } from '../types.js';
import type { Text } from './text-cache.js';

/**
 * Hits with their whole texts, scored 0..1: the squared share of the query's weight that a text
 * holds. The caller scales them against entries.
 * @param given all texts of the home
 */
export async function searchTexts(
  db: Db,
  given: Promise<readonly Text[]>,
  options: SearchOptions,
  mode: Mode,
  terms: readonly string[],
): Promise<Hit[]> {
  const all = (await given).filter((text) => isWanted(text, options));
  const texts = options.agent === null ? all : await ofAgent(db, all, options.agent);
  const scored = mode === 'exact' ? exactMatches(texts, options.query) : scoreTexts(texts, terms);
  const best = scored
    .map(({ text, score }) => ({ text, score: isHistory(text) ? HISTORY_WEIGHT * score : score }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        (mode === 'exact' ? newer(a.text, b.text) : 0) ||
        (a.text.id < b.text.id ? -1 : 1),
    )
    .slice(0, options.limit);
  return addPlaces(
    db,
    best.map(({ text, score }) => toHit(text, score)),
    best.map(({ text }) => text),
  );
}

/** Faded and superseded lessons rank behind live ones. */
const HISTORY_WEIGHT = 0.5;

function isHistory({ status }: Text): boolean {
  return status === 'faded' || status === 'superseded';
}

function newer(a: Text, b: Text): number {
  return (b.day ?? '').localeCompare(a.day ?? '');
}

function isWanted(text: Text, { project, kind, since, until }: SearchOptions): boolean {
  if (project !== null && text.owner !== project && text.owner !== null) return false;
  if (kind !== null && text.type !== kind && text.kind !== kind) return false;
  if ((since !== null || until !== null) && text.day === null) return false;
  return (since === null || text.day! >= since) && (until === null || text.day! <= until);
}

/**
 * Lessons with evidence from sessions of that agent, and its episodes; a note belongs to no agent.
 */
async function ofAgent(db: Db, texts: readonly Text[], agent: string): Promise<Text[]> {
  const lessons = new Set(await lessonsOfAgent(db, agent));
  return texts.filter((text) =>
    text.type === 'lesson' ? lessons.has(text.id) : text.agent === agent,
  );
}

interface Scored {
  text: Text;
  score: number;
}

function exactMatches(texts: readonly Text[], query: string): Scored[] {
  return texts
    .filter(({ text }) => query !== '' && text.includes(query))
    .map((text) => ({ text, score: 1 }));
}

/**
 * Rare words weigh more (the idf of Lucene over these texts); squared, so that half a match is far
 * behind a whole one.
 */
function scoreTexts(texts: readonly Text[], terms: readonly string[]): Scored[] {
  const held = texts.map((text) => {
    return { text, own: new Set(terms.filter((term) => text.holds(term))) };
  });
  const weights = new Map(
    terms.map((term) => {
      const holding = held.filter(({ own }) => own.has(term)).length;
      return [term, Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return held.map(({ text, own }) => {
    const weight = [...own].reduce((sum, term) => sum + weights.get(term)!, 0);
    return { text, score: whole === 0 ? 0 : (weight / whole) ** 2 };
  });
}

/**
 * Of a session so much that those of one minute differ: the ids of some agents begin with the time.
 */
const SESSION_CHARS = 13;
const LESSON_CHARS = 8;

function shortOf({ type, id, session }: Text): string | null {
  return type === 'lesson'
    ? id.slice(0, LESSON_CHARS)
    : type === 'episode'
      ? session!.slice(0, SESSION_CHARS)
      : null;
}

function toHit(text: Text, score: number): Hit {
  return {
    type: text.type,
    id: text.id,
    short: shortOf(text),
    score,
    text: text.text,
    whole: '',
    matches: [],
    question: null,
    similar: [],
    agent: text.agent,
    session: text.session,
    project: text.project,
    at: text.day === null ? null : `${text.day}T00:00:00.000Z`,
    role: null,
    origin: null,
    tool: null,
    status: text.status,
    path: text.path,
    line: text.line,
    citation: citationOf(text),
  };
}

function citationOf(text: Text): string {
  if (text.type === 'note') return `${text.path}:${text.line}`;
  const where = text.project ?? 'everywhere';
  if (text.type === 'episode')
    return `${where} · ${text.day ?? 'unknown day'} · ${text.agent} ${text.session!.slice(0, 8)}`;
  const kind = isHistory(text) ? `${text.status}, ${text.kind}` : text.kind;
  return `${where} · ^${text.id.slice(0, 8)} · ${kind}, last seen ${text.day ?? 'on an unknown day'}`;
}

/** A lesson carries the place of its newest evidence. */
async function addPlaces(db: Db, hits: Hit[], texts: readonly Text[]): Promise<Hit[]> {
  const lessons = texts
    .filter(({ type }) => type === 'lesson')
    .map(({ id, owner }) => ({ lesson: id, project: owner }));
  const newest = await newestEvidence(db, lessons);
  const entries = await entriesById(
    db,
    newest.map(({ entry }) => entry),
  );
  const places = new Map(entries.map((entry) => [entry.id, entry]));
  return hits.map((hit, index) => {
    const { type, id, owner } = texts[index]!;
    const event =
      type === 'lesson'
        ? newest.find(({ lesson, project }) => lesson === id && project === owner)
        : undefined;
    const entry = event && places.get(event.entry);
    if (!event) return hit;
    if (!entry) return { ...hit, agent: event.agent, session: event.session };
    return {
      ...hit,
      agent: event.agent,
      session: event.session,
      at: entry.time ?? hit.at,
      path: entry.path,
      line: entry.line,
      citation: `${hit.citation} · ${entry.path}:${entry.line}`,
    };
  });
}
