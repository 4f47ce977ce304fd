/** What a moment names, and which cures it names itself. Pure. */
import { formOf, generalForm } from '../../parse/commands/form.js';
import { splitShell, type Step } from '../../parse/shell/steps.js';
import { failureSignature, namedError } from '../../text/error-signature.js';
import type { FactFields, Lesson } from '../../types.js';

/** What decides whether a lesson is about a moment: names, not words that are alike. */
export interface Names {
  signatures: readonly string[];
  forms: readonly string[];
  programs: readonly string[];
  /** Where a `cd` of the command goes, as it was typed. */
  folders: readonly string[];
  /** Paths below the project's root. */
  files: readonly string[];
}

/** @param moment its type, its command or path, and what a failed command printed */
export function namesOf({ type, text, output }: { type: string; text: string; output: string | null }): Names {
  const steps = type === 'edit' ? [] : splitShell(text);
  const printed = type === 'failure' ? (output ?? '') : '';
  return {
    signatures: [failureSignature(printed), namedError(printed)].filter((each): each is string => each !== null && each !== ''),
    forms: steps.map(shownForm),
    programs: steps.flatMap(({ words }) => (words[0] ?? '').replace(/^.*\//, '')).filter((word) => word !== ''),
    folders: steps.flatMap(({ words: [program, folder = ''] }) => (program === 'cd' ? [folder] : [])),
    files: type === 'edit' ? [text] : [],
  };
}

function shownForm(step: Step): string {
  return formOf(step, '', [])?.text ?? generalForm(step, '', []);
}

/** Whether a fact tells to run what runs already: compared by forms, since options that only change the output cure nothing. */
export function isOwnCure({ fact, fields }: Pick<Lesson, 'fact' | 'fields'>, { forms, programs, folders }: Names): boolean {
  if (fact === null || fields === null) return false;
  if (fact === 'absent') return programs.includes(str(fields, 'instead'));
  const runs = (step: Step): boolean => {
    const [program, folder = ''] = step.words;
    // A form names its folder below the project, a command often the whole path.
    if (program === 'cd') return folders.some((each) => `/${each}`.endsWith(`/${folder}`));
    // `FILE` of a form is no file: it would become another form.
    return forms.includes(shownForm(step)) || forms.includes([...step.env, ...step.words].join(' '));
  };
  // The form of other facts is what they are about: that it is flaky or slow.
  const cures = (fact === 'works' ? ['form', 'one'] : ['works', 'needs']).map((name) => splitShell(str(fields, name)));
  return cures.some((steps) => steps.length > 0 && steps.every(runs));
}

/** '' for a field that is no text. */
export function str(fields: FactFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
