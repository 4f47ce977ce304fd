/** What a person typed, apart from the logs, diffs and shell sessions that they pasted with it. */
import type { Draft } from '../types.js';
import { draftOf } from './calls.js';
import { splitPasted } from './claude-code/prompt.js';
import { dropBinary } from './fields.js';

/** The person's words and, with the mark `pasted`, what they pasted; an empty text gives nothing. */
export function typedDrafts(base: Partial<Draft> & { native: string | null }, text: string): Draft[] {
  const plain = dropBinary(text).trim();
  if (plain === '') return [];
  const { words, pasted } = splitPasted(plain);
  const native = base.native === null || words === '' ? base.native : `${base.native}:pasted`;
  return [
    ...(words === '' ? [] : [draftOf({ ...base, role: 'user', origin: 'user', text: words })]),
    ...(pasted === '' ? [] : [draftOf({ ...base, native, role: 'user', origin: 'injected', text: pasted, marks: ['pasted'] })]),
  ];
}
