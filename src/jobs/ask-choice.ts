/** Which lessons stand in context.md, and in what words: kept in the store, so that nothing that renders or reads waits for a model. */
import { rankLessons } from '../context/index.js';
import { chooseOffer, estimateTokens, OFFER_TOKENS, renderOffer, takeOffer } from '../extract/index.js';
import { saveOffered } from '../store/index.js';
import { byShortId, fingerprintOf, nextProject, passProject, shortId } from './ask-project.js';
import { ANSWER_TOKENS, type Asked, type Passed } from './ask-question.js';
import type { JobContext } from './job.js';

/** So many times the budget is offered: what ranks lower by rule is hardly ever wanted. */
const OFFERED_BUDGETS = 3;
/** A model may find what the judge holds for less likely; of what is under this nine in ten sentences are not worth keeping. */
const LEAST_WORTH = 0.15;
/** With fewer lessons everything fits. */
const LEAST = 8;

export const nextChoice = async (context: Pick<JobContext, 'store' | 'config' | 'clock'>): Promise<Asked | Passed | null> => {
  const question = await nextProject(context, 'context');
  if (question === null) return null;
  const { project, mark, before } = question;
  const { config } = context;
  const budget = config.context.budget_tokens;
  const room = Math.min(OFFERED_BUDGETS * budget, config.llm.window_tokens - OFFER_TOKENS - ANSWER_TOKENS);
  const lessons = chooseOffer(
    rankLessons({ lessons: question.lessons, leastWorth: LEAST_WORTH }).map(({ lesson }) => lesson),
    shortId,
    room,
  );
  // By id: confidence moves with the days, and a new order alone is no news.
  const fingerprint = fingerprintOf([budget, ...lessons.map(({ id, text }) => [id, text].join()).sort()]);
  if (lessons.length < LEAST || fingerprint === before) return passProject(question, fingerprint);
  const prompt = renderOffer(project.name, lessons, shortId, budget);
  return {
    purpose: 'context',
    agent: null,
    session: null,
    project: project.id,
    prompt,
    estimate: estimateTokens(prompt) + ANSWER_TOKENS,
    patience: 1,
    take: (answer) => {
      const taken = answer === null ? null : takeOffer(answer, lessons, byShortId(lessons));
      return {
        isUsable: taken !== null,
        kept: taken?.offered.filter((one) => one.taken).length ?? 0,
        dropped: taken?.dropped ?? [],
        save: async (db, time) => {
          if (taken) await saveOffered(db, project.id, taken.offered);
          await mark(db, taken === null ? '' : fingerprint, time);
        },
      };
    },
  };
};
