/**
 * context.md: one small file under a hard token budget, the most valuable first. The same knowledge
 * gives the same bytes.
 */
import type { Episode, Lesson } from '../types.js';
import { countTokens } from '../text/tokens.js';
import { contentWords, overlap } from '../text/words.js';
import { chooseInOrder, chooseLines, withoutRepeats, withoutSaid } from './choose.js';
import {
  type Frame,
  GLOBAL_HEADING,
  LEARNT_HEADING,
  UNFINISHED,
  USER_HEADING,
  emptyContext,
  planFrame,
} from './frame.js';
import { type PageLine, MAX_LINE, lineOf, shortIds } from './lines.js';
import { neutralise } from './neutralise.js';
import { type Ranked, rankLessons } from './rank.js';

/** Tokens that global lessons may take, and their largest share of a smaller budget. */
const GLOBAL_TOKENS = 200;
const GLOBAL_SHARE = 0.2;

export interface ContextInput {
  /** null renders the global file. */
  project: { name: string } | null;
  /** Project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** The project's newest days with an entry. */
  lastDays: readonly string[];
  /** Lessons of the project (of the global file: the global ones), in any status and order. */
  lessons: readonly Lesson[];
  /** Global lessons; empty for the global file. */
  globals: readonly Lesson[];
  episodes: readonly Episode[];
  /** Hard budget in tokens, everything counted. */
  budgetTokens: number;
  askForNotes: boolean;
  /** Ids that the project's own files contradict: shown as unsure. */
  contradicted?: ReadonlySet<string>;
  /** Ids of rules that were broken twice since they were said: first on the page. */
  broken?: ReadonlySet<string>;
}

export interface RenderedContext {
  text: string;
  tokens: number;
  /** Ids of the lessons shown, in the order of the file. */
  shown: string[];
  /**
   * The text with the short id behind each lesson; not held to the budget, for a person who wants
   * to name one.
   */
  withIds: string;
  /** Why each shown lesson is in. */
  reasons: Map<string, string[]>;
}

interface Sections {
  user: PageLine[];
  learnt: PageLine[];
  global: PageLine[];
  /** What the last session left unfinished: one line or none. */
  open: string[];
}

function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [[heading, ...lines].join('\n')];
}

type Written = (line: PageLine) => string;

function assemble(frame: Frame, s: Sections, written: Written = (line) => line.text): string {
  const texts = (lines: readonly PageLine[]): string[] => lines.map(written);
  const blocks = [
    ...(frame.head === '' ? [] : [frame.head]),
    ...block(USER_HEADING, texts(s.user)),
    ...block(LEARNT_HEADING, texts(s.learnt)),
    ...block(GLOBAL_HEADING, texts(s.global)),
    ...s.open,
    ...(frame.foot.length === 0 ? [] : [frame.foot.join('\n')]),
  ];
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

/** Takes the last line of the least urgent section out; false when no line is left. */
function dropOne(s: Sections): boolean {
  const longest = [s.learnt, s.global, s.user].find((lines) => lines.length > 0);
  if (longest) longest.pop();
  else if (s.open.length > 0) s.open.pop();
  else return false;
  return true;
}

/** The budget holds for the text as a whole, whatever the parts were counted at. */
function fit(frame: Frame, sections: Sections, budget: number): { text: string; tokens: number } {
  for (;;) {
    const text = assemble(frame, sections);
    const tokens = countTokens(text);
    if (tokens <= budget) return { text, tokens };
    if (dropOne(sections)) continue;
    if (frame.foot.length > 0) frame.foot = frame.foot.slice(0, -1);
    else if (frame.head !== '') frame.head = '';
    else return { text: '', tokens: 0 };
  }
}

/** Everything before the lessons: the fixed part, and the tokens that are left. */
function planRoom(
  input: ContextInput,
  open: readonly string[],
  anyGlobal: boolean,
): { frame: Frame; left: number } {
  const users = input.lessons.some((l) => l.saidBy === 'user');
  const others = input.lessons.some((l) => l.saidBy !== 'user');
  const headings = [
    ...(users ? [USER_HEADING] : []),
    ...(others ? [LEARNT_HEADING] : []),
    ...(anyGlobal ? [GLOBAL_HEADING] : []),
  ];
  const frame = planFrame(
    {
      name: input.project?.name ?? null,
      day: input.clockDay,
      headings,
      askForNotes: input.askForNotes,
    },
    input.budgetTokens,
  );
  const fixed = [frame.head, ...headings, ...frame.foot, ...open];
  return {
    frame,
    left: input.budgetTokens - fixed.reduce((sum, l) => sum + countTokens(`${l}\n`), 0),
  };
}

/** The file of a project without any lesson yet. */
function renderEmpty(input: ContextInput): RenderedContext {
  const text = [
    emptyContext(input.project, input.askForNotes, input.clockDay),
    emptyContext(input.project, false, input.clockDay),
    '',
  ].find((t) => countTokens(t) <= Math.max(0, input.budgetTokens))!;
  return { text, tokens: countTokens(text), shown: [], withIds: text, reasons: new Map() };
}

function spent(lines: readonly PageLine[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

function rankedOf(ranked: readonly Ranked[], lines: readonly PageLine[]): Ranked[] {
  const ids = new Set(lines.map(({ lesson }) => lesson.id));
  return ranked.filter(({ lesson }) => ids.has(lesson.id));
}

type ToLine = (ranked: Ranked) => PageLine | null;

/** Renders context.md. Never over `budgetTokens`; lines whole; sections without lines left out. */
export function renderContext(input: ContextInput): RenderedContext {
  const toLine: ToLine = ({ lesson }) =>
    lineOf(lesson, lesson.status === 'conflict' || (input.contradicted?.has(lesson.id) ?? false));
  const budget = Math.max(0, input.budgetTokens);
  const open = openLine(input.episodes, input.lastDays);
  const own = withoutRepeats(rankLessons(input.lessons, input.broken));
  const globals = rankLessons(input.globals, input.broken);
  const { frame, left } = planRoom(input, open, globals.length > 0);
  const pinned = chooseLines(
    own.filter(({ turn }) => turn !== 'value'),
    toLine,
    left,
  );
  const afterPinned = left - spent(pinned);
  // Of two that say the same here and everywhere one stands: what is pinned here, else the one that
  // holds everywhere.
  const others = withoutSaid(globals, rankedOf(own, pinned));
  const everywhere = chooseLines(
    others,
    toLine,
    Math.min(GLOBAL_TOKENS, budget * GLOBAL_SHARE, afterPinned),
  );
  const rest = withoutSaid(own, rankedOf(globals, everywhere));
  const byValue = rest.filter(({ turn }) => turn === 'value');
  const here = [...pinned, ...chooseInOrder(byValue, toLine, afterPinned - spent(everywhere))];
  const sections: Sections = {
    user: besideConflicts(here.filter((l) => l.lesson.saidBy === 'user')),
    learnt: besideConflicts(here.filter((l) => l.lesson.saidBy !== 'user')),
    global: everywhere,
    open,
  };
  if (here.length + everywhere.length + open.length === 0) return renderEmpty(input);
  const { text, tokens } = fit(frame, sections, budget);
  const shown = [...sections.user, ...sections.learnt, ...sections.global].map(
    ({ lesson }) => lesson.id,
  );
  const why = new Map([...own, ...globals].map(({ lesson, reasons }) => [lesson.id, reasons]));
  const short = shortIds([...input.lessons, ...input.globals].map((l) => l.id));
  const withIds = assemble(
    frame,
    sections,
    ({ text: line, lesson }) => `${line} ^${short.get(lesson.id)!}`,
  );
  return {
    text,
    tokens,
    shown,
    withIds,
    reasons: new Map(shown.map((id) => [id, why.get(id) ?? []])),
  };
}

/** Both sides of a conflict one behind the other, the newer first. */
function besideConflicts(lines: readonly PageLine[]): PageLine[] {
  const placed = new Set<PageLine>();
  for (const line of lines) {
    if (placed.has(line)) continue;
    const sides = lines.filter(
      (other) => other === line || other.lesson.conflictsWith.includes(line.lesson.id),
    );
    sides.sort((a, b) =>
      a.lesson.lastSeen > b.lesson.lastSeen ? -1 : a.lesson.lastSeen < b.lesson.lastSeen ? 1 : 0,
    );
    for (const side of sides) placed.add(side);
  }
  return [...placed];
}

function compareNewest(a: Episode, b: Episode): number {
  return (
    (a.day < b.day ? 1 : a.day > b.day ? -1 : 0) ||
    (a.session < b.session ? -1 : a.session > b.session ? 1 : 0)
  );
}

function withoutPoint(text: string): string {
  return text.replace(/(?<![.;:,\s])[.;:,\s]+$/, '');
}

/**
 * Task, state and next step as one line; what does not fit whole is left out from the end, null
 * when the task alone does not.
 */
function lineOfEpisode({ day, title, signal, nextStep }: Episode): string | null {
  const [task, state, next] = [title, signal, nextStep ?? ''].map((part) =>
    withoutPoint(neutralise(part)),
  ) as [string, string, string];
  if (task === '' || task.endsWith('…')) return null;
  const begun = `${UNFINISHED} ${day}: ${task}`;
  const ended = state === '' ? begun : `${begun} (${state})`;
  const forms = [...(next === '' ? [] : [`${ended}; next: ${next}`]), ended, begun];
  return forms.find((form) => form.length <= MAX_LINE) ?? null;
}

/** Share of common words from which two titles name one task. */
const SAME_TASK = 0.45;

/**
 * The newest session of these days that ended unfinished, as a line, unless a later one took up its
 * task or one of its files.
 */
function openLine(episodes: readonly Episode[], lastDays: readonly string[]): string[] {
  const tasks: Set<string>[] = [];
  const later = new Set<string>();
  for (const episode of episodes.filter(({ day }) => lastDays.includes(day)).sort(compareNewest)) {
    const task = new Set(contentWords(episode.title));
    const isTakenUp =
      tasks.some((other) => overlap(other, task) >= SAME_TASK) ||
      episode.files.some((file) => later.has(file));
    const line = episode.unfinished && !isTakenUp ? lineOfEpisode(episode) : null;
    if (line !== null) return [line];
    tasks.push(task);
    episode.files.forEach((file) => later.add(file));
  }
  return [];
}
