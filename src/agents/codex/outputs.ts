import type { Outcome } from '../../types.js';
import { isObject, list, object, text as textOf, whole } from '../fields.js';

/** What the output of a call says. */
interface Output {
  text: string;
  exit: number | null;
  outcome: Outcome | null;
  /** The process or script that continues; a later poll has its exit. */
  running: string | null;
}

const HEAD =
  /^(?:Chunk ID: .*\n)?(?:Wall time:? .*\n)?(?:Process (?:exited with code -?\d+|running with session ID \S+)\n)?(?:Exit code: -?\d+\n)?(?:Wall time:? .*\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?(?:Output:\n)?/;
const EXITED = /^(?:Process exited with code|Exit code:|exit_code:|Command exited with code|Script exited with code) (-?\d+)/im;
const RUNNING = /^(?:Process running with session ID|Script running with (?:cell|session) ID) (\S+)/im;
const REJECTED =
  /^(?:exec_command failed for .{0,500}?: )?(?:.{0,500}\()?(?:exec command |patch )?(?:rejected by user|approval denied|user rejected|denied by user)/i;
const SCRIPT = /^Script (completed|failed|terminated)/;
const INSIDE = /exit_?code["']?\s*[:=]\s*(-?\d+)/gi;

/** Text of an output: a string, one item, or a list of items without images. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map(outputText).filter(Boolean).join('\n');
  const one = object(output);
  return textOf(one.text) ?? (one.content === undefined ? '' : outputText(one.content));
}

/** `{"output": "...", "metadata": {"exit_code": 1}}` in a string, as written in 2025. */
function readJson(text: string): Output | null {
  if (!text.startsWith('{')) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const exit = whole(object(object(parsed).metadata).exit_code);
  if (!isObject(parsed) || typeof parsed.output !== 'string' || exit === null) return null;
  return { text: parsed.output, exit, outcome: exit === 0 ? 'ok' : 'failed', running: null };
}

/** A script that prints the result object of its one command. */
function readPrinted(body: string): Output | null {
  if (!body.startsWith('{')) return null;
  try {
    const result = object(JSON.parse(body) as unknown);
    const exit = whole(result.exit_code);
    if (typeof result.output !== 'string') return null;
    return { text: result.output, exit, outcome: exit === null ? null : exit === 0 ? 'ok' : 'failed', running: null };
  } catch {
    return null;
  }
}

/** A script reports only that it ended; exits of its commands are in its output, if at all. */
function readScriptEnd(ended: string, text: string, told: number | null): Output {
  const body = text
    .replace(SCRIPT, '')
    .replace(/^\n?Wall time.*\n/, '')
    .replace(/^Output:\n/, '')
    .trimStart();
  const single = ended === 'completed' ? readPrinted(body) : null;
  if (single) return single;
  const exits = [...body.matchAll(INSIDE)].map((match) => Number(match[1]));
  const exit = told ?? (exits.length > 0 ? (exits.find((code) => code !== 0) ?? 0) : null);
  if (ended === 'terminated') return { text: body, exit, outcome: 'interrupted', running: null };
  const failed = ended === 'failed' || (exit !== null && exit !== 0);
  return { text: body, exit, outcome: failed ? 'failed' : exit === 0 ? 'ok' : null, running: null };
}

/**
 * Reads the output of a call in every format since 2025.
 * @param output the item's `output`
 * @param told exit status from an earlier event, or null
 * @param runs the call ran a command or script; an output without any mark then says nothing about success
 */
export function readOutput(output: unknown, told: number | null, runs: boolean): Output {
  const text = outputText(output);
  const json = readJson(text);
  if (json) return json;
  const head = text.slice(0, 600);
  const script = SCRIPT.exec(head);
  if (script) return readScriptEnd(script[1]!, text, told);
  const running = RUNNING.exec(head)?.[1] ?? null;
  if (running !== null) return { text: text.replace(HEAD, ''), exit: null, outcome: null, running };
  if (REJECTED.test(head)) return { text, exit: null, outcome: 'rejected', running: null };
  const exited = EXITED.exec(head);
  const exit = exited ? Number(exited[1]) : told;
  const body = exited ? text.replace(HEAD, '') : text;
  if (exit !== null) return { text: body, exit, outcome: exit === 0 ? 'ok' : 'failed', running: null };
  const flag = isObject(output) ? output.success : undefined;
  if (flag === false || /^(?:aborted by user|command timed out)/i.test(head))
    return { text, exit: null, outcome: /^aborted/i.test(head) ? 'interrupted' : 'failed', running: null };
  if (
    /^(?:failed to parse function arguments|unsupported call|unknown tool|exec_command failed|apply_patch verification failed|error:)/i.test(
      head,
    )
  )
    return { text, exit: null, outcome: 'failed', running: null };
  return { text, exit: null, outcome: runs ? null : 'ok', running: null };
}

/** The person's answers to the agent's questions: `{"answers": {id: {"answers": [...]}}}`. */
export function readAnswers(output: unknown): string[] {
  try {
    const answers = object(object(JSON.parse(outputText(output)) as unknown).answers);
    return Object.values(answers)
      .flatMap((one) => list(object(one).answers).map(textOf))
      .filter((text) => text !== null);
  } catch {
    return [];
  }
}
