/**
 * Adds and removes single members and items of JSON text; all other bytes stay. Comments, trailing
 * commas and a byte order mark are allowed. Pure.
 */
import { parseTree, type Node, type ParseError } from 'jsonc-parser';

export interface JsonMember {
  key: string;
  start: number;
  value: JsonNode;
}

export interface JsonNode {
  kind: 'object' | 'list' | 'plain';
  /** Offsets of the first character and after the last one. */
  start: number;
  end: number;
  members: JsonMember[];
  items: JsonNode[];
}

/** Null if the text is not a JSON object, or is nested too deep to be read. */
export function parseJson(text: string): JsonNode | null {
  const mark = text.startsWith('\ufeff') ? 1 : 0;
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text.slice(mark), errors, { allowTrailingComma: true });
    return root?.type === 'object' && errors.length === 0 ? nodeOf(root, mark) : null;
  } catch {
    return null;
  }
}

/** @param mark characters before the text that was parsed */
function nodeOf({ type, offset, length, children = [] }: Node, mark: number): JsonNode {
  const start = offset + mark;
  return {
    kind: type === 'object' ? 'object' : type === 'array' ? 'list' : 'plain',
    start,
    end: start + length,
    items: type === 'array' ? children.map((child) => nodeOf(child, mark)) : [],
    members: type === 'object' ? children.map((child) => memberFrom(child, mark)) : [],
  };
}

function memberFrom({ offset, children }: Node, mark: number): JsonMember {
  const [key, value] = children as [Node, Node];
  return { key: key.value as string, start: offset + mark, value: nodeOf(value, mark) };
}

/** The member of this name; undefined when there is none, null when there are two. */
export function memberOf({ members }: JsonNode, key: string): JsonMember | null | undefined {
  const found = members.filter((member) => member.key === key);
  return found.length > 1 ? null : found[0];
}

/** Line ends and one step of indentation of the file; null for a file on one line. */
function layoutOf(text: string): { newline: string; step: string } | null {
  const step = /\n([ \t]+)["{[]/.exec(text)?.[1];
  if (step === undefined && /[,{]\s*"/.test(text)) return null;
  return { newline: text.includes('\r\n') ? '\r\n' : '\n', step: step ?? '  ' };
}

/**
 * Adds a member (with a key) or an item (without one) after all others.
 * @param depth number of indentation steps
 */
export function withAdded(
  text: string,
  into: JsonNode,
  depth: number,
  value: unknown,
  key?: string,
): string {
  const layout = layoutOf(text);
  const last = (into.members.at(-1)?.value ?? into.items.at(-1))?.end;
  const at = last ?? into.start + 1;
  const comma = last === undefined ? '' : ',';
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  if (layout === null)
    return `${text.slice(0, at)}${comma}${comma && ' '}${name}${JSON.stringify(value)}${text.slice(at)}`;
  const indent = layout.newline + layout.step.repeat(depth);
  const body = JSON.stringify(value, null, layout.step).replaceAll('\n', indent);
  const closing = last === undefined ? layout.newline + layout.step.repeat(depth - 1) : '';
  return `${text.slice(0, at)}${comma}${indent}${name}${body}${closing}${text.slice(at)}`;
}

/**
 * Removes a member or item; if it is the last one and `withAdded` added it, the text is as before.
 */
export function withoutChild(text: string, from: JsonNode, index: number, depth: number): string {
  const children =
    from.kind === 'object'
      ? from.members.map(({ start, value }) => ({ start, end: value.end }))
      : from.items;
  const { start, end } = children[index]!;
  const [before, after] = [children[index - 1], children[index + 1]];
  if (before !== undefined) return text.slice(0, before.end) + text.slice(end);
  if (after !== undefined) return text.slice(0, start) + text.slice(after.start);
  const layout = layoutOf(text);
  const closing = layout === null ? '' : layout.newline + layout.step.repeat(depth - 1);
  return (
    text.slice(0, from.start + 1) +
    text.slice(text.startsWith(closing, end) ? end + closing.length : end)
  );
}
