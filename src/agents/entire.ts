/**
 * Entire's checkpoints: what the agents' logs were at a commit, kept in the repository itself. No agent of its own: each log is
 * read by the adapter of the agent that wrote it.
 *
 * - Either one branch, `entire/checkpoints/v1` (here or of a remote), with a folder `<2 hex>/<rest of the id>/` for each
 *   checkpoint, or a ref for each, `refs/entire/checkpoints/<shard>/<id>`, whose root is that folder.
 * - In it a folder for each session, `0/`, `1/`, … (none in the first versions): `full.jsonl` is the whole log so far, cut at
 *   50 MB into `full.jsonl.001`, …; `metadata.json` tells `agent`, `session_id` and `created_at`. `tasks/<call>/agent-<id>.jsonl`
 *   are logs of subagents. The compact `transcript.jsonl`, `prompt.txt` and `context.md` repeat them and are not read.
 * - Strings that look random stand there as `REDACTED`.
 * - `agent` is a title (`Claude Code`, `Factory AI Droid`), and not always the right one: what the log gives decides.
 * - OpenCode's is an export (one JSON value) under the same name.
 */
import { type Adapter, type Carried, type Shape, shapeOf } from '../types.js';
import { type Json, isObject, isoTime, object, short, text } from './fields.js';

/** Patterns of refs, as git takes them. */
export const CHECKPOINT_REFS = ['refs/heads/entire/checkpoints', 'refs/remotes/*/entire/checkpoints', 'refs/entire/checkpoints'];

const CHECKPOINT = '(?:[\\da-f]{2}\\/[\\dA-Za-z]{4,64}\\/)?';
const LOG = new RegExp(`^${CHECKPOINT}(?:\\d{1,4}\\/)?full\\.jsonl(?:\\.\\d{3})?$`);
const CHILD = new RegExp(`^${CHECKPOINT}tasks\\/[^/]{1,200}\\/(agent-[\\w-]{1,200})\\.jsonl$`);
const FACTS = new RegExp(`^${CHECKPOINT}(?:\\d{1,4}\\/)?metadata\\.json$`);
const FOLDER = new RegExp(`^(?:[\\da-f]{2}|${CHECKPOINT}(?:\\d{1,4}|tasks(?:\\/[^/]{1,200})?)|[\\da-f]{2}\\/[\\dA-Za-z]{4,64})$`);

/** Whether logs of a checkpoint may lie below a folder of its tree. */
export function leadsToCheckpoint(folder: string): boolean {
  return FOLDER.test(folder);
}

/** What a file of a checkpoint's tree is; null when nothing is read of it. */
export function kindInCheckpoint(path: string): 'log' | 'facts' | null {
  return LOG.test(path) || CHILD.test(path) ? 'log' : FACTS.test(path) ? 'facts' : null;
}

interface CarriedLog extends Pick<Carried, 'blobs' | 'label' | 'created'> {
  /** Of its first part. */
  path: string;
  /** As the agent might have named it: see `LogName.relative`. */
  relative: string;
}

/**
 * The logs of one tree.
 * @param logs path and object of each part
 * @param facts texts of `metadata.json` by path
 */
export function planCheckpoint(
  logs: readonly { path: string; blob: string }[],
  facts: ReadonlyMap<string, string>,
): CarriedLog[] {
  const parts = new Map<string, { path: string; blob: string }[]>();
  for (const log of [...logs].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const whole = log.path.replace(/\.\d{3}$/, '');
    parts.set(whole, [...(parts.get(whole) ?? []), log]);
  }
  return [...parts].map(([path, pieces]) => {
    const child = CHILD.exec(path)?.[1];
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const told = (at: string): Json => parsed(facts.get(`${at}metadata.json`));
    const top = folder.replace(/tasks\/[^/]+\/$/, '');
    const known = child === undefined ? told(folder) : { ...told(top), ...told(`${top}0/`) };
    const session = sessionIn(known) ?? `checkpoint-${pieces[0]!.blob.slice(0, 12)}`;
    return {
      path,
      blobs: pieces.map(({ blob }) => blob),
      label: short(known.agent),
      created: Date.parse(isoTime(known.created_at) ?? '') || 1,
      relative: child === undefined ? `checkpoint/${session}.jsonl` : `checkpoint/${session}/subagents/${child}.jsonl`,
    };
  });
}

function parsed(json: string | undefined): Json {
  try {
    return object(JSON.parse(json ?? '{}'));
  } catch {
    return {};
  }
}

/** The agent's own name of the session: the first versions put a day before it. */
function sessionIn({ session_id: told }: Json): string | null {
  const id = text(told)?.replace(/^\d{4}-\d\d-\d\d-(?=[\da-f]{8}-)/, '') ?? '';
  return /^[\w.-]{1,200}$/.test(id) ? id : null;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** Lines of a log by which its agent is known. */
const SAMPLE = { lines: 200, bytes: 1024 * 1024 };

/**
 * The adapter that reads a log, and how: the one that the label names, if it makes entries of it, else the first that does. With
 * none the labelled one is taken, which counts what it does not know.
 */
export function nativeOf(label: string | null, log: string, all: readonly Adapter[]): { adapter: Adapter; shape: Shape } {
  const named = label === null ? [] : all.filter((adapter) => isNamed(adapter, label));
  const tried = [...named, ...all.filter((adapter) => !named.includes(adapter))];
  for (const adapter of tried) {
    const shape = shapeIn(adapter, log);
    if (shape !== null) return { adapter, shape };
  }
  const adapter = tried[0]!;
  return { adapter, shape: shapeOf(adapter, 'checkpoint/log.jsonl') };
}

/** The agent that a label names, as far as it is known. */
export function labelledAgent(label: string | null, all: readonly Adapter[]): string | null {
  return label === null ? null : (all.find((adapter) => isNamed(adapter, label))?.agent ?? null);
}

/** `Factory AI Droid` is `droid`, titled `Factory Droid`. */
function isNamed({ agent, title }: Adapter, label: string): boolean {
  const words = label.split(/\s+/);
  return [plain(label), plain(words.at(-1)!)].some((name) => name === plain(agent) || name === plain(title));
}

const RECORDS: readonly Shape[] = ['lines', 'replay'];

/** The shape in which the adapter makes entries of the log; null when it makes none. */
function shapeIn(adapter: Adapter, log: string): Shape | null {
  const name = { relative: 'checkpoint/log.jsonl' };
  try {
    const whole: unknown = /^\s*\{[\s\S]*\}\s*$/.test(log) ? JSON.parse(log) : null;
    if (isObject(whole) && (adapter.unfold?.(whole, name)?.some((record) => makesEntry(adapter, [record])) ?? false))
      return 'document';
  } catch {
    // Lines, or no log of this agent.
  }
  const shape = shapeOf(adapter, name.relative);
  const lines = log.slice(0, SAMPLE.bytes).split('\n').slice(0, SAMPLE.lines).map(parsed);
  if (!RECORDS.includes(shape)) return null;
  try {
    const records = shape === 'replay' ? (adapter.unfold?.(lines, name) ?? []) : lines;
    return makesEntry(adapter, records) ? shape : null;
  } catch {
    return null;
  }
}

function makesEntry(adapter: Adapter, records: readonly unknown[]): boolean {
  let state = adapter.start({ relative: 'checkpoint/log.jsonl' });
  return records.some((value, index) => {
    const step = adapter.step(state, { value, line: index + 1 });
    state = step.state;
    return step.drafts.length > 0;
  });
}
