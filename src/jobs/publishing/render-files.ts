/** Renders every file of a project that agents and people read. Pure. */
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
import { repeatedByFiles } from '../../lessons/index.js';
import type { Gone } from '../../projects/tree.js';
import type { Episode, Lesson, Project } from '../../types.js';
import { codeSpans } from '../../text/code.js';

export interface KnownProject {
  /** Null for the person's files. */
  project: Project | null;
  lessons: Lesson[];
  globals: Lesson[];
  /** Sessions with a request, newest first. */
  sessions: Session[];
  /** The project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** The project's newest days with an entry. */
  lastDays: string[];
  /** Texts of the project's own files. */
  ownFiles: string[];
  /** Branches of its sessions. */
  branches: Set<string>;
  /** Texts of the project's own files from its logs. */
  shownOfFiles: string[];
  /** Lesson id -> names that are no longer in the tree. */
  gone: Map<string, Gone>;
  /** Rules that at least two sessions broke. */
  broken: Set<string>;
  budgetTokens: number;
  askForNotes: boolean;
}

export interface RenderedFiles {
  context: { text: string; tokens: number };
  /** Path below the project's folder -> content; includes context.md. */
  files: Map<string, string>;
}

export function renderKnown(known: KnownProject): RenderedContext {
  const out = compareWithFiles(known, [...known.lessons, ...known.globals]);
  const stays = ({ id }: Lesson): boolean => !out.has(id);
  return renderContext({
    ...known,
    lessons: known.lessons.filter(stays),
    globals: known.globals.filter(stays),
  });
}

/** Which of these lessons the page leaves out, and why. Pinned ones stay. */
export function compareWithFiles(
  known: Pick<KnownProject, 'ownFiles' | 'branches' | 'gone' | 'shownOfFiles'>,
  lessons: readonly Lesson[],
): Map<string, string> {
  const shown = lessons.filter(isForThePage);
  const own = repeatedByFiles(shown, known.ownFiles);
  const texts = [...known.ownFiles, ...known.shownOfFiles];
  const askedFor = new Set(
    shown.flatMap(({ fact, fields }) =>
      fact === 'works' && isAskedFor(fields) ? String(fields?.['form']) : [],
    ),
  );
  const out = new Map<string, string>();
  for (const lesson of shown) {
    const { id } = lesson;
    if (lesson.pinned) continue;
    if (own.has(id) || isAtAGlance(lesson, texts, askedFor))
      out.set(id, "the project's own files say it");
    else if (known.gone.has(id)) out.set(id, goneLine(known.gone.get(id)!));
    else {
      const bound = boundTo(lesson, known.branches);
      if (bound !== null) out.set(id, bound);
    }
  }
  return out;
}

function goneLine({ name, commit }: Gone): string {
  return `the tree has no \`${name}\` any more${commit === null ? '' : ` (removed by ${commit})`}`;
}

/** A script that is run by its name alone. */
const SCRIPT =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)?|make|just|task|rake|mise (?:run|r)|composer(?: run)?|deno task) [\w:.-]+$/;

/**
 * Parts of a form that files do not contain: the folder of the command, and placeholders at its end
 * (`./PACKAGE`).
 */
const FOLDER = /^cd \S+ && /;
const PLACES = /(?: (?:\.\/)?[A-Z]{2,})+$/;

/**
 * Whether the project's own files already show a command: as a script (it ran, so a manifest has
 * it) or in its words. They do not show what a person asks for again and again, or how to run one
 * test.
 */
function isAtAGlance(
  { fact, fields }: Lesson,
  texts: readonly string[],
  askedFor: ReadonlySet<string>,
): boolean {
  if (fact !== 'works' || typeof fields?.['form'] !== 'string') return false;
  const { form, one } = fields;
  if (isAskedFor(fields)) return false;
  const isShown = (command: string): boolean => {
    const words = command.replace(FOLDER, '').replace(PLACES, '');
    return SCRIPT.test(words) || texts.some((text) => text.includes(words));
  };
  return askedFor.has(form) || (isShown(form) && (typeof one !== 'string' || isShown(one)));
}

/** Whether a person asked for a command in several sessions; its form is then its class. */
function isAskedFor(fields: Lesson['fields']): boolean {
  return fields?.['class'] === fields?.['form'];
}

/** The one test that a command runs: its name behind an option, a path or a class. */
const ONE_TEST =
  /(?:^|\s)(?:-run|-k|-t|--grep|--filter|--testNamePattern|--tests?)[ =](?!\.?\/?[A-Z]{2,}\b)\S|::\w*[a-z]|(?:^|[\s/])(?:test_\w+\.py|[\w.-]+(?:_test|\.test|\.spec|Tests?)\.\w+|[\w-]+\.bats)\b/;
/** Branches of every clone. */
const LASTING = /^(?:HEAD|main|master|trunk|develop|dev|stable|release|next)$/;
/** A placeholder of a form in the name of a branch: `codex/NAME`. */
const BRANCH_PLACE = /^[\w.-]+\/[A-Z]{2,}$/;

/** Limits a fact to one task: a single test, or a branch. Null: no limit. */
function boundTo({ fact, text }: Lesson, branches: ReadonlySet<string>): string | null {
  if (fact === null) return null;
  for (const span of codeSpans(text)) {
    if (ONE_TEST.test(span)) return 'it is about a single test';
    const words = span.split(/\s+/);
    const branch = words.find(
      (word) =>
        (branches.has(word) && !LASTING.test(word)) ||
        (/^(?:git|gh)$/.test(words[0]!) && BRANCH_PLACE.test(word)),
    );
    if (branch !== undefined) return `it is about the branch \`${branch}\``;
  }
  return null;
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
