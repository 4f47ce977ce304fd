/**
 * Under "The user said" stands what the person typed: no other name, number or "not", and each
 * condition.
 */
import { describe, expect, test } from 'vitest';
import { isOwnWording } from '../../src/asked/own-words.js';

/** What was typed; what is quoted of it, else all; wordings of it. */
interface Case {
  typed: string;
  quote?: string;
  own?: string[];
  not?: string[];
}

const CASES: Case[] = [
  {
    typed: "don't push to main unless CI is green",
    own: ["Don't push to `main` unless CI is green", "Don't push to main unless the CI is green."],
    not: [
      'Never push to main unless CI is green',
      'Never push to main, even when everything else is done',
      'Never push to main',
      'Push to main unless CI is green',
      "Don't push to main if CI is green",
      "Don't push to `master` unless CI is green",
    ],
  },
  {
    typed: 'always run the tests before you push',
    own: ['Always run tests before you push'],
    not: [
      'Always run the tests with `pytest --no-cov -x`',
      'Always run the tests',
      'Always push before you run the tests',
      'Always run the tests before I push',
    ],
  },
  // What a quote leaves out of its sentence counts as well.
  { typed: 'You never need to push to main. Thanks', quote: 'push to main', not: ['Push to main'] },
  { typed: 'Push to main. Unless CI is red.', quote: 'Push to main', not: ['Push to main'] },
  { typed: 'if the tests pass, push to main', quote: 'push to main', not: ['Push to main'] },
  { typed: 'For the docs, use tabs', quote: 'use tabs', not: ['Use tabs'] },
  {
    typed: 'never push to main when it rains',
    quote: 'always push to main when it rains',
    not: ['Always push to main when it rains'],
  },
  // The words of a sentence that stand elsewhere do not make up for it.
  { typed: 'push to dev, never push to main', not: ['Push to main', 'Never push to dev'] },
  { typed: 'use spaces instead of tabs', not: ['Use tabs instead of spaces'] },
  {
    typed: 'use make, not ninja',
    own: ['Use make, not ninja'],
    not: ['Use ninja, not make', 'Use just, not make'],
  },
  {
    typed: 'wait 5 minutes after a deploy',
    own: ['Wait 5 minutes after a deploy'],
    not: ['Wait 50 minutes after a deploy', 'Wait after a deploy'],
  },
  { typed: 'use tabs', not: ['Always use tabs', 'Use tabs in all files'] },
  { typed: 'no use pnpm', not: ['Never use pnpm'] },
  // What was taken back or restricted in the next sentence.
  { typed: 'Use npm. Scratch that, use pnpm.', quote: 'Use npm', not: ['Use npm'] },
  // A clause that is left out may have been the condition, the exception or a regret.
  {
    typed: 'we skipped the tests, that was a mistake',
    not: ['Skip the tests', 'We skipped the tests'],
  },
  { typed: 'use 2 spaces, 4 in Python', not: ['Use 2 spaces'] },
  { typed: 'do we use npm', not: ['We do use npm'] },
  { typed: 'never remember passwords', not: ['Never passwords'] },
  { typed: 'use US locale', own: ['Use `US` locale'], not: ['Use locale'] },
  // Openings and "in this repository" may go.
  {
    typed: 'no, I want you to use pnpm in this repo, it is faster',
    quote: 'use pnpm in this repo',
    own: ['Use `pnpm`, it is faster', 'Use pnpm in this repository, it is faster'],
    not: ['Use pnpm'],
  },
  {
    typed: 'Fix the build. Also always use pnpm because npm breaks the lockfile.',
    quote: 'always use pnpm',
    own: ['Always use pnpm because npm breaks the lockfile'],
    not: ['Always use pnpm'],
  },
  {
    typed: 'nutze bitte immer pnpm, nie npm',
    own: ['Nutze immer `pnpm`, nie `npm`'],
    not: ['Nutze immer `npm`', 'Nutze immer pnpm'],
  },
  { typed: '不要用npm，用pnpm', own: ['不要用npm，用pnpm'], not: ['用npm，用pnpm', '用pnpm'] },
  // A question, and what somebody else said.
  { typed: 'should we always use pnpm?', not: ['We should always use pnpm'] },
  { typed: 'the manual says, always use npm', not: ['Always use npm'] },
  { typed: 'The README says: always use pnpm', quote: 'always use pnpm', not: ['Always use pnpm'] },
];

describe('whose words a wording is', () => {
  test.each(CASES)('$typed', ({ typed, quote = typed, own = [], not = [] }) => {
    for (const text of own) expect([text, isOwnWording(text, quote, typed)]).toEqual([text, true]);
    for (const text of not) expect([text, isOwnWording(text, quote, typed)]).toEqual([text, false]);
  });
});
