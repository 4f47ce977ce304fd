/**
 * Texts in the user's channel: the person's words, what they pasted, and what programs put there.
 */
import type { RawEntry, Origin } from '../types.js';
import { rawEntryOf } from './calls.js';
import { dropBinary, isObject, list, text as textOf } from './fields.js';
import { splitPasted } from './pasted.js';

/** Text of a message's content: a string, or the texts of its blocks. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (isObject(content)) return textOf(content.text) ?? '';
  return list(content)
    .map((block) =>
      isObject(block) ? (block.type === 'tool_reference' ? block.tool_name : block.text) : block,
    )
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n');
}

/** Where and when a record was written. */
export type Base = Pick<RawEntry, 'native' | 'time'> &
  Partial<Pick<RawEntry, 'cwd' | 'branch' | 'marks' | 'bySession' | 'order' | 'copied'>>;

/** A part of a text of the user's channel. */
export interface Said {
  origin: Origin;
  text: string;
  marks: string[];
}

/**
 * Splits a text of the user's channel: what programs put there in their own tags at the start of a
 * line, printed lines that were pasted, and the person's words.
 * @param tags names of such tags, as the source of a regular expression; null: there are none
 * @param typist origin of the words
 */
export function readSaid(text: string, tags: string | null, typist: Origin = 'user'): Said[] {
  const { rest, injected } =
    tags === null ? { rest: text.trim(), injected: [] } : withoutTags(text, tags);
  const { words, pasted } = typist === 'user' ? splitPasted(rest) : { words: rest, pasted: '' };
  return [
    ...(words.trim() === '' ? [] : [{ origin: typist, text: dropBinary(words.trim()), marks: [] }]),
    ...(pasted === ''
      ? []
      : [{ origin: 'injected' as const, text: dropBinary(pasted), marks: ['pasted'] }]),
    ...injected,
  ];
}

/**
 * The content of tags, and the rest. A file that a program shows to the agent may itself contain
 * the closing tag and words after it: nothing between the first opening and the last closing tag of
 * a name was typed.
 */
function withoutTags(text: string, tags: string): { rest: string; injected: Said[] } {
  const injected: Said[] = [];
  const between: string[] = [];
  const add = (body: string): void => {
    if (body.trim() !== '') injected.push({ origin: 'injected', text: body.trim(), marks: [] });
  };
  const ends = new Map<string, number>();
  let rest = '';
  let last = 0;
  let reach = 0;
  for (const found of text.matchAll(wrapperOf(tags))) {
    const [whole, name, body] = found as unknown as [string, string, string];
    if (!ends.has(name)) ends.set(name, endOf(text, `</${name}>`));
    const gap = text.slice(last, found.index);
    if (last < reach) between.push(gap);
    else rest += gap;
    add(body);
    last = found.index + whole.length;
    reach = Math.max(reach, ends.get(name)!);
  }
  if (last < reach) between.push(text.slice(last, reach));
  rest += text.slice(Math.max(last, reach));
  between.forEach((body) => add(body.replace(/<\/[\w-]+>\s*$/, '')));
  return { rest: rest.trim(), injected };
}

function endOf(text: string, close: string): number {
  const at = text.lastIndexOf(close);
  return at < 0 ? 0 : at + close.length;
}

function wrapperOf(tags: string): RegExp {
  return new RegExp(
    String.raw`(?<=^|\n|>)[ \t]*<(${tags})(?:\s[^<>]*)?>([\s\S]*?)(?:<\/\1>|$)`,
    'g',
  );
}

/** Raw entries of such parts; the words get the block's plain id, the others a number after it. */
export function saidEntries(base: Base, said: readonly Said[], marks: string[] = []): RawEntry[] {
  return said.map(({ origin, text, marks: own }, at) =>
    rawEntryOf({
      ...base,
      native: base.native === null || at === 0 ? base.native : `${base.native}:${at}`,
      role: 'user',
      origin,
      text,
      marks: [...marks, ...own],
    }),
  );
}
