/**
 * JSON as text with places: what is put in and taken out are single members and items, so that all
 * other bytes stay. Comments, commas at the end and a byte order mark are read as agents read them.
 * Pure.
 */

export interface JsonMember {
  key: string;
  start: number;
  value: JsonNode;
}

export interface JsonNode {
  kind: 'object' | 'list' | 'plain';
  /** First sign, and behind the last one. */
  start: number;
  end: number;
  members: JsonMember[];
  items: JsonNode[];
}

/**
 * Null for a text that is no JSON with an object at its top, also for one that is nested deeper
 * than can be read.
 */
export function parseJson(text: string): JsonNode | null {
  try {
    const reader = new Reader(text);
    const root = reader.value();
    return root.kind === 'object' && reader.isAtEnd() ? root : null;
  } catch {
    return null;
  }
}

/** The member of this name; undefined when there is none, null when there are two. */
export function memberOf({ members }: JsonNode, key: string): JsonMember | null | undefined {
  const found = members.filter((member) => member.key === key);
  return found.length > 1 ? null : found[0];
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {
    if (text.startsWith('\ufeff')) this.at = 1;
  }

  isAtEnd(): boolean {
    this.skipBlank();
    return this.at === this.text.length;
  }

  value(): JsonNode {
    this.skipBlank();
    const sign = this.text[this.at];
    if (sign === '{')
      return this.holding('object', '}', (node) => node.members.push(this.member()));
    if (sign === '[') return this.holding('list', ']', (node) => node.items.push(this.value()));
    const start = this.at;
    const found = /"(?:[^"\\]|\\.)*"|[^\s,:\]}"/]+/y;
    found.lastIndex = start;
    const plain = found.exec(this.text)?.[0] ?? '';
    JSON.parse(plain);
    this.at = start + plain.length;
    return { kind: 'plain', start, end: this.at, members: [], items: [] };
  }

  private member(): JsonMember {
    const { start, end } = this.value();
    const key: unknown = JSON.parse(this.text.slice(start, end));
    this.skipBlank();
    if (typeof key !== 'string' || this.text[this.at++] !== ':') throw new SyntaxError('no key');
    return { key, start, value: this.value() };
  }

  private holding(
    kind: 'object' | 'list',
    close: string,
    take: (node: JsonNode) => unknown,
  ): JsonNode {
    const node: JsonNode = { kind, start: this.at++, end: 0, members: [], items: [] };
    for (this.skipBlank(); this.text[this.at] !== close;) {
      take(node);
      this.skipBlank();
      if (this.text[this.at] === ',') this.at++;
      else if (this.text[this.at] !== close) throw new SyntaxError('no comma');
      this.skipBlank();
    }
    node.end = ++this.at;
    return node;
  }

  private skipBlank(): void {
    const blank = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.text)![0].length;
  }
}

/** The layout of the file: line ends and one step of indentation; null for a file on one line. */
function layoutOf(text: string): { newline: string; step: string } | null {
  const step = /\n([ \t]+)["{[]/.exec(text)?.[1];
  if (step === undefined && /[,{]\s*"/.test(text)) return null;
  return { newline: text.includes('\r\n') ? '\r\n' : '\n', step: step ?? '  ' };
}

/** Of what a node holds the last, as far as it reaches. */
function lastIn({ members, items }: JsonNode): number | undefined {
  return (members.at(-1)?.value ?? items.at(-1))?.end;
}

/**
 * Puts a member (with a key) or an item (without one) behind all others.
 * @param depth how many steps it is indented
 */
export function withAdded(
  text: string,
  into: JsonNode,
  depth: number,
  value: unknown,
  key?: string,
): string {
  const layout = layoutOf(text);
  const last = lastIn(into);
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
 * Takes a member or item out as `withAdded` put it in; for the last one the text is then as it was
 * before.
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
