/**
 * Scores lessons, episodes and notes for a query. They are few, so each whole text is scored; the
 * store finds the entries.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../config.js';
import {
  type Db,
  entriesById,
  newestEvidence,
  textsContaining,
  type StoredText,
} from '../store/index.js';
import { partOf, termsOf } from '../terms/index.js';
import { compareText } from '../text/order.js';
import type { Hit, Project, SearchOptions } from '../types.js';

/** A text to score, and its hit. */
interface Text extends Pick<Hit, 'id' | 'text' | 'status'> {
  at: string | null;
  /** Project id; null: of all projects. */
  owner: string | null;
  hit: () => Hit;
}

/** Faded and superseded lessons rank behind live ones. */
const HISTORY_WEIGHT = 0.5;

/**
 * Hits with their whole texts and a score 0..1: the squared share of the query's weight in the
 * text. The caller scales these scores to those of entries.
 */
export async function searchTexts(
  db: Db,
  paths: HomePaths,
  projects: readonly Project[],
  asked: SearchOptions & { terms: readonly string[] },
): Promise<Hit[]> {
  const { query, limit, terms } = asked;
  const isExact = asked.mode === 'exact';
  const stored = await textsContaining(
    db,
    asked,
    isExact ? { literal: query } : { parts: terms.map(partOf) },
  );
  const notes = notesWanted(paths, projects, asked);
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]));
  const texts = [
    ...stored.texts.map((one) => ({
      ...{ id: idOf(one), text: one.text, status: one.status, at: one.day, owner: one.owner },
      hit: () => hitOf(one, slugs.get(one.owner ?? '') ?? null),
    })),
    ...notes,
  ];
  const scoreOf = isExact
    ? ({ text }: Text) => Number(query !== '' && text.includes(query))
    : byTerms(texts, stored.among + notes.length, terms);
  const best = texts
    .map((text) => ({ ...text, score: (isHistory(text) ? HISTORY_WEIGHT : 1) * scoreOf(text) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        (isExact ? (b.at ?? '').localeCompare(a.at ?? '') : 0) ||
        compareText(a.id, b.id) ||
        compareText(a.owner ?? '', b.owner ?? ''),
    )
    .slice(0, limit)
    .map(({ owner, score, hit }) => ({ owner, hit: { ...hit(), score } }));
  return addPlaces(db, best);
}

/**
 * Scores texts by the idf of their words, as Lucene does; squared, so that a half match ranks far
 * below a full one.
 * @param among number of texts, including those without any of the terms
 */
function byTerms(
  texts: readonly Text[],
  among: number,
  terms: readonly string[],
): (text: Text) => number {
  const matching = new Map(
    texts.map((text) => {
      const own = termsOf(text.text);
      return [text, terms.filter((term) => own.has(term))] as const;
    }),
  );
  const weights = new Map(
    terms.map((term) => {
      const holding = texts.filter((text) => matching.get(text)!.includes(term)).length;
      return [term, Math.log(1 + (among - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  const sum = (of: readonly string[]): number =>
    of.reduce((total, term) => total + weights.get(term)!, 0);
  const whole = sum(terms);
  return (text) => (whole === 0 ? 0 : (sum(matching.get(text)!) / whole) ** 2);
}

/** The place of a lesson is that of its newest evidence. */
async function addPlaces(
  db: Db,
  texts: readonly { hit: Hit; owner: string | null }[],
): Promise<Hit[]> {
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
  return texts.map(({ hit, owner }) => {
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

const UNSCORED = {
  ...{ score: 0, passage: '', matches: [], question: null, similar: [] },
  ...{ agent: null, session: null, at: null, role: null, origin: null, tool: null },
  ...{ status: null, path: null, line: null },
};

function idOf({ type, id, agent }: StoredText): string {
  return type === 'lesson' ? id : `${agent}:${id}`;
}

function hitOf(found: StoredText, project: string | null): Hit {
  const { type, id, kind, status, day, agent, text } = found;
  const what = isHistory({ status }) ? `${status}, ${kind}` : kind;
  return {
    ...{
      ...UNSCORED,
      type,
      id: idOf(found),
      text,
      project,
      at: day === '' ? null : `${day}T00:00:00.000Z`,
    },
    ...(type === 'lesson'
      ? {
          status,
          citation: `${project ?? 'everywhere'} · ^${id.slice(0, 8)} · ${what}, last seen ${day || 'on an unknown day'}`,
        }
      : {
          ...{ agent, session: id },
          citation: `${project} · ${day || 'unknown day'} · ${agent} ${id.slice(0, 8)}`,
        }),
  };
}

/** Faded and superseded lessons. */
function isHistory({ status }: Pick<Hit, 'status'>): boolean {
  return status === 'faded' || status === 'superseded';
}

function noteText({ line, text }: Paragraph, path: string, project: Project | null): Text {
  const id = `${project?.slug ?? 'global'}:${line}`;
  const at = { project: project?.slug ?? null, path, line, citation: `${path}:${line}` };
  const hit = () => ({ ...UNSCORED, type: 'note' as const, id, text, ...at });
  return { id, text, status: null, at: null, owner: project?.id ?? null, hit };
}

// Reads notes.md of projects and of the person by paragraph. Only the head of the file is ours.

interface Paragraph {
  /** 1-based. */
  line: number;
  text: string;
}

/** People write notes by hand; a larger file is something else. */
const READ_CAP = 1024 * 1024;

/** None if the search asks for a day or an agent, which notes do not have. */
function notesWanted(
  paths: HomePaths,
  projects: readonly Project[],
  { project, agent, kind, since, until }: SearchOptions,
): Text[] {
  if (agent !== null || since !== null || until !== null || (kind ?? 'note') !== 'note') return [];
  const wanted = projects.filter(({ id }) => project === null || id === project);
  return [null, ...wanted].flatMap((one) => {
    const path = join(projectFolder(paths, one), 'notes.md');
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined || info.size > READ_CAP) return [];
    return paragraphs(readFileSync(path, 'utf8')).map((part) => noteText(part, path, one));
  });
}

/** Blocks between empty lines, without quoted lines (our head). */
function paragraphs(text: string): Paragraph[] {
  const found: Paragraph[] = [];
  let open: Paragraph | null = null;
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '' || content.startsWith('>')) open = null;
    else if (open) open.text += `\n${content}`;
    else found.push((open = { line: index + 1, text: content }));
  });
  return found;
}
