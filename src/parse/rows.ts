/**
 * A session's entries as rows: steps, edits and typed prompts. Facts are queries over these rows.
 * Pure.
 */
import type { EditRow, Entry, ParsedRows, PromptRow, StepAhead, StepRow } from '../types.js';
import {
  generalForm,
  plainEnv,
  rootsOf,
  splitShell,
  type Step,
  usualClass,
} from '../shell/index.js';

import { changesOf, foldersOf, sessionRoots, type Call } from './calls.js';
import { errorOf, isQuiet } from './outcome.js';
import type { SessionInput, Turn } from './session.js';

/** Longest argument that a row keeps whole; a longer one is data. */
const LONGEST_WORD = 200;
const MOST_WORDS = 40;

/** Rows of one session; entries must be in order. @param calls of all its entries */
export function parseRows(
  session: SessionInput,
  calls: readonly Call[],
  turns: readonly Turn[],
): ParsedRows {
  const roots = sessionRoots(session);
  return {
    steps: calls.flatMap((call, at) => stepsOf(call, at, roots)),
    edits: changesOf(session.entries, roots).map(({ entry, file, deleted }): EditRow => ({
      ...placeOf(entry),
      ...{ file, deleted },
    })),
    prompts: turns
      .filter(({ typed }) => typed !== '')
      .map(({ entry, typed }): PromptRow => ({ ...placeOf(entry), text: typed })),
  };
}

function placeOf({ id, seq, time }: Entry): { entry: string; seq: number; time: string | null } {
  return { entry: id, seq, time };
}

function stepsOf(call: Call, at: number, roots: string[]): StepRow[] {
  const { entry, result, steps, folders, verdicts, forms } = call;
  const output = result?.text ?? '';
  return steps.flatMap((step, n): StepRow[] => {
    const program = (step.words[0] ?? '').replace(/^.*\//, '');
    if (program === '' || step.words.length > MOST_WORDS) return [];
    const [folder, form, verdict] = [folders[n]!, forms[n], verdicts[n]!];
    // A failed quiet step (`cd`, `sleep`) teaches nothing.
    const outcome = verdict === 'failed' && isQuiet(step) ? 'unknown' : verdict;
    const isFailed = outcome === 'failed';
    const env = plainEnv(step.env);
    return [
      {
        ...placeOf(entry),
        n,
        at,
        ended: result?.time ?? null,
        program,
        words: step.words.map((word) => word.slice(0, LONGEST_WORD)),
        form: form?.text ?? generalForm(step, folder, roots),
        class: form?.class ?? usualClass(program),
        narrow: form?.narrow ?? false,
        own: form?.entry ?? false,
        shown: isShown(step, folder, env),
        env,
        folder,
        outcome,
        error: isFailed && result !== null ? errorOf(step, output) : null,
        absent: isFailed && isShellMissing(step.words, output),
      },
    ];
  });
}

/** Messages of shells that do not find a program. */
const MISSING =
  /command not found: ([\w./+-]+)|(?:^|[\s:])([\w./+-]*[A-Za-z][\w./+-]*): (?:command )?not found(?!: ?[\w./+-])|'([\w.+-]+)' is not recognized as an internal|([\w.+-]+): No such file or directory|Failed to spawn: `([\w.+-]+)`|executable file not found.*"([\w.+-]+)"|exec: "([\w.+-]+)"/;

/** Whether the shell did not find the program of these words. */
function isShellMissing(words: readonly string[], output: string): boolean {
  const bare = (word = ''): string => word.replace(/^.*\//, '');
  return output.split('\n', 120).some((line) => {
    const found = line.length > 400 ? null : MISSING.exec(line);
    return bare(found?.slice(1).find((group) => group !== undefined)) === bare(words[0]);
  });
}

/**
 * The steps of a command that is about to run, without steps outside of the project.
 * @param folders of the project
 */
export function stepsAhead(command: string, cwd: string, folders: readonly string[]): StepAhead[] {
  const steps = splitShell(command);
  const places = foldersOf(steps, cwd, rootsOf([...folders]));
  return steps.flatMap((step, n): StepAhead[] => {
    const folder = places[n] ?? null;
    if (folder === null || (step.words[0] ?? '') === '' || step.words.length > MOST_WORDS)
      return [];
    const words = step.words.map((word) => word.slice(0, LONGEST_WORD));
    return [{ words, shown: isShown(step, folder, plainEnv(step.env)) }];
  });
}

function isShown(step: Step, folder: string | null, env: readonly string[]): boolean {
  return (
    folder !== null &&
    !step.scripted &&
    !step.heredoc &&
    !step.dynamic &&
    env.length === step.env.length &&
    step.words.every((word) => word.length <= LONGEST_WORD && !/[\n\r`]/.test(word))
  );
}
