/**
 * What may be told: a text that brings in what foreign text named first is kept back, and so is a
 * form of a program.
 */
import { firstSights, tokensAsked, whyLesson } from '../../lessons/taint/taint.js';
import { formsOf, occurrencesOf, type Db, type FormRuns } from '../../store/index.js';
import type { Lesson } from '../../types.js';
import type { Known, RecallItem } from './moment.js';

/** Without what brings in a command, package or URL that foreign text named first. */
export async function withoutTaint(
  db: Db,
  { exact, ranked, seen }: Known,
  project: string | null,
  asOf?: string,
): Promise<Known> {
  const entries = [...exact, ...ranked].filter(({ kind }) => kind === 'entry');
  const isClean = await cleanTexts(
    db,
    entries.map(({ text }) => text),
    project,
    'agent',
    asOf,
  );
  const isKept = ({ kind, text }: RecallItem): boolean => kind !== 'entry' || isClean(text);
  return { exact: exact.filter(isKept), ranked: ranked.filter(isKept), seen };
}

/**
 * Forms of a program, and how many more foreign text named first; {@link formsOf} tells the
 * arguments.
 */
export async function cleanForms(db: Db, program: string, project: string | null, limit: number) {
  const forms = await formsOf(db, program, project, limit);
  const spanOf = ({ form }: FormRuns): string => `\`${form.replaceAll('`', ' ')}\``;
  const isClean = await cleanTexts(db, forms.map(spanOf), project, 'observed');
  const clean = forms.filter((each) => isClean(spanOf(each)));
  return { forms: clean, withheld: forms.length - clean.length };
}

/** Which of these texts may be told. @param saidBy what only an agent says is trusted least */
export async function cleanTexts(
  db: Db,
  texts: readonly string[],
  project: string | null,
  saidBy: Lesson['saidBy'],
  asOf = '9999-12-31',
) {
  const tokens = tokensAsked([], texts);
  const occurrences = tokens.length === 0 ? [] : await occurrencesOf(db, project, tokens);
  const sights = firstSights(occurrences.filter(({ time }) => time < asOf));
  const place = { project, packages: new Set<string>() };
  return (text: string): boolean => whyLesson({ text, saidBy }, sights, place) === null;
}
