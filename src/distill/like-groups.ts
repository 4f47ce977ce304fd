/** Lessons that a reader should look at side by side: alike in words, though no rule takes them for one. */
import { isShown, type Lesson } from '../types.js';
import type { Forming } from './forming.js';
import { comparablePairs, FAMILY, groupsOf, itemOf } from './near.js';
import { compareText } from './order.js';

/** Share of common content words; rules join from 0.7 on. Below a quarter pairs are alike by chance. */
const LIKE = 0.25;
/** More at a time is not looked at side by side. */
const MOST = 6;

const asForming = (lesson: Lesson): Forming => ({ lesson, admitted: true, byHand: false, forgotten: false, commandClass: null });

/** Groups of two to six among the lessons that are shown, in id order. */
export function likeGroups(lessons: readonly Lesson[]): Lesson[][] {
  const shown = lessons.filter(isShown).sort((a, b) => compareText(a.id, b.id));
  const families = [...new Set(shown.map(({ kind }) => FAMILY[kind]))].sort(compareText);
  return families.flatMap((family) => {
    const items = shown.filter(({ kind }) => FAMILY[kind] === family).map((lesson) => itemOf(asForming(lesson)));
    return groupsOf(comparablePairs(items, LIKE)).flatMap((group) => chunks(group.map(({ forming }) => forming.lesson)));
  });
}

const chunks = (group: readonly Lesson[]): Lesson[][] =>
  Array.from({ length: Math.ceil(group.length / MOST) }, (_, i) => group.slice(i * MOST, (i + 1) * MOST)).filter(
    ({ length }) => length > 1,
  );
