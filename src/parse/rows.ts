/**
 * A session's entries as rows: what it ran, what it changed, what the person typed. Facts are
 * queries over these rows. Pure.
 */
import type { EditRow, Entry, ParsedRows, PromptRow, StepAhead, StepRow } from '../types.js';
import { changesOf, foldersOf, sessionRoots, type Call } from './commands/runs.js';
import { isShellMissing } from './commands/missing.js';
import { isQuiet } from './blame.js';
import { errorOf } from './outcome.js';
import type { SessionInput } from './session.js';
import {
  formOf,
  generalForm,
  plainEnv,
  rootsOf,
  splitShell,
  type Step,
  usualClass,
} from '../shell/index.js';
import { readTurns } from './user-turns.js';

/** Longest argument that a row keeps whole: a longer one is data, not a command. */
const LONGEST_WORD = 200;
const MOST_WORDS = 40;

/** Rows of one session; its entries must be in order. @param calls of all its entries */
export function parseRows(session: SessionInput, calls: readonly Call[]): ParsedRows {
  const roots = sessionRoots(session);
  const turns = session.facts.subagent === true ? [] : readTurns(session.entries);
  return {
    steps: calls.flatMap((call, at) => stepsOf(call, at, roots)),
    edits: changesOf(session.entries, roots).map(({ entry, file }): EditRow => ({
      ...placeOf(entry),
      file,
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
  const { entry, result, steps, folders, verdicts } = call;
  return steps.flatMap((step, n): StepRow[] => {
    const program = (step.words[0] ?? '').replace(/^.*\//, '');
    if (program === '' || step.words.length > MOST_WORDS) return [];
    const folder = folders[n] ?? null;
    const form = formOf(step, folder, roots);
    // Going somewhere and waiting are no commands to learn from.
    const outcome =
      verdicts[n] === 'failed' && isQuiet(step) ? 'unknown' : (verdicts[n] ?? 'unknown');
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
        error: outcome === 'failed' && result !== null ? errorOf(step, result.text) : null,
        absent: outcome === 'failed' && isShellMissing(step.words, result?.text ?? ''),
      },
    ];
  });
}

/**
 * The steps of a command that is about to run, without those that run outside of the project.
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
