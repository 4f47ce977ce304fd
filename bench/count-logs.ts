/**
 * Counts what an adapter makes of the logs below a folder, one line per file, for comparison with count-logs.py and
 * count-codex.py.
 *
 * npx tsx bench/count-logs.ts FOLDER [AGENT] [--dump ORIGIN]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { adapters, splitGlued } from '../src/agents/index.js';
import type { RawEntry } from '../src/types.js';

const [folder = '.', agent = 'claude-code', , origin] = process.argv.slice(2);
const adapter = adapters.find((one) => one.agent === agent);
if (!adapter) throw new Error(`no adapter named ${agent}`);

/** Records of a log, as a reader would hand them on: glued lines are taken apart, bad ones left out. */
function* records(path: string): Generator<{ value: unknown; line: number }> {
  let line = 0;
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    line++;
    if (text.trim() === '') continue;
    let values: unknown[] = [];
    try {
      values = [JSON.parse(text)];
    } catch {
      values = splitGlued(text) ?? [];
    }
    for (const value of values) yield { value, line };
  }
}

const unknown = new Map<string, number>();
let stateBytes = 0;
const total = {
  prompts: 0,
  said: 0,
  stops: 0,
  reasons: 0,
  answers: 0,
  shell: 0,
  calls: 0,
  failed: 0,
  rejected: 0,
  interrupted: 0,
};
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .sort();
for (const name of files) {
  let state = adapter.start({ relative: relative('.', name) });
  const seen = new Map<string, RawEntry & { line: number }>();
  let machine = false;
  let nameless = 0;
  for (const record of records(join(folder, name))) {
    const step = adapter.step(state, record);
    state = step.state;
    if (step.session?.machine !== undefined) machine = step.session.machine;
    if (step.unknown) unknown.set(step.unknown, (unknown.get(step.unknown) ?? 0) + 1);
    stateBytes = Math.max(stateBytes, Buffer.byteLength(JSON.stringify(state)));
    for (const raw of step.rawEntries) seen.set(raw.native ?? `#${nameless++}`, { ...raw, line: record.line });
  }
  const rawEntries = [...seen.values()];
  const has = (mark: string) => (raw: RawEntry) => raw.marks?.includes(mark) ?? false;
  const users = rawEntries.filter((raw) => raw.origin === 'user');
  const isPrompt = (raw: RawEntry) =>
    raw.role === 'user' &&
    !has('rejection')(raw) &&
    !has('question')(raw) &&
    (raw.origin === 'user' || (has('pasted')(raw) && !/:\d+:\d+$/.test(raw.native ?? '')));
  const count = {
    prompts: rawEntries.filter((raw) => isPrompt(raw)).length,
    said: rawEntries.filter((raw) => raw.role === 'assistant').length,
    stops: rawEntries.filter(has('interrupt')).length,
    reasons: users.filter(has('rejection')).length,
    answers: users.filter(has('question')).length,
    shell: users.filter((raw) => raw.role === 'tool_call').length,
    calls: rawEntries.filter((raw) => raw.role === 'tool_call' && raw.origin !== 'user').length,
    failed: rawEntries.filter((raw) => raw.role === 'tool_result' && raw.outcome === 'failed').length,
    rejected: rawEntries.filter((raw) => raw.role === 'tool_result' && raw.outcome === 'rejected').length,
    interrupted: rawEntries.filter((raw) => raw.role === 'tool_result' && raw.outcome === 'interrupted').length,
  };
  for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += count[key];
  console.log(
    [name, ...Object.entries(count).map(([key, value]) => `${key}=${value}`), machine ? 'machine' : 'human'].join('\t'),
  );
  if (origin)
    for (const raw of rawEntries.filter((one) => one.origin === origin))
      console.log(`  ${raw.line} ${raw.role} ${raw.marks?.join(',') ?? ''} ${JSON.stringify(raw.text.slice(0, 300))}`);
}
console.log(['total', ...Object.entries(total).map(([key, value]) => `${key}=${value}`)].join('\t'));
console.error(
  `${files.length} files; largest state ${stateBytes} bytes; unknown types: ${JSON.stringify(Object.fromEntries(unknown))}`,
);
