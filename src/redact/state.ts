import type { Redactor } from './redactor.js';

/** Fields that join records, count texts or tell times: hashes and numbers of programs, which must come back as they were. */
const JOINS =
  /^(?:id|native|session|parent|telling|turn|call|polls|process|bang|task|hash|time|file|said|seen|queued|uuid)$|(?:Id|_id|Hash)$/;

/**
 * What a log's reading keeps for its next part, as it may be stored: every name in it (folders, branches, files, tools, commands, kinds
 * of records) masked as in the entries. What is masked once is masked alike when it is read again.
 * @param state plain JSON
 */
export async function redactState(state: unknown, redactor: Pick<Redactor, 'redact'>): Promise<unknown> {
  const names = new Set<string>();
  map(state, (text) => {
    names.add(text);
    return text;
  });
  if (names.size === 0) return state;
  const list = [...names];
  const masked = await redactor.redact(list);
  if (masked.every((text, i) => text === list[i])) return state;
  const known = new Map(list.map((text, i) => [text, masked[i] as string]));
  return map(state, (text) => known.get(text) as string);
}

const map = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => map(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, JOINS.test(key) ? inner : map(inner, change)]));
};
