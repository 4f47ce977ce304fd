/** Lessons that are alike in words, side by side: which say the same, which cannot both hold. */
import { likeGroups } from '../distill/index.js';
import { chooseGroups, CONSOLIDATE_TOKENS, estimateTokens, renderConsolidation, takeProposals } from '../extract/index.js';
import { addProposals } from '../store/index.js';
import { byShortId, fingerprintOf, nextProject, passProject, shortId } from './ask-project.js';
import { ANSWER_TOKENS, type Asked, type Passed } from './ask-question.js';
import type { JobContext } from './job.js';

export const nextConsolidation = async (
  context: Pick<JobContext, 'store' | 'config' | 'clock'>,
): Promise<Asked | Passed | null> => {
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
};
