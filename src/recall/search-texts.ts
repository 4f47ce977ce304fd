/** Lessons, episodes and notes that answer a query: few enough to be scored whole, beside the entries that the store finds. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import { foldAborted } from '../distill/sessions.js';
import { type Db, entriesById, loadEpisodes, loadLessons } from '../store/index.js';
import { termsOf } from '../terms/index.js';
import type { Episode, Lesson, Project } from '../types.js';
import { folderOf } from './context-file.js';
import { passageOf } from './passage.js';
import type { HitType, Mode, SearchHit, SearchOptions } from './hit.js';

/** A text to score, with what a hit of it says. */
interface Text {
  type: HitType;
  id: string;
  text: string;
  day: string | null;
  project: string | null;
  lesson: Lesson | null;
  agent: string | null;
  session: string | null;
  path: string | null;
  line: number | null;
}

/**
 * Hits scored 0..1: the squared share of the query's weight that a text holds. The caller scales them against entries.
 * @param projects all projects, for slugs and places of notes
 */
export async function searchTexts(
  db: Db,
  paths: HomePaths,
  projects: readonly Project[],
  options: SearchOptions,
  mode: Mode,
  terms: readonly string[],
): Promise<SearchHit[]> {
  const texts = (await gather(db, paths, projects, options)).filter((text) => isWanted(text, options));
  const scored = mode === 'exact' ? exactMatches(texts, options.query) : scoreTexts(texts, terms);
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.text.id < b.text.id ? -1 : 1))
    .slice(0, options.limit);
  const wanted = new Set(terms);
  return addPlaces(
    db,
    best.map(({ text, score }) => toHit(text, score, wanted)),
    best.map(({ text }) => text),
  );
}

async function gather(db: Db, paths: HomePaths, projects: readonly Project[], { project }: SearchOptions): Promise<Text[]> {
  const slugs = new Map(projects.map((each) => [each.id, each.slug]));
  const lessons = (await loadLessons(db, { statuses: ['live', 'conflict'] })).filter(
    (lesson) => project === null || lesson.project === project || lesson.project === null,
  );
  const shown = project === null ? projects : projects.filter((each) => each.id === project);
  const episodes: Text[] = [];
  for (const each of shown)
    for (const episode of foldAborted(await loadEpisodes(db, each.id))) episodes.push(episodeText(episode, each));
  return [...lessons.map((lesson) => lessonText(lesson, slugs)), ...episodes, ...readNotes(paths, shown).map(noteText)];
}

function lessonText(lesson: Lesson, slugs: ReadonlyMap<string, string>): Text {
  return {
    type: 'lesson',
    id: lesson.id,
    text: lesson.text,
    day: lesson.lastSeen || null,
    lesson,
    agent: null,
    session: null,
    path: null,
    line: null,
    project: lesson.project === null ? null : (slugs.get(lesson.project) ?? null),
  };
}

function episodeText(episode: Episode, project: Project): Text {
  return {
    type: 'episode',
    id: `${episode.agent}:${episode.session}`,
    text: [episode.title, episode.summary, episode.problem, episode.solution, episode.lesson].filter(Boolean).join('. '),
    day: episode.day || null,
    project: project.slug,
    lesson: null,
    agent: episode.agent,
    session: episode.session,
    path: null,
    line: null,
  };
}

function noteText(note: Note): Text {
  return {
    type: 'note',
    id: `${note.slug ?? 'global'}:${note.line}`,
    text: note.text,
    day: null,
    project: note.slug,
    lesson: null,
    agent: null,
    session: null,
    path: note.path,
    line: note.line,
  };
}

function isWanted(text: Text, { kind, since, until }: SearchOptions): boolean {
  if (kind !== null && text.type !== kind && text.lesson?.kind !== kind) return false;
  if ((since !== null || until !== null) && text.day === null) return false;
  return (since === null || text.day! >= since) && (until === null || text.day! <= until);
}

interface Scored<T> {
  text: T;
  score: number;
}

function exactMatches(texts: readonly Text[], query: string): Scored<Text>[] {
  return texts.filter(({ text }) => query !== '' && text.includes(query)).map((text) => ({ text, score: 1 }));
}

/** Rare words weigh more (the idf of Lucene over these texts); squared, so that half a match is far behind a whole one. */
export function scoreTexts<T extends { text: string }>(texts: readonly T[], terms: readonly string[]): Scored<T>[] {
  const counted = texts.map((text) => ({ text, terms: termsOf(text.text) }));
  const weights = new Map(
    terms.map((term) => {
      const holding = counted.filter(({ terms: own }) => own.has(term)).length;
      return [term, Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return counted.map(({ text, terms: own }) => {
    const held = terms.reduce((sum, term) => sum + (own.has(term) ? weights.get(term)! : 0), 0);
    return { text, score: whole === 0 ? 0 : (held / whole) ** 2 };
  });
}

function toHit(text: Text, score: number, wanted: ReadonlySet<string>): SearchHit {
  return {
    type: text.type,
    id: text.id,
    score,
    text: passageOf(text.text, wanted),
    agent: text.agent,
    session: text.session,
    project: text.project,
    at: text.day === null ? null : `${text.day}T00:00:00.000Z`,
    role: null,
    path: text.path,
    line: text.line,
    source: 'log',
    citation: citationOf(text),
  };
}

function citationOf(text: Text): string {
  if (text.type === 'note') return `${text.path}:${text.line}`;
  const where = text.project ?? 'everywhere';
  return text.type === 'episode'
    ? `${where} · ${text.day ?? 'unknown day'} · ${text.agent} ${text.session!.slice(0, 8)}`
    : `${where} · ^${text.id.slice(0, 8)} · ${text.lesson!.kind}, last seen ${text.day ?? 'on an unknown day'}`;
}

/** A lesson carries the place of its newest evidence. */
async function addPlaces(db: Db, hits: SearchHit[], texts: readonly Text[]): Promise<SearchHit[]> {
  const newest = texts.map(
    ({ lesson }) =>
      [...(lesson?.evidence ?? [])].filter((event) => event.entry !== null).sort((a, b) => (a.day < b.day ? 1 : -1))[0],
  );
  const places = new Map(
    (
      await entriesById(
        db,
        newest.flatMap((event) => (event ? [event.entry!] : [])),
      )
    ).map((entry) => [entry.id, entry]),
  );
  return hits.map((hit, index) => {
    const event = newest[index];
    const entry = event && places.get(event.entry!);
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

// notes.md of projects and of the person, paragraph by paragraph; ours is only the head.

interface Note {
  /** Slug, or null for the person's. */
  slug: string | null;
  path: string;
  /** 1-based. */
  line: number;
  text: string;
}

/** Notes are written by hand: anything larger is no such file. */
const READ_CAP = 1024 * 1024;

function readNotes(paths: HomePaths, projects: readonly Project[]): Note[] {
  return [null, ...projects].flatMap((project) => {
    const path = join(folderOf(paths, project), 'notes.md');
    if (!existsSync(path) || statSync(path).size > READ_CAP) return [];
    return paragraphs(readFileSync(path, 'utf8')).map(({ line, text }) => ({ slug: project?.slug ?? null, path, line, text }));
  });
}

/** Blocks between empty lines; quoted lines (our head) are left out. */
function paragraphs(text: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '' || content.startsWith('>')) open = null;
    else if (open) open.text += `\n${content}`;
    else found.push((open = { line: index + 1, text: content }));
  });
  return found;
}
