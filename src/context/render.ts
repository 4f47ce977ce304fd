/**
 * Renders context.md under a hard token budget, the most valuable lines first. Equal lessons give
 * equal bytes.
 */
import { MODEL_TAG, type Lesson } from '../types.js';
import { countTokens } from '../text/tokens.js';
import { chooseInOrder, chooseLines, variedFirst, withoutRepeats, withoutShown } from './choose.js';
import {
  type Frame,
  GLOBAL_HEADING,
  LEARNT_HEADING,
  USER_HEADING,
  emptyContext,
  planFrame,
} from './frame.js';
import { type PageLine, lineOf, shortIds } from './lines.js';
import { type RankedLesson, rankLessons } from './rank.js';
import {
  RECENT_HEADING,
  SMALL_SPACE,
  type Session,
  USUAL_SPACE,
  recentLines,
  sharedTopics,
} from './recent.js';
import { present } from '../text/order.js';

/** Tokens for global lessons, and their largest share of a smaller budget. */
const GLOBAL_TOKENS = 200;
const GLOBAL_SHARE = 0.2;

export interface ContextInput {
  /** null for the global file. */
  project: { name: string } | null;
  /** Project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** The project's newest days with an entry. */
  lastDays: readonly string[];
  /** Lessons of the project (of the global file: the global ones), in any status and order. */
  lessons: readonly Lesson[];
  /** Global lessons; empty for the global file. */
  globals: readonly Lesson[];
  /** Sessions of the project with a request, newest first. */
  sessions: readonly Session[];
  /** Hard limit on the tokens of the whole file. */
  budgetTokens: number;
  askForNotes: boolean;
  /** Ids of rules that were broken twice since they were said; they come first. */
  broken?: ReadonlySet<string>;
}

export interface RenderedContext {
  text: string;
  tokens: number;
  /** Ids of the lessons shown, in the order of the file. */
  shown: string[];
  /** The text with a short id after each lesson for a person; may exceed the budget. */
  withIds: string;
  /** Why each shown lesson is on the page. */
  reasons: Map<string, string[]>;
}

interface Sections {
  user: PageLine[];
  learnt: PageLine[];
  global: PageLine[];
  recent: string[];
}

function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [[heading, ...lines].join('\n')];
}

function assemble(
  frame: Frame,
  s: Sections,
  textOf: (line: PageLine) => string = ({ text }) => text,
): string {
  const texts = (lines: readonly PageLine[]): string[] => lines.map(textOf);
  const blocks = [
    ...(frame.head === '' ? [] : [frame.head]),
    ...block(USER_HEADING, texts(s.user)),
    ...block(LEARNT_HEADING, texts(s.learnt)),
    ...block(GLOBAL_HEADING, texts(s.global)),
    ...block(RECENT_HEADING, s.recent),
    ...(frame.foot.length === 0 ? [] : [frame.foot.join('\n')]),
  ];
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

/** Removes the last line of the least urgent section; false if no line is left. */
function dropOne(s: Sections): boolean {
  const longest = [s.learnt, s.global, s.recent, s.user].find((lines) => lines.length > 0);
  longest?.pop();
  return longest !== undefined;
}

/** Drops lines until the whole text fits the budget. */
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

/** The fixed part, and the tokens that are left for lessons. */
function planFixedPart(
  input: ContextInput,
  recent: readonly string[],
  anyGlobal: boolean,
): { frame: Frame; left: number } {
  const users = input.lessons.some((l) => l.said_by === 'user');
  const others = input.lessons.some((l) => l.said_by !== 'user');
  const headings = present([
    users && USER_HEADING,
    others && LEARNT_HEADING,
    anyGlobal && GLOBAL_HEADING,
    recent.length > 0 && RECENT_HEADING,
  ]);
  const topics = sharedTopics(input.sessions, input.project?.name ?? '');
  const frame = planFrame(
    {
      name: input.project?.name ?? null,
      day: input.clockDay,
      headings,
      asked: { sessions: input.sessions.length, topics },
      askForNotes: input.askForNotes,
    },
    input.budgetTokens,
  );
  const fixed = [frame.head, ...headings, ...frame.foot, ...recent];
  return {
    frame,
    left: input.budgetTokens - fixed.reduce((sum, l) => sum + countTokens(`${l}\n`), 0),
  };
}

/** The file without lessons. */
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

function rankedOf(ranked: readonly RankedLesson[], lines: readonly PageLine[]): RankedLesson[] {
  const ids = new Set(lines.map(({ lesson }) => lesson.id));
  return ranked.filter(({ lesson }) => ids.has(lesson.id));
}

/**
 * Renders context.md. Never exceeds `budgetTokens`; cuts no line; omits empty sections. The last
 * sessions get less space if the page would omit claims of a model.
 */
export function renderContext(input: ContextInput): RenderedContext {
  const usual = renderWith(input, USUAL_SPACE);
  return usual.claimsLeftOut ? renderWith(input, SMALL_SPACE) : usual;
}

function renderWith(
  input: ContextInput,
  space: typeof USUAL_SPACE,
): RenderedContext & { claimsLeftOut: boolean } {
  const budget = Math.max(0, input.budgetTokens);
  const recent = recentLines(input.sessions, input.lastDays, budget, space);
  const own = withoutRepeats(rankLessons(input.lessons, input.broken));
  const globals = rankLessons(input.globals, input.broken);
  const { frame, left } = planFixedPart(input, recent, globals.length > 0);
  const pinned = chooseLines(
    own.filter(({ turn }) => turn !== 'value'),
    left,
  );
  const afterPinned = left - spent(pinned);
  // Of a project's and a global lesson with equal meaning the page shows the project's if pinned,
  // else the global one.
  const others = withoutShown(globals, rankedOf(own, pinned));
  const everywhere = chooseLines(
    others,
    Math.min(GLOBAL_TOKENS, budget * GLOBAL_SHARE, afterPinned),
  );
  const rest = withoutShown(own, rankedOf(globals, everywhere));
  const byValue = variedFirst(rest.filter(({ turn }) => turn === 'value'));
  const ofProject = [...pinned, ...chooseInOrder(byValue, afterPinned - spent(everywhere))];
  const sections: Sections = {
    user: ofProject.filter((l) => l.lesson.said_by === 'user'),
    learnt: ofProject.filter((l) => l.lesson.said_by !== 'user'),
    global: everywhere,
    recent,
  };
  if (ofProject.length + everywhere.length + input.sessions.length === 0)
    return { ...renderEmpty(input), claimsLeftOut: false };
  const { text, tokens } = fit(frame, sections, budget);
  const shown = [...sections.user, ...sections.learnt, ...sections.global].map(
    ({ lesson }) => lesson.id,
  );
  const onPage = new Set(shown);
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
    claimsLeftOut: rest.some(
      ({ lesson }) =>
        lesson.tags.includes(MODEL_TAG) && !onPage.has(lesson.id) && lineOf(lesson) !== null,
    ),
  };
}
