/** Which commands that ran answer a question. Pure. */
import { termsOf } from '../../terms/index.js';
import type { AskedForm } from '../../store/search/answers.js';
import type { Question } from './question.js';

/** Words that ask for a class of commands. */
const CLASS_WORDS: readonly (readonly [string, RegExp])[] = [
  ['test', /\b(?:tests?|testing|verify|check|green|specs?|e2e|suite)\b/i],
  ['build', /\b(?:build|compile|bundle)\b/i],
  ['lint', /\b(?:lint(?:er)?|style|checks?|pre-?commit)\b/i],
  ['format', /\b(?:fmt|format(?:ting|ter)?)\b/i],
  ['typecheck', /\b(?:types?|typecheck)\b/i],
  ['install', /\b(?:install|dependenc\w+|deps|set ?up)\b/i],
  ['run', /\b(?:run|start|serve|launch)\b/i],
  ['release', /\b(?:release|publish|deploy)\b/i],
];
/** What the class or the program of a form counts beside the weight of its words. */
const OF_CLASS = 2;
const OF_PROGRAM = 1;
/** A form answers a prompt if it is of a class that is asked for, or has this share of its words' weight. */
const PROMPT_SHARE = 0.25;

/**
 * The forms that share most of the question's words, the usual ones before rare ones.
 * @param programs that the question's command names
 */
export function rankForms(
  forms: readonly AskedForm[],
  { type, text }: Pick<Question, 'type' | 'text'>,
  programs: readonly string[],
  limit: number,
): AskedForm[] {
  const wanted = new Set(termsOf(text).keys());
  const own = forms.map((form) => ({
    form,
    terms: new Set(
      termsOf(`${form.form} ${form.form.replace(/[:_-]/g, ' ')} ${form.class}`).keys(),
    ),
  }));
  const weights = new Map(
    [...wanted].map((term) => {
      const holders = own.filter(({ terms }) => terms.has(term)).length;
      const rarity = Math.log(1 + (own.length - holders + 0.5) / (holders + 0.5));
      return [term, holders === 0 ? 0 : rarity] as const;
    }),
  );
  // A word that no form has weighs as much as one that a single form has.
  const most = Math.log(1 + (own.length - 0.5) / 1.5);
  const whole = [...weights.values()].reduce((sum, weight) => sum + (weight || most), 0);
  const classes =
    type === 'prompt'
      ? CLASS_WORDS.filter(([, words]) => words.test(text)).map(([name]) => name)
      : [];
  return own
    .map(({ form, terms }) => {
      const isOfClass = classes.includes(form.class);
      const isOfProgram = programs.includes(form.program);
      let shared = 0;
      for (const [term, weight] of weights) if (terms.has(term)) shared += weight;
      const isAbout = type !== 'prompt' || isOfClass || shared >= PROMPT_SHARE * whole;
      const score = shared + (isOfClass ? OF_CLASS : 0) + (isOfProgram ? OF_PROGRAM : 0);
      return { form, score: isAbout ? score * Math.log(2 + form.sessions) : 0 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.form.form < b.form.form ? -1 : 1))
    .slice(0, limit)
    .map(({ form }) => form);
}
