/** The question and its type. Pure. */
import { errorLines } from '../../text/errors.js';
import type { MomentType } from '../moments/moment.js';

export interface Question {
  type: MomentType;
  /** The typed text, the command or the path; for a failure the command, '' if unknown. */
  text: string;
  /** What a failed command printed. */
  output: string | null;
  /** Project id; null: every project. */
  project: string | null;
}

/** Most characters of an output that are looked up. */
const OUTPUT_CHARS = 1200;
/** Most characters of a question that are looked up. */
const TEXT_CHARS = 4000;

/** The words to look up; of an output only the lines with errors, or else its end. */
export function wordsOf({ type, text, output }: Omit<Question, 'project'>): string {
  if (type !== 'failure' || output === null) return text.slice(0, TEXT_CHARS);
  const lines = errorLines(output, OUTPUT_CHARS);
  return `${text.slice(0, OUTPUT_CHARS)}\n${lines === '' ? output.slice(-OUTPUT_CHARS) : lines}`;
}

const PATH = /^(?:[a-zA-Z]:)?[\w.@+-]*(?:[\\/][\w.@+-]+)+$|^[\w.-]+\.[a-zA-Z]\w{0,7}$/;
const FILE = /(?<![\w.@/\\-])[\w.@/\\-]*\w\.[a-zA-Z]\w{0,7}(?![\w/\\-]|\.\w)/g;

/** The files that a text names, with `/` between folders. */
export function filesIn(text: string): string[] {
  return (text.slice(0, TEXT_CHARS).match(FILE) ?? []).map((file) =>
    file.replaceAll('\\', '/').replace(/^\.\//, ''),
  );
}

const ERROR_LINE =
  /^(?:.*[\s:\])])?(?:\w*(?:error|exception)|fatal|panic|traceback)\b[^?]{0,40}:|\b(?:E[A-Z]{4,}|[A-Z]\w+(?:Error|Exception))\b|\b(?:command not found|no such file|cannot find module)\b/im;

/**
 * Infers the type of a text: an error, a program that ran here, a path, else a prompt.
 * @param programs of the commands that ran
 */
export function typeOf(text: string, programs: ReadonlySet<string>): MomentType {
  const trimmed = text.trim();
  if (PATH.test(trimmed)) return 'edit';
  const words = trimmed.split(/\s+/);
  if (!trimmed.endsWith('?') && ERROR_LINE.test(trimmed.slice(0, TEXT_CHARS))) return 'failure';
  return words.length <= 4 && programs.has(words[0]!) ? 'command' : 'prompt';
}

/** Whether a prompt asks for the newest sessions, not for something that was said in them. */
export function asksForLastSessions(text: string): boolean {
  return (
    !asksForCommand(text) &&
    /\b(?:last|latest|recent(?:ly)?|previous|yesterday)\b/i.test(text) &&
    /\b(?:did|do|done|doing|work(?:ed|ing)?|sessions?|left off|happened)\b/i.test(text) &&
    text.trim().split(/\s+/).length <= 12
  );
}

/** Whether a prompt asks which command to run. */
export function asksForCommand(text: string): boolean {
  return /\bhow (?:do|does|can|could|should|would|to)\b|\b(?:which|what) (?:command|target|script|task)\b|\b(?:command|target|script|task) (?:for|to)\b|\bwhat (?:do|should) (?:I|we) run\b/i.test(
    text,
  );
}
