import type { Outcome } from '../../types.js';
import { type Json, list, object, parse, parseAny, text as textOf } from '../../text/fields.js';
import { linesOf, whole } from '../../text/fields.js';
import type { Printed } from './script.js';

/** The facts in the output of a call. */
export interface Output {
  text: string;
  exit: number | null;
  outcome: Outcome | null;
  /** The running process or script; a later poll shows its exit. */
  running: string | null;
  /** The output has several different ends, so it comes from several runs. */
  isMixed?: boolean;
}

const HEAD =
  /^(?:Chunk ID: .*\n)?(?:Wall time:? .*\n)?(?:Process (?:exited with code -?\d+|running with session ID \S+)\n)?(?:Exit code: -?\d+\n)?(?:Wall time:? .*\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?(?:Output:\n)?/;
const EXITED =
  /^(?:Process exited with code|Exit code:|exit_code:|Command exited with code|Script exited with code) (-?\d+)/im;
const RUNNING =
  /^(?:Process running with session ID|Script running with (?:cell|session) ID) (\S+)/im;
const REJECTED =
  /^(?:exec_command failed for .{0,500}?: )?(?:.{0,500}\()?(?:exec command |patch )?(?:rejected by user|approval denied|user rejected|denied by user)/i;
const FAILED =
  /^(?:aborted by user|command timed out|failed to parse function arguments|unsupported call|unknown tool|exec_command failed|apply_patch verification failed|error:)/i;
const SCRIPT = /^Script (completed|failed|terminated)/;
const SCRIPT_HEAD =
  /^Script (?:completed|failed|terminated|running with .*)(?:\n?Wall time.*\n)?(?:Output:\n)?/;
const INSIDE = /exit_?code["']?\s*[:=]\s*(-?\d+)/gi;

/** Text of an output: a string, one item, or a list of items without images. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map(outputText).filter(Boolean).join('\n');
  const one = object(output);
  return textOf(one.text) ?? (one.content === undefined ? '' : outputText(one.content));
}

/** An output with the end of its call, from the exit status or `outcome`. */
export function endOf(text: string, exit: number | null, outcome?: Outcome | null): Output {
  const byExit = exit === null ? null : exit === 0 ? 'ok' : 'failed';
  return { text, exit, outcome: outcome === undefined ? byExit : outcome, running: null };
}

/** The text that a script printed for each run; empty if uncertain. */
export function readEach(output: unknown, printed: Printed): Output[] {
  const texts = list(output).map(outputText);
  const pieces = texts.slice(SCRIPT.test(texts[0] ?? '') ? 1 : 0);
  const order = printed.flatMap((of) => of ?? []);
  const results =
    pieces.length === printed.length
      ? printed.flatMap((of, n) => readPiece(pieces[n]!, of))
      : pieces.length <= 1
        ? readResults(outputText(output).replace(SCRIPT_HEAD, ''))
        : [];
  const known = results.filter((result) => result !== null);
  if (known.length !== order.length || known.length < results.length) return [];
  return order.map((_, run) => known[order.indexOf(run)]!);
}

/**
 * The results in one text, by run; null if uncertain, since the text may belong to any run. A patch
 * or a plan gives `{}`.
 */
function readPiece(text: string, of: Printed[number]): (Output | null)[] {
  if (of === null) return text.trim() === '{}' ? [] : [null];
  const results = resultsIn(text) ?? [];
  if (of.length > 1) return results.length === of.length ? results : [null];
  return of.map(() => results.at(-1) ?? endOf(text, null));
}

/** The results in a text, one or several per line; empty if there is other text. */
function readResults(text: string): Output[] {
  const results: Output[] = [];
  for (const line of linesOf(text)) {
    const found = line.trim() === '' ? [] : resultsIn(line);
    if (found === null) return [];
    results.push(...found);
  }
  return results;
}

/**
 * The results in a JSON text; null for other text. A result of a shell has `output` and either
 * `exit_code` or, while its process runs, `session_id` (openai/codex,
 * codex-rs/core/src/tools/context.rs, `UnifiedExecCodeModeResult`); a patch or a plan gives `{}`.
 */
function resultsIn(text: string): Output[] | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const parsed = parseAny(text);
  if (parsed === null) return null;
  const objects = (Array.isArray(parsed) ? parsed : [parsed])
    .map(object)
    .filter((one) => Object.keys(one).length > 0);
  return objects.every((one) => typeof one.output === 'string') ? objects.map(resultOf) : null;
}

function resultOf({ output, exit_code, session_id: process }: Json): Output {
  const exit = whole(exit_code);
  const isRunning = exit === null && (typeof process === 'number' || typeof process === 'string');
  return { ...endOf(output as string, exit), running: isRunning ? String(process) : null };
}

/** A script reports only its own end; its output may contain the exits of its commands. */
function readScriptEnd(
  ended: string,
  text: string,
  exitStatus: number | null,
  reads: boolean,
): Output {
  const body = text.replace(SCRIPT_HEAD, '').trimStart();
  const results = ended === 'completed' ? (resultsIn(body) ?? readResults(body)) : [];
  if (results.length > 0) {
    // All results belong to one process, so the last counts. Only a single result is unwrapped, as
    // in release 0.1.0.
    const last = results.at(-1)!;
    const ends = new Set(results.flatMap((result) => result.exit ?? []));
    const exit = exitStatus ?? (ends.size > 1 ? [...ends].find((code) => code !== 0)! : last.exit);
    const isAlone = body.startsWith('{') && resultsIn(body) !== null;
    const { running } = last;
    return { ...endOf(isAlone ? last.text : body, exit), running, isMixed: ends.size > 1 };
  }
  const exits = !reads ? [] : [...body.matchAll(INSIDE)].map((match) => Number(match[1]));
  const exit = exitStatus ?? (exits.length > 0 ? (exits.find((code) => code !== 0) ?? 0) : null);
  const outcome = { terminated: 'interrupted', failed: 'failed' } as const;
  return endOf(body, exit, outcome[ended as keyof typeof outcome]);
}

/**
 * Reads the output of a call in every format since September 2025.
 * @param exitStatus exit status from an earlier event, or null
 * @param runs the call ran a command or script, so an output without a mark proves no success
 * @param reads the script reads exit codes; otherwise such words in its output do not count
 */
export function readToolOutput(
  output: unknown,
  exitStatus: number | null,
  runs: boolean,
  reads = true,
): Output {
  const text = outputText(output);
  // Until 2026 `{"output": "...", "metadata": {"exit_code": 1}}` in a string.
  const json = text.startsWith('{') ? parse(text) : {};
  const status = whole(object(json.metadata).exit_code);
  if (typeof json.output === 'string' && status !== null) return endOf(json.output, status);
  const head = text.slice(0, 600);
  const script = SCRIPT.exec(head);
  if (script) return readScriptEnd(script[1]!, text, exitStatus, reads);
  const running = RUNNING.exec(head)?.[1] ?? null;
  if (running !== null) return { ...endOf(text.replace(HEAD, ''), null), running };
  if (REJECTED.test(head)) return endOf(text, null, 'rejected');
  const exited = EXITED.exec(head);
  if (exited) return endOf(text.replace(HEAD, ''), Number(exited[1]));
  if (exitStatus !== null) return endOf(text, exitStatus);
  if (object(output).success === false || FAILED.test(head))
    return endOf(text, null, /^aborted/i.test(head) ? 'interrupted' : 'failed');
  return endOf(text, null, runs ? null : 'ok');
}

/** The person's answers to the agent's questions: `{"answers": {id: {"answers": [...]}}}`. */
export function readAnswers(output: unknown): string[] {
  return Object.values(object(parse(outputText(output)).answers))
    .flatMap((one) => list(object(one).answers).map(textOf))
    .filter((text) => text !== null);
}
