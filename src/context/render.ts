/** context.md: one small file under a hard token budget, the most valuable first. The same knowledge gives the same bytes. */
import type { Episode, Lesson, Offered } from '../types.js';
import { type Choice, chooseInOrder, chooseLines, startChoice } from './choose.js';
import { type Frame, GLOBAL_HEADING, LEARNT_HEADING, RECENT_HEADING, USER_HEADING, emptyContext, planFrame } from './frame.js';
import { type Line, MAX_LINE, lineOf, shortIds } from './lines.js';
import { neutralise } from './neutralise.js';
import { type Point, isSamePoint, pointOf } from './points.js';
import { type Ranked, rankLessons } from './rank.js';
import { countLine, countTokens } from './tokens.js';

/** Tokens that recent work and global lessons may take, and their largest share of a smaller budget. */
const RECENT_TOKENS = 120;
const RECENT_SHARE = 0.12;
const GLOBAL_TOKENS = 200;
const GLOBAL_SHARE = 0.2;

export interface ContextInput {
  /** null renders the global file. */
  project: { name: string } | null;
  /** Project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** Lessons of the project (of the global file: the global ones), in any status and order. */
  lessons: readonly Lesson[];
  /** Global lessons; empty for the global file. */
  globals: readonly Lesson[];
  episodes: readonly Episode[];
  /** Hard budget in tokens, everything counted. */
  budgetTokens: number;
  askForNotes: boolean;
  /** Ids that the project's CLAUDE.md or AGENTS.md already says. */
  alreadySaid?: ReadonlySet<string>;
  /** What a model was offered of `lessons`, and the page that it wrote. */
  offered?: readonly Offered[];
  /** Ids that it contradicts: shown as unsure. */
  contradicted?: ReadonlySet<string>;
  /** The stop line, when another is measured. */
  leastWorth?: number;
}

export interface RenderedContext {
  text: string;
  tokens: number;
  /** Ids of the lessons shown, in the order of the file; one line may stand for several. */
  shown: string[];
  /** The text with the short id behind each lesson; not held to the budget, for a person who wants to name one. */
  withIds: string;
  /** Why each shown lesson is in. */
  reasons: Map<string, string[]>;
}

interface Sections {
  user: Line[];
  learnt: Line[];
  recent: string[];
  global: Line[];
}

function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [[heading, ...lines].join('\n')];
}

type Written = (line: Line) => string;

function assemble(frame: Frame, s: Sections, written: Written = (line) => line.text): string {
  const texts = (lines: readonly Line[]): string[] => lines.map(written);
  const blocks = [
    ...(frame.head === '' ? [] : [frame.head]),
    ...block(USER_HEADING, texts(s.user)),
    ...block(LEARNT_HEADING, texts(s.learnt)),
    ...block(RECENT_HEADING, s.recent),
    ...block(GLOBAL_HEADING, texts(s.global)),
    ...(frame.foot.length === 0 ? [] : [frame.foot.join('\n')]),
  ];
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

/** Takes the last line of the least urgent section out; false when none is left. */
function dropOne(s: Sections): boolean {
  const longest = [s.learnt, s.global, s.user].find((lines) => lines.length > 0);
  if (longest) longest.pop();
  else if (s.recent.length > 0) s.recent.pop();
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

/** Everything before the lessons: what stands fixed, and the room that recent work leaves. */
function planRoom(input: ContextInput, recent: readonly string[], anyGlobal: boolean): { frame: Frame; left: number } {
  const users = input.lessons.some((l) => l.saidBy === 'user');
  const others = input.lessons.some((l) => l.saidBy !== 'user');
  const headings = [
    ...(users ? [USER_HEADING] : []),
    ...(others ? [LEARNT_HEADING] : []),
    ...(recent.length > 0 ? [RECENT_HEADING] : []),
    ...(anyGlobal ? [GLOBAL_HEADING] : []),
  ];
  const frame = planFrame(
    { name: input.project?.name ?? null, day: input.clockDay, lessons: input.lessons, headings, askForNotes: input.askForNotes },
    input.budgetTokens,
  );
  const fixed = [frame.head, ...headings, ...frame.foot, ...recent];
  return { frame, left: input.budgetTokens - fixed.reduce((sum, l) => sum + countLine(l), 0) };
}

/** The file of a project without any lesson yet. */
function renderEmpty(input: ContextInput): RenderedContext {
  const text = [emptyContext(input.project, input.askForNotes), emptyContext(input.project, false), ''].find(
    (t) => countTokens(t) <= Math.max(0, input.budgetTokens),
  )!;
  return { text, tokens: countTokens(text), shown: [], withIds: text, reasons: new Map() };
}

/** What the user said since a model wrote the page takes at most this share of its room before it; the rest waits behind. */
const NEW_SHARE = 1 / 3;

function spent(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

type ToLine = (ranked: Ranked) => Line | null;

/** Lines of the project beside the pinned ones. */
function chooseOwn(own: readonly Ranked[], toLine: ToLine, choice: Choice, budget: number): Line[] {
  const of = (turn: Ranked['turn']): Ranked[] => own.filter((each) => each.turn === turn);
  const fresh = chooseLines(of('new'), toLine, choice, budget * NEW_SHARE);
  const page = chooseInOrder(of('page'), toLine, choice, budget - spent(fresh));
  const known = new Set(fresh.map(({ lesson }) => lesson.id));
  const late = own.filter(({ turn, lesson }) => turn === 'value' || (turn === 'new' && !known.has(lesson.id)));
  const chosen = [...page, ...fresh];
  chosen.push(...chooseLines(late, toLine, choice, budget - spent(chosen)));
  return [...chosen, ...chooseLines(of('passed over'), toLine, choice, budget - spent(chosen))];
}

/** Renders context.md. Never over `budgetTokens`; lines whole; sections without lines left out. */
export function renderContext(input: ContextInput): RenderedContext {
  const toLine: ToLine = ({ lesson, ids }) =>
    lineOf(lesson, lesson.status === 'conflict' || (input.contradicted?.has(lesson.id) ?? false), ids);
  const budget = Math.max(0, input.budgetTokens);
  const recent = recentLines(input.episodes, input.clockDay, Math.min(RECENT_TOKENS, budget * RECENT_SHARE));
  const { alreadySaid, contradicted, leastWorth, offered } = input;
  const said = {
    ...(alreadySaid === undefined ? {} : { alreadySaid }),
    ...(contradicted === undefined ? {} : { contradicted }),
    ...(leastWorth === undefined ? {} : { leastWorth }),
  };
  const own = rankLessons({ lessons: input.lessons, ...said, ...(offered === undefined ? {} : { offered }) });
  const globals = rankLessons({ lessons: input.globals, ...said });
  const { frame, left } = planRoom(input, recent, globals.length > 0);
  const choice = startChoice(own);
  const pinned = chooseLines(
    own.filter(({ turn }) => turn === 'pinned'),
    toLine,
    choice,
    left,
  );
  const afterPinned = left - spent(pinned);
  const everywhere = chooseLines(globals, toLine, choice, Math.min(GLOBAL_TOKENS, budget * GLOBAL_SHARE, afterPinned));
  const here = [...pinned, ...chooseOwn(own, toLine, choice, afterPinned - spent(everywhere))];
  const sections: Sections = {
    user: here.filter((l) => l.lesson.saidBy === 'user'),
    learnt: here.filter((l) => l.lesson.saidBy !== 'user'),
    recent,
    global: everywhere,
  };
  if (here.length + everywhere.length + recent.length === 0) return renderEmpty(input);
  const { text, tokens } = fit(frame, sections, budget);
  const shown = [...sections.user, ...sections.learnt, ...sections.global].flatMap(({ ids }) => ids);
  const why = new Map([...own, ...globals].flatMap((each) => each.ids.map((id) => [id, each.reasons] as const)));
  const short = shortIds([...input.lessons, ...input.globals].map((l) => l.id));
  const withIds = assemble(
    frame,
    sections,
    ({ text: line, ids }) => `${line} ${ids.map((id) => `^${short.get(id)!}`).join(' ')}`,
  );
  return { text, tokens, shown, withIds, reasons: new Map(shown.map((id) => [id, why.get(id) ?? []])) };
}

// Recent work: what was left unfinished first, then the newest.

/** Days, by the project clock, for which work is recent; older work is history (episodes/ has it). */
const RECENT_DAYS = 7;
const MAX_LINES = 3;
/** Lines of finished work: one tells where things stand, more only take room from lessons. */
const MAX_DONE = 1;
const MS_PER_DAY = 86_400_000;

function daysApart(a: string, b: string): number {
  return Math.abs(Date.parse(`${b}T00:00:00Z`) - Date.parse(`${a}T00:00:00Z`)) / MS_PER_DAY;
}

function compareNewest(a: Episode, b: Episode): number {
  return (a.day < b.day ? 1 : a.day > b.day ? -1 : 0) || (a.session < b.session ? -1 : a.session > b.session ? 1 : 0);
}

const STATE: Readonly<Record<Episode['outcome'], string>> = {
  success: 'done',
  partial: 'partly done',
  abandoned: 'abandoned',
  unknown: 'left open',
};

function withoutPoint(text: string): string {
  return text.replace(/[.;:,\s]+$/, '');
}

/** Task, state and next step as one line; what does not fit whole is left out from the end, null when the task alone does not. */
function lineOfEpisode(e: Episode): string | null {
  const task = withoutPoint(neutralise(e.title));
  const signal = withoutPoint(neutralise(e.signal));
  const next = e.nextStep === null ? '' : withoutPoint(neutralise(e.nextStep));
  const state = `${e.unfinished ? 'unfinished' : STATE[e.outcome]}${signal === '' ? '' : ` (${signal})`}`;
  // A question that was answered, a stop, an outcome that nobody knows: nothing for the next agent.
  if (task === '' || (!e.unfinished && (e.outcome === 'unknown' || e.outcome === 'abandoned' || e.signal === 'answered')))
    return null;
  const forms = [
    next === '' || !e.unfinished ? '' : `- ${e.day}: ${task}: ${state}; next: ${next}`,
    `- ${e.day}: ${task}: ${state}`,
    `- ${e.day}: ${task}`,
  ];
  return forms.find((f) => f !== '' && f.length <= MAX_LINE) ?? null;
}

/** Lines of recent work within a token budget (newlines counted), most urgent first. */
function recentLines(episodes: readonly Episode[], clockDay: string, budget: number): string[] {
  const recent = episodes.filter((e) => daysApart(e.day, clockDay) <= RECENT_DAYS).sort(compareNewest);
  const points: Point[] = [];
  const lines: { text: string; unfinished: boolean }[] = [];
  // Newest first, so that a task taken up again shows its latest state only.
  for (const episode of recent) {
    const point = pointOf(episode.title);
    if (points.some((p) => isSamePoint(p, point))) continue;
    points.push(point);
    const text = lineOfEpisode(episode);
    if (text !== null) lines.push({ text, unfinished: episode.unfinished });
  }
  let left = budget;
  const chosen: string[] = [];
  for (const { text } of [...lines.filter((l) => l.unfinished), ...lines.filter((l) => !l.unfinished).slice(0, MAX_DONE)]) {
    const tokens = countLine(text);
    if (tokens > left || chosen.length === MAX_LINES) continue;
    left -= tokens;
    chosen.push(text);
  }
  return chosen;
}
