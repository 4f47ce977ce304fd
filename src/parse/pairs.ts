import type { Entry } from '../types.js';

export interface Pairs {
  results: ReadonlyMap<Entry, readonly Entry[]>;
  calls: ReadonlyMap<Entry, Entry>;
}

/** A gateway may use a call's id again: a result belongs to the last call of its id before it. */
export function pairsOf(entries: readonly Entry[]): Pairs {
  const results = new Map<Entry, Entry[]>();
  const calls = new Map<Entry, Entry>();
  const last = new Map<string, Entry>();
  const early = new Map<string, Entry[]>();
  const join = (call: Entry, result: Entry): void => {
    results.set(call, [...(results.get(call) ?? []), result]);
    calls.set(result, call);
  };
  for (const entry of entries) {
    if (entry.call === null) continue;
    if (entry.role === 'tool_call') {
      if (!last.has(entry.call)) early.get(entry.call)?.forEach((result) => join(entry, result));
      last.set(entry.call, entry);
    } else if (entry.role === 'tool_result') {
      const call = last.get(entry.call);
      if (call !== undefined) join(call, entry);
      else early.set(entry.call, [...(early.get(entry.call) ?? []), entry]);
    }
  }
  return { results, calls };
}
