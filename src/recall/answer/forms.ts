/** Finds commands that ran and answer a question. */
import { rankWords, type Db } from '../../store/index.js';
import { hashTerm, normaliseQuery, termsOf } from '../../terms/index.js';
import { formsOfCalls, type AskedForm } from '../../store/search/answers.js';
import { weightTogether } from '../passage.js';
import type { Question } from './question.js';

/** Words that ask for a class of commands. */
const CLASS_WORDS: readonly (readonly [string, RegExp])[] = [
  ['test', /\b(?:tests?|testing|verify|check|green|specs?|e2e|suite)\b/i],
  ['check', /\b(?:checks?|verify|pre-?commit)\b/i],
  ['build', /\b(?:build|compile|bundle)\b/i],
  ['lint', /\b(?:lint(?:er)?|style|checks?|pre-?commit)\b/i],
  ['format', /\b(?:fmt|format(?:ting|ter)?)\b/i],
  ['typecheck', /\b(?:types?|typecheck)\b/i],
  ['install', /\b(?:install|dependenc\w+|deps|set ?up)\b/i],
  ['run', /\b(?:run|start|serve|launch)\b/i],
  ['release', /\b(?:release|publish|deploy)\b/i],
];
/** Weight of a form's class and program, in addition to its words. */
const OF_CLASS = 2;
const OF_PROGRAM = 1;
/** A form answers a prompt if its class is asked for, or if it has this share of the weight. */
const PROMPT_SHARE = 0.25;

/** A question with more words must match more than the folder of a call. */
const FEW = 2;

/** Calls that are read, and the least share of the question's weight in a call. */
const CALLS = 30;
const CALL_SHARE = 0.4;
/** Added to a form for a call with all words of the question. */
const OF_CALL = 6;

/**
 * Forms of the calls whose arguments or description have most of the question's words.
 * @returns the share of the question's weight by form, 0..1
 */
export async function formsCalled(
  db: Db,
  { text, project }: Question,
): Promise<Map<string, number>> {
  const terms = normaliseQuery(text);
  const { hits, weights } = await rankWords(db, {
    terms: terms.map(hashTerm),
    roles: ['tool_call'],
    ...(project === null ? {} : { projects: [project] }),
    limit: CALLS,
    texts: CALLS,
  });
  const named = new Map(terms.map((term) => [term, weights.get(hashTerm(term)) ?? 0]));
  const shares = new Map(hits.map(({ id, text: call }) => [id, weightTogether(call, named)]));
  const called = new Map<string, number>();
  for (const { entry, form } of await formsOfCalls(db, [...shares.keys()])) {
    const share = shares.get(entry)!;
    if (share >= CALL_SHARE) called.set(form, Math.max(share, called.get(form) ?? 0));
  }
  return called;
}

/**
 * Whether the own words of a form include one of the question. Folders and addresses do not count,
 * because they do not describe the command.
 */
function isOfCommand(
  { form, class: kind, program, example }: AskedForm,
  wanted: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): boolean {
  const words = `${form} ${example}`.split(/\s+/).map((word) => {
    const last = word.replace(/^.*\//, '');
    if (last === word) return word;
    return folders.has(last) ? '' : /^[~/]|:\/\//.test(word) ? last : word;
  });
  const own = termsOf([...words, program, kind].join(' ').replace(/[:_-]/g, ' '));
  return [...own.keys()].some((term) => wanted.has(term));
}

/** Without commit messages and addresses, whose words do not describe the command. */
function argumentsOf({ class: kind, example }: AskedForm): string {
  return kind === 'vcs' ? '' : example.replace(/\S*:\/\/\S*/g, '');
}

/**
 * The forms that share most of the question's words, usual ones before rare ones. Pure.
 * @param programs that the question's command names
 * @param folders names of the projects and their folders
 * @param called forms of calls about the question, with their share of its weight; null: no command
 * is asked for, and arguments do not count
 */
export function rankForms(
  forms: readonly AskedForm[],
  { type, text }: Pick<Question, 'type' | 'text'>,
  {
    programs,
    called,
    folders,
  }: {
    programs: readonly string[];
    called: ReadonlyMap<string, number> | null;
    folders: ReadonlySet<string>;
  },
  limit: number,
): AskedForm[] {
  const wanted = new Set(termsOf(text).keys());
  const own = forms.map((form) => ({
    form,
    terms: new Set(
      termsOf(
        `${form.form} ${form.form.replace(/[:_-]/g, ' ')} ${form.class} ${called === null ? '' : argumentsOf(form)}`,
      ).keys(),
    ),
  }));
  const weights = new Map(
    [...wanted].map((term) => {
      const holders = own.filter(({ terms }) => terms.has(term)).length;
      const rarity = Math.log(1 + (own.length - holders + 0.5) / (holders + 0.5));
      return [term, holders === 0 ? 0 : rarity] as const;
    }),
  );
  // A word without a form weighs as much as a word with a single form.
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
      const share = called?.get(form.form) ?? 0;
      const isAbout =
        type === 'command'
          ? isOfProgram || isOfCommand(form, wanted, folders) || (share > 0 && wanted.size > FEW)
          : type !== 'prompt' || isOfClass || share > 0 || shared >= PROMPT_SHARE * whole;
      const score =
        shared + (isOfClass ? OF_CLASS : 0) + (isOfProgram ? OF_PROGRAM : 0) + OF_CALL * share;
      return { form, score: isAbout ? score * Math.log(2 + form.sessions) : 0 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.form.form < b.form.form ? -1 : 1))
    .slice(0, limit)
    .map(({ form }) => form);
}
