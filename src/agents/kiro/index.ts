/**
 * Kiro (CLI and editor), and the Amazon Q Developer CLI that Kiro CLI was. Not tested on real logs. Known from the public source
 * of the CLI (aws/amazon-q-developer-cli: `crates/agent/src/agent/event_log.rs`, `agent_loop/types.rs`,
 * `crates/chat-cli/src/cli/chat/message.rs`), and for the newest format from samples in vshulcz/deja-vu
 * (`fixtures/registry/kiro-v3`) and a parser in kenn-io/agentsview (`internal/parser/kiro.go`, `kiro_sqlite.go`).
 *
 * - `~/.kiro/sessions/cli/<id>.jsonl`, appended: `{version: "v1", kind, data}`. `<id>.json` beside it has folder and title. Only
 *   prompts have a time. An answer may come in several records of one id.
 * - `~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl`, appended: `{id, timestamp, payload}`. `session.json` beside it has
 *   the folders.
 * - `data.sqlite3` in the data folder of Kiro CLI or Amazon Q: see `turns.ts`.
 * - In the person's place the program sends `You took too long to respond …`. Hooks and context files are in a field of their
 *   own (`additional_context`), as is what a tool returned.
 * - Tokens are not told; credits are not counted.
 */
import type { Adapter, LogName, LogPlace, LogRecord, Shape, Step } from '../../types.js';
import { isObject, list, short, text as textOf } from '../fields.js';
import { readEntry, readMessage } from './lines.js';
import { type KiroState, parse, type Read } from './state.js';
import { readTurn, TURNS } from './turns.js';

const databases = (name: string): LogPlace[] => [
  {
    env: 'XDG_DATA_HOME',
    below: name,
    root: `.local/share/${name}`,
    under: '',
    globs: ['data.sqlite3'],
  },
  { env: null, root: `Library/Application Support/${name}`, under: '', globs: ['data.sqlite3'] },
  { env: null, root: `AppData/Local/${name}`, under: '', globs: ['data.sqlite3'] },
];

const SHARED: Pick<
  Adapter<KiroState>,
  'unproven' | 'shape' | 'rows' | 'beside' | 'start' | 'step'
> = {
  unproven: true,
  shape: (relative): Shape => (relative.endsWith('.sqlite3') ? 'rows' : 'lines'),
  rows: TURNS,
  beside: (relative) =>
    relative.endsWith('/messages.jsonl')
      ? ['session.json']
      : relative.endsWith('.jsonl')
        ? [ownFacts(relative)]
        : [],
  start,
  step,
};

export const kiro: Adapter<KiroState> = {
  agent: 'kiro',
  title: 'Kiro (CLI and editor)',
  places: [
    {
      env: null,
      root: '.kiro',
      under: 'sessions',
      globs: ['cli/*.jsonl', '*/sess_*/messages.jsonl'],
    },
    ...databases('kiro-cli'),
  ],
  ...SHARED,
};

export const amazonQ: Adapter<KiroState> = {
  agent: 'amazon-q',
  title: 'Amazon Q Developer CLI',
  places: [
    ...databases('amazon-q'),
    { env: null, root: 'databases', under: '', globs: ['*.sqlite3'], named: true },
  ],
  ...SHARED,
};

/** Name of the file beside a log of the CLI. */
function ownFacts(relative: string): string {
  return relative.split('/').at(-1)!.replace(/l$/, '');
}

function start({ relative, beside = {} }: LogName): KiroState {
  const path = relative.split('/');
  const facts = parse(Object.values(beside)[0]);
  const named =
    path.at(-1) === 'messages.jsonl' ? path.at(-2)! : path.at(-1)!.replace(/\.jsonl$/, '');
  const session = relative.endsWith('.jsonl') ? (short(facts.session_id) ?? short(named)) : null;
  const cwd = short(facts.cwd) ?? short(list(facts.workspacePaths)[0]);
  return {
    session,
    cwd,
    title: short(facts.title),
    told: false,
    answer: null,
    blocks: 0,
    calls: [],
  };
}

function step(before: KiroState, { value }: LogRecord): Step<KiroState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const isRow = value.mark !== undefined && value.turn !== undefined;
  const read: Read & { at?: string | null } = isRow
    ? readTurn(before, value)
    : isObject(value.payload)
      ? readMessage(before, value)
      : textOf(value.kind) !== null
        ? readEntry(before, value)
        : { state: before, rawEntries: [], unknown: 'record' };
  const { session, cwd, title } = read.state;
  const isNews =
    session !== null && (!before.told || session !== before.session || cwd !== before.cwd);
  // A record without an id is one of its session: no other session repeats it.
  const rawEntries = read.rawEntries.map((raw) =>
    raw.native === null ? { ...raw, bySession: true as const } : raw,
  );
  return {
    state: { ...read.state, told: before.told || isNews },
    rawEntries,
    ...(isNews ? { session: { session, cwd, title } } : {}),
    ...(read.at === undefined ? {} : { at: read.at }),
    ...(read.unknown === undefined ? {} : { unknown: read.unknown.slice(0, 80) }),
  };
}
