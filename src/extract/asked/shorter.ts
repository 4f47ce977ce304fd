import { entityKeys } from '../statement-entities.js';
import { contentWords } from '../statement-key.js';
import { isWhole, LIMIT } from '../wording.js';
import { dangles } from '../wording-subject.js';

const NUMBER = /\d+(?:[.:]\d+)*/g;
const SPAN = /`([^`]+)`/g;

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((hit) => hit[1] ?? hit[0]);
const isNegated = (text: string): boolean => contentWords(text.replace(SPAN, ' ')).includes('not');

/** Whether one wording says in fewer characters what another says: every command, path, name and number stays, none is added, and so does a "not". */
export function isShorter(shorter: string, text: string): boolean {
  if (shorter.length < 12 || shorter.length >= text.length || shorter.length > LIMIT || !isWhole(shorter) || dangles(shorter)) return false;
  const same = (a: Iterable<string>, b: Iterable<string>): boolean => [...new Set(a)].sort().join('\0') === [...new Set(b)].sort().join('\0');
  return (
    same(all(shorter, SPAN), all(text, SPAN)) &&
    same(all(shorter, NUMBER), all(text, NUMBER)) &&
    same(entityKeys(shorter), entityKeys(text)) &&
    isNegated(shorter) === isNegated(text)
  );
}
