/** Every file of a project that agents and people read, from what is known about it. Pure. */
import {
  DETAIL_FILES,
  isForThePage,
  renderContext,
  renderDetail,
  renderEpisodes,
  type DetailFile,
  type RenderedContext,
  type Session,
} from '../../context/index.js';
import { compareWithInstructions } from '../../lessons/index.js';
import type { Gone } from '../../projects/tree.js';
import type { Episode, Lesson, Project } from '../../types.js';

export interface KnownProject {
  /** Null for the person's files. */
  project: Project | null;
  lessons: Lesson[];
  globals: Lesson[];
  /** In which somebody asked for something, newest first. */
  sessions: Session[];
  /** The project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** The project's newest days with an entry. */
  lastDays: string[];
  /** What the project's own instruction files say; what its README and CONTRIBUTING say. */
  instructions: string[];
  documents: string[];
  /** Scripts and targets that its manifests name, as `run NAME`. */
  scripts: Set<string>;
  /** What logs show of the project's own files. */
  shownOfFiles: string[];
  /** What files that a person imported say: it is not repeated. */
  imported: string[];
  /** Lesson id -> what it names that the tree holds no more. */
  gone: Map<string, Gone>;
  /** Rules that were broken in two sessions or more since they were said. */
  broken: Set<string>;
  budgetTokens: number;
  askForNotes: boolean;
}

export interface RenderedFiles {
  context: { text: string; tokens: number };
  /** Path below the project's folder -> content; context.md among them. */
  files: Map<string, string>;
}

export function renderKnown(known: KnownProject): RenderedContext {
  const { contradicted, out } = compareWithFiles(known, [...known.lessons, ...known.globals]);
  const stays = ({ id }: Lesson): boolean => !out.has(id);
  return renderContext({
    ...known,
    lessons: known.lessons.filter(stays),
    globals: known.globals.filter(stays),
    contradicted,
  });
}

/**
 * Which of these lessons the page leaves out, and why; and what files of instructions contradict.
 * Pinned ones stay.
 */
export function compareWithFiles(
  known: Pick<
    KnownProject,
    'instructions' | 'documents' | 'imported' | 'scripts' | 'gone' | 'shownOfFiles'
  >,
  lessons: readonly Lesson[],
): { contradicted: Set<string>; out: Map<string, string> } {
  const shown = lessons.filter(isForThePage);
  const rules = compareWithInstructions(shown, [...known.instructions, ...known.imported]);
  const own = compareWithInstructions(shown, known.documents, { deny: false });
  const imported = compareWithInstructions(shown, known.imported, { deny: false });
  const out = new Map<string, string>();
  for (const lesson of shown) {
    const { id } = lesson;
    if (lesson.pinned || rules.contradicted.has(id)) continue;
    if (imported.alreadySaid.has(id)) out.set(id, 'a file that `lessons import` named says it');
    else if (rules.alreadySaid.has(id) || own.alreadySaid.has(id) || isAtAGlance(lesson, known))
      out.set(id, "the project's own files say it");
    else if (known.gone.has(id)) out.set(id, goneLine(known.gone.get(id)!));
  }
  return { contradicted: rules.contradicted, out };
}

function goneLine({ name, commit }: Gone): string {
  return `the tree holds no \`${name}\` any more${commit === null ? '' : ` (removed by ${commit})`}`;
}

/** A script of a manifest, run by its name alone. */
const SCRIPT =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)?|make|just|task|rake|mise (?:run|r)|composer(?: run)?|deno task) ([\w:.-]+)$/;

/**
 * Parts of a form that no file has in these words: the folder that it runs in, and places of values
 * at its end (`./PACKAGE`).
 */
const FOLDER = /^cd \S+ && /;
const PLACES = /(?: (?:\.\/)?[A-Z]{2,})+$/;

/**
 * Whether the project's own files show at a glance how to do it: a script that they name, or the
 * command in their words.
 */
function isAtAGlance(
  { fact, fields }: Lesson,
  {
    scripts,
    documents,
    instructions,
    shownOfFiles,
  }: Pick<KnownProject, 'scripts' | 'documents' | 'instructions' | 'shownOfFiles'>,
): boolean {
  if (fact !== 'works' || typeof fields?.['form'] !== 'string') return false;
  const form = fields['form'].replace(FOLDER, '').replace(PLACES, '');
  const name = SCRIPT.exec(form)?.[1];
  const isScript = name !== undefined && scripts.has(`run ${name}`);
  return (
    isScript || [...documents, ...instructions, ...shownOfFiles].some((text) => text.includes(form))
  );
}

export function renderFiles(known: KnownProject): RenderedFiles {
  const { text, tokens } = renderKnown(known);
  const files = new Map([['context.md', text]]);
  const off = new Map([...known.gone].map(([id, gone]) => [id, goneLine(gone)]));
  for (const file of Object.keys(DETAIL_FILES) as DetailFile[])
    files.set(`detail/${file}.md`, renderDetail(file, known.lessons, known.clockDay, off));
  for (const month of monthsOf(known.sessions))
    files.set(`episodes/${month}.md`, renderEpisodes(month, known.sessions));
  return { context: { text, tokens }, files };
}

function monthsOf(episodes: readonly Episode[]): string[] {
  return [...new Set(episodes.map((episode) => episode.day.slice(0, 7)))].filter((month) =>
    /^\d{4}-\d\d$/.test(month),
  );
}
