/**
 * Lessons, episodes and notes as texts to search. A process that answers many queries reads them
 * again only when the store or a file changed, and splits into terms only a text that may have a
 * word of the query: both together would slow down every query.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../config.js';
import { foldAborted } from '../lessons/sessions.js';
import { type Db, lessonTexts, loadEpisodes, type LessonText } from '../store/index.js';
import { fold, partOf, termsOf } from '../terms/index.js';
import type { Episode, Hit, LessonKind, Project } from '../types.js';

/** Whether a term of `termsOf` is one of a text. */
type Holds = (term: string) => boolean;

/** A text to score, and the hit that it is. */
export interface Text {
  hit: Hit;
  /** Id of the project, null for everybody's. */
  owner: string | null;
  /** Of a lesson. */
  kind: LessonKind | null;
  holds: Holds;
}

/** Terms are counted at the first question that the text may answer. */
function holdsOf(text: string): Holds {
  let lower: string | null = null;
  let plain: string | null = null;
  let terms: ReadonlyMap<string, number> | null = null;
  const mayHold = (part: string): boolean => {
    lower ??= text.toLowerCase();
    if (lower.includes(part)) return true;
    plain ??= /[\u0080-\uffff]/.test(lower) ? fold(lower) : '';
    // A mark that folding joins to the sign before it is alone where terms are cut between the
    // two.
    return plain.includes(part) || /\p{M}/u.test(lower);
  };
  return (term) => terms?.has(term) ?? (mayHold(partOf(term)) && (terms = termsOf(text)).has(term));
}

/** All texts of a home. */
export class TextCache {
  private stored: { stamp: string; texts: Text[] } | null = null;
  private readonly notes = new Map<string, { stamp: string; texts: Text[] }>();

  /** @param stampOf the state of the store */
  constructor(readonly stampOf: () => string) {}

  /**
   * Call it in the transaction that answers the query.
   * @param stamp the state of the store before that transaction began
   */
  async texts(
    db: Db,
    paths: HomePaths,
    projects: readonly Project[],
    stamp: string,
  ): Promise<Text[]> {
    if (this.stored?.stamp !== stamp)
      this.stored = { stamp, texts: await readStored(db, projects, this.stored?.texts ?? []) };
    return [
      ...this.stored.texts,
      ...[null, ...projects].flatMap((project) => this.notesOf(paths, project)),
    ];
  }

  private notesOf(paths: HomePaths, project: Project | null): Text[] {
    const path = join(projectFolder(paths, project), 'notes.md');
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined || info.size > READ_CAP) return [];
    const stamp = `${info.ino}:${info.size}:${info.mtimeMs}`;
    const known = this.notes.get(path);
    if (known?.stamp === stamp) return known.texts;
    const texts = paragraphs(readFileSync(path, 'utf8')).map((one) => noteText(one, path, project));
    this.notes.set(path, { stamp, texts });
    return texts;
  }
}

/** What was read before keeps its terms. */
async function readStored(
  db: Db,
  projects: readonly Project[],
  before: readonly Text[],
): Promise<Text[]> {
  const known = new Map(before.map(({ hit, holds }) => [hit.text, holds]));
  const ofText = (hit: Hit, owner: string | null, kind: LessonKind | null): Text => ({
    ...{ hit, owner, kind },
    holds: known.get(hit.text) ?? holdsOf(hit.text),
  });
  const slugs = new Map(projects.map((each) => [each.id, each.slug]));
  const episodes = await loadEpisodes(
    db,
    projects.map(({ id }) => id),
  );
  return [
    ...(await lessonTexts(db)).map((lesson) => {
      const { project: owner, kind } = lesson;
      return ofText(lessonHit(lesson, slugs.get(owner ?? '') ?? null), owner, kind);
    }),
    ...projects.flatMap(({ id, slug }) =>
      foldAborted(episodes(id)).map((one) => ofText(episodeHit(one, slug), id, null)),
    ),
  ];
}

const UNSCORED = {
  ...{ score: 0, passage: '', matches: [], question: null, similar: [] },
  ...{ agent: null, session: null, at: null, role: null, origin: null, tool: null },
  ...{ status: null, path: null, line: null },
};

function midnight(day: string): string | null {
  return day === '' ? null : `${day}T00:00:00.000Z`;
}

function lessonHit({ id, text, kind, status, last_seen }: LessonText, project: string | null): Hit {
  const what = isHistory({ status }) ? `${status}, ${kind}` : kind;
  const seen = `last seen ${last_seen || 'on an unknown day'}`;
  return {
    ...UNSCORED,
    ...{ type: 'lesson', id, text, project, status, at: midnight(last_seen) },
    citation: `${project ?? 'everywhere'} · ^${id.slice(0, 8)} · ${what}, ${seen}`,
  };
}

/** Faded and superseded lessons. */
export function isHistory({ status }: Pick<Hit, 'status'>): boolean {
  return status === 'faded' || status === 'superseded';
}

function episodeHit(episode: Episode, project: string): Hit {
  const { agent, session, title, summary, problem, solution, lesson, day } = episode;
  const text = [title, title.startsWith(summary) ? null : summary, problem, solution, lesson]
    .filter(Boolean)
    .join('. ');
  return {
    ...UNSCORED,
    ...{ type: 'episode', id: `${agent}:${session}`, text, project, agent, session },
    at: midnight(day),
    citation: `${project} · ${day || 'unknown day'} · ${agent} ${session.slice(0, 8)}`,
  };
}

function noteText({ line, text }: Paragraph, path: string, project: Project | null): Text {
  const id = `${project?.slug ?? 'global'}:${line}`;
  const at = { project: project?.slug ?? null, path, line, citation: `${path}:${line}` };
  return {
    hit: { ...UNSCORED, type: 'note', id, text, ...at },
    owner: project?.id ?? null,
    kind: null,
    holds: holdsOf(text),
  };
}

// notes.md of projects and of the person, paragraph by paragraph; ours is only the head.

interface Paragraph {
  /** 1-based. */
  line: number;
  text: string;
}

/** Notes are written by hand: anything larger is no such file. */
const READ_CAP = 1024 * 1024;

/** Blocks between empty lines; quoted lines (our head) are left out. */
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
