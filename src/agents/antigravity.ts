/**
 * Antigravity's conversations below `~/.gemini/antigravity*`: a readable copy of its own store,
 * appended and not always written. Not tested on real logs: known from descriptions and a redacted
 * sample. A step may be written again when it is done. `USER_INPUT` of `USER_EXPLICIT` has the
 * person's words in `<USER_REQUEST>`, with settings in other blocks. The steps that follow a
 * `PLANNER_RESPONSE` are the results of its calls, in order and without their ids.
 */
import { agent, type Event, type OpenCall } from './engine.js';
import { between, isoTime, type Json, list, object, parseAny } from '../text/fields.js';
import { short, text as textOf, whole } from '../text/fields.js';

const LOG = '.system_generated/logs/transcript_full.jsonl';

/** Steps with content from outside this machine. */
const FOREIGN = /WEB|URL|BROWSER|MCP|SEARCH_KNOWLEDGE/;

export const antigravity = agent<null>({
  ...{ agent: 'antigravity', title: 'Antigravity', unproven: true },
  places: [
    { env: null, root: '.gemini/antigravity*', under: 'brain', globs: [`*/${LOG}`] },
    { env: null, root: 'brains', under: '', globs: [`**/${LOG}`], named: true },
  ],
  ...{ ownTools: /^/, tags: null, repeats: true, more: null },
  begin: ({ relative }) => ({ session: relative.split('/').at(-4) ?? relative }),
  place(step, { facts }) {
    const isKnown = whole(step.step_index) !== null && textOf(step.created_at) !== null;
    const id = isKnown ? `${facts.session}:${whole(step.step_index)}` : null;
    return { id, time: isoTime(step.created_at) };
  },
  read(step, { facts, calls }) {
    const type = textOf(step.type) ?? 'none';
    const text = (textOf(step.content) ?? '').trim();
    if (type === 'USER_INPUT') {
      const request = between(text, '<USER_REQUEST>', '</USER_REQUEST>');
      const isTyped = step.source === 'USER_EXPLICIT' && request !== null;
      return [{ is: 'prompt', ...(isTyped ? { text: request } : { text, by: 'injected' }) }];
    }
    if (type === 'CHECKPOINT') return [{ is: 'notice', text, mark: 'compaction' }];
    if (step.source === 'SYSTEM') return [{ is: 'notice', text }];
    if (step.source !== 'MODEL' || !/^[A-Z_]+$/.test(type)) return [{ is: 'unknown', type }];
    if (type !== 'PLANNER_RESPONSE') return resultEvents(step, type, text, calls);
    const id = `${facts.session}:${whole(step.step_index) ?? ''}`;
    const asked = list(step.tool_calls).map(object);
    const inputs = asked.map(({ args }) => unquoted(object(args)));
    const cwd = inputs.map(({ Cwd }) => short(Cwd)).find((each) => each !== null) ?? null;
    return [
      { is: 'session', cwd },
      { is: 'thought', part: 'thinking', text: textOf(step.thinking) ?? '' },
      { is: 'answer', text, final: asked.length === 0 },
      ...asked.map((each, at): Event => {
        const [part, tool] = [`call:${at}`, textOf(each.name) ?? 'unknown'];
        return { is: 'call', part, call: `${id}:${part}`, tool, input: inputs[at] };
      }),
    ];
  },
});

/** Values are JSON inside strings: `"\"npm test\""`. */
function unquoted(args: Json): Json {
  const values = Object.entries(args).map(([key, value]) => [key, parseAny(value) ?? value]);
  return Object.fromEntries(values) as Json;
}

/** The result of the last answer's oldest open call; none while the step is running. */
function resultEvents(step: Json, type: string, text: string, calls: readonly OpenCall[]): Event[] {
  const status = textOf(step.status) ?? '';
  if (text === '' || (status !== 'DONE' && !/ERROR|FAIL|CANCEL/.test(status))) return [];
  const asked = calls.at(-1)?.id.replace(/\d+$/, '') ?? '';
  const open = calls.find(({ id }) => id.startsWith(asked));
  const [, end, code] =
    /^The command (completed successfully|failed with exit code (-?\d+))/m.exec(text) ?? [];
  const ended = end === undefined ? {} : { exit: Number(code ?? 0) };
  const result: Event = {
    ...{ is: 'result', call: open?.id ?? null, tool: open?.tool ?? type.toLowerCase(), text },
    ...{ ok: !/ERROR|FAIL/.test(status), ...(type === 'RUN_COMMAND' ? ended : { exit: null }) },
    outcome: /CANCEL/.test(status) ? 'interrupted' : null,
  };
  return [FOREIGN.test(type) ? { ...result, origin: 'external' } : result];
}
