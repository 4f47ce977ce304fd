import { entityKeys } from '../statement-entities.js';
import { contentWords } from '../statement-key.js';
import { isWhole, LIMIT } from '../wording.js';
import { dangles } from '../wording-subject.js';

const NUMBER = /\d+(?:[.:]\d+)*/g;
const SPAN = /`([^`]+)`/g;
/** Share of a lesson's content words that a line which stands for several must hold, names left out. */
const LEAST_SAID = 0.5;

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((hit) => hit[1] ?? hit[0]);
const bareWords = (text: string): string[] => contentWords(text.replace(SPAN, ' '));
const isNegated = (text: string): boolean => bareWords(text).includes('not');
const same = (a: readonly string[], b: readonly string[]): boolean =>
  [...new Set(a)].sort().join('\0') === [...new Set(b)].sort().join('\0');

/** Every command, path, name and number of the texts stays, none is added, and so does a "not". */
const keepsAll = (line: string, texts: readonly string[]): boolean =>
  same(
    all(line, SPAN),
    texts.flatMap((text) => all(text, SPAN)),
  ) &&
  same(
    all(line, NUMBER),
    texts.flatMap((text) => all(text, NUMBER)),
  ) &&
  same(
    [...entityKeys(line)],
    texts.flatMap((text) => [...entityKeys(text)]),
  ) &&
  texts.every((text) => isNegated(text) === isNegated(line));

const isStatement = (line: string): boolean => line.length >= 12 && line.length <= LIMIT && isWhole(line) && !dangles(line);

/** Whether one wording says in fewer characters what another says. */
export const isShorter = (shorter: string, text: string): boolean =>
  shorter.length < text.length && isStatement(shorter) && keepsAll(shorter, [text]);

/** Whether one line says what several say: shorter than all of them together, and at least half of each one's words are in it. */
export const saysAll = (line: string, texts: readonly string[]): boolean => {
  if (!isStatement(line) || line.length >= texts.join('').length || !keepsAll(line, texts)) return false;
  const said = new Set(bareWords(line));
  return texts.every((text) => {
    const words = [...new Set(bareWords(text))];
    return words.filter((word) => said.has(word)).length >= words.length * LEAST_SAID;
  });
};
