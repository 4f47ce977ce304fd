/**
 * Lessons, episodes and notes as texts to search. A process that answers many queries reads them
 * again only when the store or a file changed, and splits into terms only a text that may hold a
 * word of the query: for 5,000 lessons both together took a tenth of a second at every query.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../config.js';
import { foldAborted } from '../lessons/sessions.js';
import { type Db, lessonTexts, loadEpisodes, type LessonText } from '../store/index.js';
import { fold, partOf, termsOf } from '../terms/index.js';
import type { Episode, HitType, LessonKind, Project, Status } from '../types.js';

interface Searchable {
  /** Whether a term of `termsOf` is one of the text. */
  holds(term: string): boolean;
}

/** A text to score, with what a hit of it says. */
export interface Text extends Searchable {
  type: Exclude<HitType, 'entry'>;
  id: string;
  text: string;
  day: string | null;
  /** Id of the project, null for everybody's. */
  owner: string | null;
  /** Its slug. */
  project: string | null;
  /** Of a lesson. */
  kind: LessonKind | null;
  status: Status | null;
  agent: string | null;
  session: string | null;
  path: string | null;
  line: number | null;
}

/** Terms are counted at the first question that the text may answer. */
function searchable(text: string): Searchable {
  let lower: string | null = null;
  let plain: string | null = null;
  let terms: ReadonlyMap<string, number> | null = null;
  const mayHold = (part: string): boolean => {
    lower ??= text.toLowerCase();
    if (lower.includes(part)) return true;
    plain ??= /[\u0080-\uffff]/.test(lower) ? fold(lower) : '';
    // A mark that folding joins to the sign before it stands alone where terms are cut between the
    // two.
    return plain.includes(part) || /\p{M}/u.test(lower);
  };
  return {
    holds: (term) =>
      terms?.has(term) ?? (mayHold(partOf(term)) && (terms = termsOf(text)).has(term)),
  };
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
  const known = new Map(before.map((each) => [each.text, each.holds]));
  const holdsOf = (text: string): Searchable => ({
    holds: known.get(text) ?? searchable(text).holds,
  });
  const slugs = new Map(projects.map((each) => [each.id, each.slug]));
  const episodes = await loadEpisodes(
    db,
    projects.map(({ id }) => id),
  );
  return [
    ...(await lessonTexts(db)).map((lesson) => lessonText(lesson, slugs, holdsOf)),
    ...projects.flatMap((project) =>
      foldAborted(episodes(project.id)).map((one) => episodeText(one, project, holdsOf)),
    ),
  ];
}

type HoldsOf = (text: string) => Searchable;
const NOWHERE = { agent: null, session: null, path: null, line: null, kind: null, status: null };

function lessonText(
  lesson: LessonText,
  slugs: ReadonlyMap<string, string>,
  holdsOf: HoldsOf,
): Text {
  const { id, text, kind, status, project: owner, lastSeen } = lesson;
  const project = owner === null ? null : (slugs.get(owner) ?? null);
  return {
    ...NOWHERE,
    type: 'lesson',
    id,
    text,
    kind,
    status,
    owner,
    project,
    day: lastSeen || null,
    ...holdsOf(text),
  };
}

function episodeText(
  episode: Episode,
  { id: owner, slug: project }: Project,
  holdsOf: HoldsOf,
): Text {
  const { agent, session, title, summary, problem, solution, lesson, day } = episode;
  const text = [title, title.startsWith(summary) ? null : summary, problem, solution, lesson]
    .filter(Boolean)
    .join('. ');
  const at = { ...NOWHERE, owner, project, day: day || null, agent, session };
  return { ...at, type: 'episode', id: `${agent}:${session}`, text, ...holdsOf(text) };
}

function noteText({ line, text }: Paragraph, path: string, project: Project | null): Text {
  const at = {
    ...NOWHERE,
    owner: project?.id ?? null,
    project: project?.slug ?? null,
    day: null,
    path,
    line,
  };
  return {
    ...at,
    type: 'note',
    id: `${project?.slug ?? 'global'}:${line}`,
    text,
    ...searchable(text),
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
