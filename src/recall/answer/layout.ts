/** Fits an answer's sections into its limit. Pure. */
import type { AnswerItem, MomentType } from '../moments/moment.js';

/** An item with the line that shows it. */
export interface Shown {
  item: AnswerItem;
  line: string;
}

type SectionName = 'lessons' | 'commands' | 'fixed' | 'sessions' | 'files';
export type Sections = Readonly<Record<SectionName, readonly Shown[]>>;

const HEADING: Readonly<Record<SectionName, string>> = {
  lessons: 'Rules and lessons',
  commands: 'Commands that ran here',
  fixed: 'What fixed it',
  sessions: 'Earlier sessions',
  files: 'Files',
};

const ORDER: Readonly<Record<MomentType, readonly SectionName[]>> = {
  failure: ['fixed', 'lessons', 'sessions', 'commands'],
  command: ['commands', 'lessons', 'fixed', 'sessions'],
  edit: ['lessons', 'sessions', 'files'],
  prompt: ['lessons', 'sessions', 'commands', 'fixed'],
};

/** Most characters of an answer: at most about 600 tokens of English. */
export const ANSWER_CHARS = 2400;

/**
 * Sections in the order of the type. Passages of sessions come last for space, because they are the
 * longest. An empty section is left out.
 */
export function layOut(
  type: MomentType,
  sections: Sections,
  room: number = ANSWER_CHARS,
): { text: string; items: AnswerItem[] } {
  const order = ORDER[type];
  const headings = order.reduce(
    (sum, name) => sum + (sections[name].length === 0 ? 0 : HEADING[name].length + 5),
    0,
  );
  const kept = new Map<SectionName, Shown[]>();
  let left = room - headings;
  for (const name of [...order.filter((each) => each !== 'sessions'), 'sessions' as const]) {
    const fitting: Shown[] = [];
    for (const shown of sections[name]) {
      const cost = shown.line.length + 1;
      if (cost > left) continue;
      left -= cost;
      fitting.push(shown);
    }
    kept.set(name, fitting);
  }
  const full = order.filter((name) => kept.get(name)!.length > 0);
  return {
    text: full
      .map((name) => [`## ${HEADING[name]}`, ...kept.get(name)!.map(({ line }) => line)].join('\n'))
      .join('\n\n'),
    items: full.flatMap((name) => kept.get(name)!.map(({ item }) => item)),
  };
}
