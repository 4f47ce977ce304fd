/** What may be shown: a text that asks for something harmful is kept back. */
import { whyLesson } from '../../lessons/taint/taint.js';
import { typedText, type Db } from '../../store/index.js';
import type { Known, RecallItem } from './moment.js';

/** Without entries that ask for something harmful. */
export async function withoutTaint(db: Db, { exact, ranked, seen }: Known): Promise<Known> {
  const isClean = await cleanTexts(db);
  const isKept = ({ kind, text }: RecallItem): boolean => kind !== 'entry' || isClean(text);
  return { exact: exact.filter(isKept), ranked: ranked.filter(isKept), seen };
}

/** Which texts may be shown: each as if an agent had said it, which is trusted least. */
export async function cleanTexts(db: Db) {
  const ground = { typed: await typedText(db), packages: new Set<string>() };
  return (text: string): boolean => whyLesson({ text, saidBy: 'agent' }, ground) === null;
}
