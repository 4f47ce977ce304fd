/** The lessons of a project as a whole, asked about at most once a day and only when they changed. */
import { createHash } from 'node:crypto';
import { rankLessons } from '../../context/index.js';
import { likeGroups } from '../../lessons/index.js';
import {
  CONSOLIDATE_TOKENS,
  OFFER_TOKENS,
  chooseGroups,
  estimateTokens,
  noteLine,
  offerAnswerTokens,
  renderConsolidation,
  renderOffer,
  takeOffer,
  takeProposals,
} from '../../parse/index.js';
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
import { ANSWER_TOKENS, type Asked, ID_CHARS, type Passed } from './question.js';
import type { JobContext } from '../job.js';

/** Less than a day, since a night may begin earlier than the last one. */
const AGAIN_MS = 20 * 3_600_000;

interface ProjectQuestion {
  project: Project;
  lessons: Lesson[];
  /** Stores the fingerprint of what was shown; when it is the same the next time, nothing is asked. */
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
    const open = await openProject(db, purpose, new Date(clock.now().getTime() - AGAIN_MS).toISOString());
    const project = open && (await loadProjects(db)).find(({ id }) => id === open.project);
    if (!open || !project) return null;
    const mark = (write: Db, fingerprint: string, time: string) =>
      markConsolidated(write, project.id, purpose, fingerprint, time);
    return {
      project,
      lessons: await loadLessons(db, { owner: project.id, statuses: ['live', 'conflict'] }),
      mark,
      before: open.fingerprint,
    };
  });
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

// The page: which lessons stand in context.md, in what words and order. Kept in the store, so that nothing that renders or reads
// waits for a model.

/** So many times the budget is offered: of what ranks lower by rule hardly anything is wanted. */
const OFFERED_BUDGETS = 10;
/** With fewer lessons everything fits. */
const LEAST = 8;
/** Another model's tokenizer may take so much more than ours. */
const WINDOW_SHARE = 0.8;
/** No note has fewer tokens, its id counted: so many more lines than fit need not be counted. */
const SHORTEST_NOTE_TOKENS = 8;
/** What is shown and asked has this form; another one is asked again. */
const PAGE_FORM = 1;

export async function nextChoice(
  context: Pick<JobContext, 'store' | 'config' | 'clock' | 'compute'>,
): Promise<Asked | Passed | null> {
  const question = await nextProject(context, 'context');
  if (question === null) return null;
  const { project, mark, before } = question;
  const budget = context.config.context.budget_tokens;
  const answerTokens = Math.max(
    ANSWER_TOKENS,
    Math.min(offerAnswerTokens(budget), Math.floor(context.config.llm.window_tokens / 4)),
  );
  const window = (context.config.llm.window_tokens - OFFER_TOKENS - answerTokens) * WINDOW_SHARE;
  const lessons = await chooseOffered(context, question.lessons, Math.min(OFFERED_BUDGETS * budget, window));
  // Sorted by id: confidence changes with the days, and another order alone is no reason to ask again.
  const fingerprint = fingerprintOf([PAGE_FORM, budget, ...lessons.map(({ id, text }) => [id, text].join()).sort()]);
  if (lessons.length < LEAST || fingerprint === before) return passProject(question, fingerprint);
  const prompt = renderOffer(project.name, lessons, shortId, budget);
  return {
    purpose: 'context',
    agent: null,
    session: null,
    project: project.id,
    prompt,
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

/** The best lessons by rule, as many as fit; counted in the compute pool, since the tokenizer holds 60 MB. */
async function chooseOffered(
  { compute }: Pick<JobContext, 'compute'>,
  lessons: readonly Lesson[],
  room: number,
): Promise<Lesson[]> {
  const ranked = rankLessons({ lessons })
    .slice(0, Math.max(0, Math.ceil(room / SHORTEST_NOTE_TOKENS)))
    .map(({ lesson }) => lesson);
  if (ranked.length < LEAST) return ranked;
  const tokens = await compute.run(
    'count',
    ranked.map((lesson) => `${noteLine(lesson, shortId)}\n`),
  );
  let left = room;
  const end = tokens.findIndex((count) => (left -= count) < 0);
  return end < 0 ? ranked : ranked.slice(0, end);
}

/** Lessons that are alike in words, side by side: which say the same, which cannot both hold. */
export async function nextConsolidation(context: Pick<JobContext, 'store' | 'config' | 'clock'>): Promise<Asked | Passed | null> {
  const question = await nextProject(context, 'consolidate');
  if (question === null) return null;
  const { project, lessons, mark, before } = question;
  const room = Math.min(context.config.llm.session_tokens, context.config.llm.window_tokens - CONSOLIDATE_TOKENS - ANSWER_TOKENS);
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
    answerTokens: ANSWER_TOKENS,
    estimate: estimateTokens(prompt) + ANSWER_TOKENS,
    patience: 1,
    take: (answer) => {
      const taken = answer === null ? null : takeProposals(answer, groups, byShortId(groups.flat()));
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
