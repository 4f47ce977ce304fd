/** What may be shown: a text that asks for something harmful is kept back, and so is a form of a program. */
import { whyLesson } from '../../lessons/taint/taint.js';
import { formsOf, typedTokens, type Db, type FormRuns } from '../../store/index.js';
import type { Lesson } from '../../types.js';
import type { Known, RecallItem } from './moment.js';

/** Without entries that ask for something harmful. */
export async function withoutTaint(db: Db, { exact, ranked, seen }: Known): Promise<Known> {
  const isClean = await cleanTexts(db, 'agent');
  const isKept = ({ kind, text }: RecallItem): boolean => kind !== 'entry' || isClean(text);
  return { exact: exact.filter(isKept), ranked: ranked.filter(isKept), seen };
}

/**
 * Forms of a program, and how many more are harmful; {@link formsOf} says what the arguments are.
 */
export async function cleanForms(db: Db, program: string, project: string | null, limit: number) {
  const forms = await formsOf(db, program, project, limit);
  const spanOf = ({ form }: FormRuns): string => `\`${form.replaceAll('`', ' ')}\``;
  const isClean = await cleanTexts(db, 'observed');
  const clean = forms.filter((each) => isClean(spanOf(each)));
  return { forms: clean, withheld: forms.length - clean.length };
}

/** Which texts may be shown. */
export async function cleanTexts(db: Db, saidBy: Lesson['saidBy']) {
  const ground = { typed: await typedTokens(db), packages: new Set<string>() };
  return (text: string): boolean => whyLesson({ text, saidBy }, ground) === null;
}
