/** Finds a project's newest cure and the person's last request, as examples for the person. */
import {
  lastPrompt,
  newestCuredStep,
  newestCureLesson,
  type NewestText,
} from '../store/search/newest.js';
import { clipped, verbatim } from '../text/verbatim.js';
import type { Project } from '../types.js';
import { answerQuestion } from './answer/answer.js';
import type { Recall } from './recall.js';

const MOST_CHARS = 160;

/** A failure of the project with its cure: a lesson, else what followed the last failure. */
export async function newestCure(recall: Recall, project: Project): Promise<NewestText | null> {
  const { lesson, step } = await recall.store.read(async (db) => ({
    lesson: await newestCureLesson(db, project.slug),
    step: await newestCuredStep(db, project.slug),
  }));
  if (lesson !== null || step === null) return lesson;
  const asked = { type: 'failure' as const, text: step.form, output: step.error };
  const { items } = await answerQuestion(recall, project, asked);
  // A cure that is a command begins with the command; other cures explain the person's report.
  const cure = items.find(
    ({ kind, session, text }) =>
      kind === 'cure' && session === step.session && text.startsWith('`'),
  );
  return cure === undefined ? null : { text: clipped(cure.text, 2 * MOST_CHARS), id: cure.id };
}

/** The last prompt of the project that asks for something, as typed. */
export async function lastAsked(recall: Recall, { slug }: Project): Promise<NewestText | null> {
  const asked = await recall.store.read((db) => lastPrompt(db, slug));
  return asked && { ...asked, text: clipped(verbatim(asked.text), MOST_CHARS) };
}
