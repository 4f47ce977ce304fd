/** The names in a moment, and the cures that its command already contains. Pure. */
import { formOf, generalForm, splitShell, type Step } from '../../shell/index.js';
import { failureSignature, namedError } from '../../text/errors.js';
import type { FactFields, Lesson } from '../../types.js';

/** Names that a lesson and a moment must share exactly; similar words do not count. */
export interface Names {
  signatures: readonly string[];
  forms: readonly string[];
  programs: readonly string[];
  /** Steps of the command, in order. */
  steps: readonly Step[];
  /** Paths below the project's root. */
  files: readonly string[];
}

/** @param moment its type, its command or path, and the output of a failed command */
export function namesOf({
  type,
  text,
  output,
}: {
  type: string;
  text: string;
  output: string | null;
}): Names {
  const steps = type === 'edit' ? [] : splitShell(text);
  const printed = type === 'failure' ? (output ?? '') : '';
  return {
    signatures: [failureSignature(printed), namedError(printed)].filter(
      (each): each is string => each !== null && each !== '',
    ),
    forms: steps.map(shownForm),
    programs: steps.map(programOf).filter((word) => word !== ''),
    steps,
    files: type === 'edit' ? [text] : [],
  };
}

const QUOTED = /["“”`]([^"“”`\n]{12,400})["“”`]|^(.{12,400})$/gm;
const MOST_QUOTED = 8;

/** Error signatures of a prompt's quotes and lines. */
export function errorsQuoted(prompt: string): string[] {
  const parts = [...prompt.matchAll(QUOTED)].flatMap(([line, inside]) => [
    inside ?? line,
    ...[...line.matchAll(/["“”`]([^"“”`]{12,})["“”`]/g)].map(([, part]) => part!),
  ]);
  return [...new Set(parts.flatMap((part) => failureSignature(part) || []))].slice(0, MOST_QUOTED);
}

function shownForm(step: Step): string {
  return formOf(step, '', [])?.text ?? generalForm(step, '', []);
}

function programOf({ words }: Step): string {
  return (words[0] ?? '').replace(/^.*\//, '');
}

/**
 * Whether the command already runs the fact's cure. Forms and the fact's values are compared, since
 * options for the output cure nothing. A cure that must run first does not count after the failing
 * step.
 */
export function isOwnCure(
  { fact, fields }: Pick<Lesson, 'fact' | 'fields'>,
  { forms, programs, steps }: Names,
): boolean {
  if (fact === null || fields === null) return false;
  if (fact === 'absent') {
    const isMet = (step: Step): boolean =>
      programOf(step) === str(fields, 'program') && step.joint !== '||';
    return programs.includes(str(fields, 'instead')) && !steps.some(isMet);
  }
  const fails = splitShell(str(fields, 'fails'));
  const last = forms.findLastIndex((form) => fails.some((step) => shownForm(step) === form));
  const failing = new Set(fails.flatMap(({ words }) => words));
  const isOwn = (name: string): boolean => {
    const [cures, ahead] = [
      splitShell(str(fields, name)),
      name === 'needs' && last >= 0 ? steps.slice(0, last) : steps,
    ];
    return (
      cures.length > 0 &&
      cures.every((cure) => ahead.some(({ words }, at) => isRun(cure, words, forms[at]!, failing)))
    );
  };
  // For `slow`, the form is the slow command, not the cure.
  return (fact === 'works' ? ['form', 'one'] : ['works', 'needs']).some(isOwn);
}

/**
 * @param words of a command, whose form is `form`
 * @param failing words of the failing command, which cure nothing
 */
function isRun(
  cure: Step,
  words: readonly string[],
  form: string,
  failing: ReadonlySet<string>,
): boolean {
  const [program, folder = ''] = cure.words;
  // A cure has its folder or path below the project, a command often the full one.
  const has = (value: string): boolean => words.some((word) => `/${word}`.endsWith(`/${value}`));
  if (program === 'cd') return words[0] === 'cd' && has(folder);
  // `FILE` in a form is a placeholder and no file.
  if ([...cure.env, ...cure.words].join(' ') === form) return true;
  return (
    shownForm(cure) === form &&
    valuesOf(cure, form).every((value) => failing.has(value) || has(value))
  );
}

/** Words that a form replaces by placeholders, except those of omitted options. */
function valuesOf({ words }: Step, form: string): string[] {
  const kept = form.split(' ');
  return words
    .slice(1)
    .filter((word) => !kept.includes(word) && !/^[A-Z]+$/.test(word))
    .filter(
      (word) =>
        !word.startsWith('-') || kept.some((each) => each.startsWith(`${word.split('=')[0]!}=`)),
    );
}

/** Whether sessions ran the fact's cure and still failed with its error. */
export function isInVain(lesson: Pick<Lesson, 'fields'>, tried: ReadonlySet<string>): boolean {
  return curesOf(lesson).some((command) => tried.has(command));
}

/** Commands that a fact says to run. */
export function curesOf({ fields }: Pick<Lesson, 'fields'>): string[] {
  return ['works', 'needs'].flatMap((name) => (fields === null ? [] : str(fields, name) || []));
}

/** '' for a field that is not text. */
export function str(fields: FactFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
