/**
 * The lessons of a project as a whole, asked about at most once a day and only when they changed.
 */
import { createHash } from 'node:crypto';
import { FRAME_TOKENS, pageLine, rankLessons } from '../../context/index.js';
import { likeGroups } from '../../lessons/index.js';
import {
  ANSWER_TOKENS,
  CONSOLIDATE_SCHEMA,
  CONSOLIDATE_TOKENS,
  OFFER_SCHEMA,
  OFFER_TOKENS,
  chooseGroups,
  estimateTokens,
  offerAnswerTokens,
  offerLine,
  renderConsolidation,
  renderOffer,
  takeOffer,
  takeProposals,
} from '../../asked/index.js';
import {
  type Db,
  type ProjectPurpose,
  addProposals,
  loadLessons,
  loadProjects,
  markConsolidated,
  openProject,
  saveOffered,
} from '../../store/index.js';
import type { Lesson, Project } from '../../types.js';
import { type ModelRequest, ID_CHARS, type Passed } from './question.js';
import type { JobContext } from '../job.js';

/** Less than a day, since a night may begin earlier than the last one. */
const AGAIN_MS = 20 * 3_600_000;

interface ProjectQuestion {
  project: Project;
  lessons: Lesson[];
  /**
   * Stores the fingerprint of what was shown; when it is the same the next time, nothing is asked.
   */
  mark(db: Db, fingerprint: string, time: string): Promise<void>;
  /** What was shown when it was asked last. */
  before: string | null;
}

/** The next project that may be asked about; null when every one was today. */
async function nextProject(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  purpose: ProjectPurpose,
): Promise<ProjectQuestion | null> {
  return store.read(async (db) => {
    const open = await openProject(
      db,
      purpose,
      new Date(clock.now().getTime() - AGAIN_MS).toISOString(),
    );
    const project = open && (await loadProjects(db)).find(({ id }) => id === open.project);
    if (!open || !project) return null;
    return questionAbout(db, project, purpose, open.fingerprint);
  });
}

async function questionAbout(
  db: Db,
  project: Project,
  purpose: ProjectPurpose,
  before: string | null,
): Promise<ProjectQuestion> {
  return {
    project,
    lessons: await loadLessons(db, { owner: project.id, statuses: ['live', 'conflict'] }),
    mark: (write, fingerprint, time) =>
      markConsolidated(write, project.id, purpose, fingerprint, time),
    before,
  };
}

function fingerprintOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 16);
}

/** Nothing to ask today; what was shown last stays known. */
function passProject({ mark, before }: ProjectQuestion, fingerprint = before ?? ''): Passed {
  return { pass: (db, time) => mark(db, fingerprint, time) };
}

function shortId(lesson: Lesson): string {
  return lesson.id.slice(0, ID_CHARS);
}

/** By the id that a model is shown. */
function byShortId(lessons: readonly Lesson[]): Map<string, Lesson> {
  return new Map(lessons.map((lesson) => [shortId(lesson), lesson]));
}

// The page: which lessons stand in context.md, in what order. Kept in the store, so that nothing
// that renders or reads waits for a model.

/** So many times the budget is offered: of what ranks lower by rule hardly anything is wanted. */
const OFFERED_BUDGETS = 10;
/** With fewer lessons everything fits. */
const LEAST = 8;
/** Another model's tokenizer may take so much more than ours. */
const WINDOW_SHARE = 0.8;
/** No note has fewer tokens, its id counted: so many more lines than fit need not be counted. */
const SHORTEST_NOTE_TOKENS = 8;
/** What is shown and asked has this form; another one is asked again. */
const PAGE_FORM = 2;

export async function nextChoice(
  context: Pick<JobContext, 'store' | 'config' | 'clock' | 'compute'>,
): Promise<ModelRequest | Passed | null> {
  const question = await nextProject(context, 'context');
  return question === null ? null : choiceOf(context, question);
}

async function choiceOf(
  context: Pick<JobContext, 'config' | 'compute'>,
  question: ProjectQuestion,
): Promise<ModelRequest | Passed> {
  const { project, mark, before } = question;
  const budget = context.config.context.budget_tokens;
  const window = context.config.llm.window_tokens;
  const answerTokens = Math.max(
    ANSWER_TOKENS,
    Math.min(offerAnswerTokens(budget), Math.floor(window / 4)),
  );
  const room = (window - OFFER_TOKENS - answerTokens) * WINDOW_SHARE;
  const { lessons, lines } = await chooseOffered(
    context,
    question.lessons,
    Math.min(OFFERED_BUDGETS * budget, room),
  );
  // Sorted by id: confidence changes with the days, and another order alone is no reason to ask
  // again.
  const fingerprint = fingerprintOf([
    PAGE_FORM,
    budget,
    ...lessons.map(({ id, text }) => [id, text].join()).sort(),
  ]);
  if (lessons.length < LEAST || fingerprint === before) return passProject(question, fingerprint);
  const prompt = renderOffer(project.name, lines, Math.max(0, budget - FRAME_TOKENS));
  return {
    purpose: 'context',
    agent: null,
    session: null,
    project: project.id,
    prompt,
    schema: OFFER_SCHEMA,
    answerTokens,
    estimate: estimateTokens(prompt) + answerTokens,
    patience: 1,
    take: (answer) => {
      const taken = answer === null ? null : takeOffer(answer, lessons, byShortId(lessons));
      return {
        isUsable: taken !== null,
        kept: taken?.offered.filter(({ line }) => line !== null).length ?? 0,
        dropped: taken?.dropped ?? [],
        save: async (db, time) => {
          if (taken) await saveOffered(db, project.id, taken.offered);
          await mark(db, taken === null ? '' : fingerprint, time);
        },
      };
    },
  };
}

interface OfferedLines {
  lessons: Lesson[];
  lines: string[];
}

/**
 * The best lessons by rule, as many as fit; counted in the compute pool, since the tokenizer holds
 * 60 MB.
 */
async function chooseOffered(
  { compute }: Pick<JobContext, 'compute'>,
  all: readonly Lesson[],
  room: number,
): Promise<OfferedLines> {
  const most = Math.max(0, Math.ceil(room / SHORTEST_NOTE_TOKENS));
  const ranked = rankLessons({ lessons: all }).flatMap(({ lesson }) => {
    const line = pageLine(lesson);
    return line === null ? [] : [{ lesson, line }];
  });
  const near = ranked.slice(0, most);
  const counts = await compute.run('count', [
    ...near.map(({ line }) => `${line}\n`),
    ...near.map(({ lesson }) => `${offerLine(lesson, shortId, 10)}\n`),
  ]);
  let left = room;
  const over = near.findIndex((_, i) => (left -= counts[near.length + i]!) < 0);
  const lessons = near.slice(0, over < 0 ? near.length : over).map(({ lesson }) => lesson);
  return { lessons, lines: lessons.map((lesson, i) => offerLine(lesson, shortId, counts[i]!)) };
}

/** Lessons that are alike in words, side by side: which say the same, which cannot both hold. */
export async function nextConsolidation(
  context: Pick<JobContext, 'store' | 'config' | 'clock'>,
): Promise<ModelRequest | Passed | null> {
  const question = await nextProject(context, 'consolidate');
  if (question === null) return null;
  const { project, lessons, mark, before } = question;
  const room = Math.min(
    context.config.llm.session_tokens,
    context.config.llm.window_tokens - CONSOLIDATE_TOKENS - ANSWER_TOKENS,
  );
  const groups = chooseGroups(likeGroups(lessons), shortId, room);
  const fingerprint = fingerprintOf(groups.map((group) => group.map(({ id, text }) => [id, text])));
  if (groups.length === 0 || fingerprint === before) return passProject(question, fingerprint);
  const prompt = renderConsolidation(project.name, groups, shortId);
  return {
    purpose: 'consolidate',
    agent: null,
    session: null,
    project: project.id,
    prompt,
    schema: CONSOLIDATE_SCHEMA,
    answerTokens: ANSWER_TOKENS,
    estimate: estimateTokens(prompt) + ANSWER_TOKENS,
    patience: 1,
    take: (answer) => {
      const taken =
        answer === null ? null : takeProposals(answer, groups, byShortId(groups.flat()));
      return {
        isUsable: taken !== null,
        kept: taken?.proposals.length ?? 0,
        dropped: taken?.dropped ?? [],
        save: async (db, time) => {
          if (taken) await addProposals(db, project.id, taken.proposals, time);
          await mark(db, taken === null ? '' : fingerprint, time);
        },
      };
    },
  };
}
