import type { Draft } from '../../types.js';
import { makeDraft, type Place } from './entry.js';
import type { State } from './state.js';

const NOTICE = /^\s*<task[-_]notification>/;
const tag = (text: string, name: string): string | null =>
  new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(text)?.[1] || null;

/**
 * A task notification says how a background command ended: it is that command's result.
 *
 * @returns null when the text is no notification
 */
export function readNotice(
  state: State,
  place: Place,
  text: string,
  block: string | number,
): { state: State; drafts: Draft[] } | null {
  if (!NOTICE.test(text)) return null;
  const task = tag(text, 'task-id');
  const answered = tag(text, 'tool-use-id');
  const call =
    state.calls.find((open) => (task !== null && open.task === task) || (answered !== null && open.id === answered)) ?? null;
  if (call === null) return { state, drafts: [makeDraft(place, block, 'system', 'injected', text.trim())] };
  const status = tag(text, 'status');
  if (status === null || status === 'running')
    return { state, drafts: [makeDraft(place, block, 'system', 'injected', text.trim())] };
  const told = /\(exit code (-?\d+)\)|\bexit code (-?\d+)/.exec(tag(text, 'summary') ?? '');
  const exit = told ? Number(told[1] ?? told[2]) : null;
  const outcome =
    status === 'killed' || status === 'stopped'
      ? 'interrupted'
      : exit === null
        ? status === 'completed'
          ? 'ok'
          : 'failed'
        : exit === 0
          ? 'ok'
          : 'failed';
  const draft = makeDraft(place, block, 'tool_result', 'injected', text.trim(), {
    tool: call.tool,
    call: call.id,
    command: call.command,
    files: call.files,
    exit,
    outcome,
  });
  return { state: { ...state, calls: state.calls.filter((open) => open !== call) }, drafts: [draft] };
}
