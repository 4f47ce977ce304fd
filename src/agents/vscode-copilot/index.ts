import type { Adapter, LogName, LogRecord, SessionFacts, Shape, Step } from '../../types.js';
import { type Json, isObject, list, object, short } from '../fields.js';
import { rawEntriesOf, usageOf } from './request.js';

/** The session whose facts were returned. */
interface VscodeCopilotState {
  session: string | null;
}

/**
 * Folders in which VS Code and its forks store a user's data on Linux, macOS, Windows and remote
 * machines.
 */
const ROOTS = [
  ...['Code', 'VSCodium'].flatMap((name) => [
    { env: 'XDG_CONFIG_HOME', below: `${name}*/User`, root: `.config/${name}*/User` },
    { env: null, root: `Library/Application Support/${name}*/User` },
    { env: null, root: `AppData/Roaming/${name}*/User` },
  ]),
  { env: null, root: '.vscode-server*/data/User' },
];

const GLOBS = ['workspaceStorage/*/chatSessions', 'globalStorage/emptyWindowChatSessions'].flatMap(
  (folder) => [`${folder}/*.jsonl`, `${folder}/*.json`],
);

/** Copilot Chat in VS Code; docs/formats.md describes its log of changes. */
export const vscodeCopilot: Adapter<VscodeCopilotState> = {
  agent: 'vscode-copilot',
  title: 'VS Code Copilot Chat',
  places: ROOTS.map((root) => ({ ...root, under: '', globs: GLOBS })),
  shape: (relative): Shape => (relative.endsWith('.jsonl') ? 'replay' : 'document'),
  beside: (relative) => (relative.startsWith('workspaceStorage/') ? ['../workspace.json'] : []),
  unfold,
  start: () => ({ session: null }),
  step,
};

/** One record per request, with what the session and its folder say. */
function unfold(content: unknown, { relative, beside = {} }: LogName): unknown[] | null {
  const session = Array.isArray(content) ? replay(content) : object(content);
  if (!Array.isArray(session.requests)) return null;
  const file = relative
    .split('/')
    .at(-1)!
    .replace(/\.jsonl?$/, '');
  const head = {
    session: short(session.sessionId) ?? file,
    title: short(session.customTitle),
    cwd: folderOf(beside['../workspace.json']),
  };
  return session.requests.filter(isObject).map((request) => ({ head, request }));
}

/**
 * Applies a list of changes: 0 is the whole, 1 sets, 2 cuts a list at `i` and appends, 3 deletes.
 * The first line may be missing. Changes the given objects, which only this call uses.
 */
function replay(changes: readonly unknown[]): Json {
  let state: Json = {};
  for (const change of changes.map(object)) {
    if (change.kind === 0) state = object(change.v);
    else apply(state, change);
  }
  return state;
}

/** Keys that lead out of the log's own objects. */
const UNSAFE = new Set<unknown>(['__proto__', 'constructor', 'prototype']);

function apply(state: Json, { kind, k, v, i }: Json): void {
  const path = list(k);
  const last = path.at(-1);
  if (path.some((key) => UNSAFE.has(key)) || (typeof last !== 'string' && typeof last !== 'number'))
    return;
  let holder: unknown = state;
  for (const key of path.slice(0, -1)) holder = (holder as Json | null)?.[key as string] ?? null;
  if (typeof holder !== 'object' || holder === null) return;
  // An index beyond the end would create a gap of any size.
  if (Array.isArray(holder) && !(typeof last === 'number' && last >= 0 && last <= holder.length))
    return;
  const target = holder as Json;
  if (kind === 1) target[last] = v;
  if (kind === 3) delete target[last];
  if (kind !== 2) return;
  const before = list(target[last]);
  const kept = typeof i === 'number' && i >= 0 && i < before.length ? before.slice(0, i) : before;
  target[last] = [...kept, ...list(v)];
}

/**
 * The folder that `workspace.json` names as a URI; for a workspace of several, the folder of its
 * file.
 */
function folderOf(json: string | undefined): string | null {
  if (json === undefined) return null;
  try {
    const { folder, workspace, configuration } = object(JSON.parse(json));
    const own = pathOf(folder);
    return own ?? pathOf(workspace ?? configuration)?.replace(/\/[^/]*$/, '') ?? null;
  } catch {
    return null;
  }
}

/** `file:///c%3A/x` and `vscode-remote://wsl%2Bubuntu/home/x` as paths. */
function pathOf(uri: unknown): string | null {
  const path = /^[\w-]+:\/\/[^/]*(\/.*)$/.exec(short(uri) ?? '')?.[1];
  return path === undefined ? null : decodeURIComponent(path).replace(/^\/([A-Za-z]:)/, '$1');
}

function step(before: VscodeCopilotState, { value }: LogRecord): Step<VscodeCopilotState> {
  const { head, request } = object(value);
  if (!isObject(request)) return { state: before, rawEntries: [], unknown: 'record' };
  const { session, title, cwd } = object(head);
  const id = short(session);
  const facts: SessionFacts | null =
    id === null ? null : { session: id, title: short(title), cwd: short(cwd) };
  const { rawEntries, unknown } = rawEntriesOf(request, { session: id, cwd: short(cwd) });
  const usage = usageOf(request, id);
  return {
    state: { session: id },
    rawEntries,
    ...(facts !== null && id !== before.session ? { session: facts } : {}),
    ...(usage.length > 0 ? { usage } : {}),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}
