/** Where more can be found, as a line that an agent can act on. */

import { isShown, type Lesson, type LessonKind } from '../types.js';
import { topicsOf } from './topics.js';

/** Files under detail/, with the kinds that each holds. */
export const DETAIL_FILES = {
  commands: ['command'],
  preferences: ['correction', 'preference'],
  gotchas: ['gotcha'],
  decisions: ['decision'],
  facts: ['fact'],
} as const satisfies Record<string, readonly LessonKind[]>;

export type DetailFile = keyof typeof DETAIL_FILES;

/** Order of use when only some fit: what bites first. */
const SHOWN_FIRST: readonly DetailFile[] = ['gotchas', 'preferences', 'decisions', 'commands', 'facts'];

/** Live lessons of one detail file. */
export const lessonsIn = (file: DetailFile, lessons: readonly Lesson[]): Lesson[] =>
  lessons.filter((l) => isShown(l) && (DETAIL_FILES[file] as readonly LessonKind[]).includes(l.kind));

const SEARCH = 'search: `dripstone search "…"`';
const FORGET = 'wrong? `dripstone lessons forget "words"`';

/** The line's wordings, longest first: files with topics, files with counts, commands only. */
export function indexLines(lessons: readonly Lesson[]): string[] {
  const files = SHOWN_FIRST.map((file) => ({ file, all: lessonsIn(file, lessons) })).filter(({ all }) => all.length > 0);
  const plain = files.map(({ file, all }) => `detail/${file}.md (${all.length})`);
  const withTopics = files.map(({ file, all }, i) => {
    const topics = i === 0 ? topicsOf(all, 2) : [];
    return topics.length === 0 ? plain[i]! : `detail/${file}.md (${all.length}: ${topics.join(', ')})`;
  });
  const join = (parts: readonly string[]): string =>
    [...(parts.length > 0 ? [parts.join(', ')] : []), SEARCH, FORGET].join(' · ');
  return [withTopics, plain, withTopics.slice(0, 2), withTopics.slice(0, 1), plain.slice(0, 1), []].map(join);
}
