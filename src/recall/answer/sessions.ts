/** Shows earlier sessions in an answer: passages, conclusions of turns, ends of talks, edits. */
import { editorsOf, type Db } from '../../store/index.js';
import { conclusionsOf, sessionEnds, type SessionEnd } from '../../store/search/answers.js';
import { numbersOf } from '../../store/search/numbers.js';
import { counted } from '../../text/amounts.js';
import { neutralise } from '../../context/index.js';
import { worded, type Worded } from '../answers.js';
import { densestMatch, passageAround, type TermWeights } from '../passage.js';
import type { KeepClean } from '../moments/followed.js';
import type { Question } from './question.js';
import type { Shown } from './layout.js';
import { isAgain, type Passage, type Spoken } from './passages.js';

const PASSAGES = 8;
/** After this many passages, those with less than a share of the best score are left out. */
const SURE = 3;
const FAR = 0.5;
export const PASSAGE_CHARS = 330;
/** Most characters of a prompt before the conclusion of its turn. */
const PROMPT_CHARS = 160;
const TALKS = 3;
const TALK_CHARS = 320;
const SHORT_SESSION = 13;
export const SHORT_ID = 10;

export function sourceOf(parts: readonly (string | null)[]): string {
  return ` (${parts.filter((part) => part !== null).join(', ')})`;
}

export function shortSession(session: string): string {
  return `session ${session.slice(0, SHORT_SESSION)}`;
}

function shownPassage(
  { id, passage: text, time, agent, session, role, path, line }: Passage,
  concluded: string | undefined,
): Shown {
  const day = time?.slice(0, 10) ?? null;
  const isPrompt = concluded !== undefined;
  const who = role === 'user' && !isPrompt ? 'the user' : agent;
  const quoted = isPrompt
    ? `the user: ${passageAround(text, null, PROMPT_CHARS)} · the agent concluded: ${concluded}`
    : text;
  return {
    item: { kind: 'entry', id, text: quoted, day, agent, session, path, line },
    line: `- ${quoted}${sourceOf([who, day, shortSession(session), `id ${id.slice(0, SHORT_ID)}`])}`,
  };
}

/** The conclusions of prompts' turns, by the id of the prompt: the part nearest to the question. */
async function concludedOf(
  db: Db,
  passages: readonly Passage[],
  weights: TermWeights,
  keep: KeepClean,
): Promise<Map<string, string>> {
  const prompts = passages.filter(({ role }) => role === 'user').map(({ n }) => n);
  const found = (await conclusionsOf(db, prompts)).map(
    ({ of, text }) => [of, nearestPart(text, weights, PASSAGE_CHARS)] as const,
  );
  return new Map(await keep(found, ([, text]) => text));
}

function nearestPart(text: string, weights: TermWeights, chars: number): string {
  const match = densestMatch(text, weights, chars - 2);
  return neutralise(passageAround(text, match, chars));
}

/**
 * Shows passages: a prompt with the conclusion of its turn, and a session of mostly talk with its
 * end, which has the decision. Of equal sessions the newer is first, since it may correct the
 * older.
 */
export async function shownSessions(
  db: Db,
  { type, text }: Question,
  passages: readonly Passage[],
  { passages: all, weights }: Spoken,
  keep: KeepClean,
): Promise<Shown[]> {
  const best = all[0]?.score ?? 0;
  const first = new Map<string, Passage>();
  for (const passage of passages)
    if (!first.has(passage.session)) first.set(passage.session, passage);
  const tops = [...first.values()].slice(0, PASSAGES);
  const ends = await sessionEnds(db, tops);
  const talks = tops
    .flatMap((passage) => {
      const end = ends.find(({ session }) => session === passage.session);
      return end !== undefined && isTalk(end) ? [{ passage, end }] : [];
    })
    .slice(0, TALKS);
  const isOfTalk = talks.length > 0 && talks[0]!.passage.session === tops[0]?.session;
  const talked = new Set(isOfTalk ? talks.map(({ passage }) => passage.session) : []);
  // For a command, a path or a talk, even a passage far below the best may fit.
  const isNarrow = !isOfTalk && (type === 'prompt' || type === 'failure');
  const others = passages
    .filter(({ session, score }, at) =>
      isNarrow ? at < SURE || score >= FAR * best : !talked.has(session),
    )
    .slice(0, PASSAGES);
  // After a failed command, other sections show what sessions did; a pasted error asks for the
  // reason.
  const prompts = type === 'failure' && text !== '' ? [] : others;
  const concluded = await concludedOf(db, prompts, weights, keep);
  const quoted: Worded[] = [];
  const shown = others.flatMap((passage): Shown[] => {
    if (quoted.some((other) => isAgain(other, passage.said))) return [];
    const end = concluded.has(passage.id) ? worded(concluded.get(passage.id)!) : null;
    const isNew = end !== null && !quoted.some((other) => isAgain(other, end));
    quoted.push(passage.said, ...(isNew ? [end] : []));
    return [shownPassage(passage, isNew ? end.text : undefined)];
  });
  if (!isOfTalk) return shown;
  const isNear = ({ passage }: (typeof talks)[number]): boolean =>
    passage.score >= TALK_NEAR * best;
  const ordered = [
    ...talks.filter(isNear).sort((a, b) => ((a.end.ended ?? '') < (b.end.ended ?? '') ? 1 : -1)),
    ...talks.filter((each) => !isNear(each)),
  ];
  return [
    ...(await keep(
      ordered.map(({ passage, end }) => shownEnd(end, passage, TALK_CHARS)),
      ({ line }) => line,
    )),
    ...shown,
  ];
}

/** Least share of the best session's score, so that a talk counts as equal. */
const TALK_NEAR = 0.6;

/** Whether a session has fewer tool calls than turns of the person. */
function isTalk({ calls, turns }: SessionEnd): boolean {
  return turns > 0 && calls < turns;
}

/** A session with its title, a passage and its last turns. */
export function shownEnd(end: SessionEnd, passage: Passage | null, chars: number): Shown {
  const { agent, session, ended, title, texts } = end;
  const day = ended?.slice(0, 10) ?? null;
  const last = texts
    .filter(({ id }) => id !== passage?.id)
    .map(({ role, text }) => {
      const cut = neutralise(passageAround(text.trim(), null, chars));
      return cut === '' ? '' : `${role === 'user' ? 'the user' : 'the agent'}: ${cut}`;
    })
    .filter((text) => text !== '');
  const parts = [
    ...(passage === null ? [title === null ? null : neutralise(title)] : [passage.passage]),
    ...(last.length === 0 ? [] : [`It ended so: ${last.join(' / ')}`]),
  ].filter((part): part is string => part !== null);
  const text = parts.join(' · ');
  const place = passage ?? texts.at(-1) ?? null;
  return {
    item: {
      kind: 'session',
      id: passage?.id ?? session,
      text,
      day,
      agent,
      session,
      path: place?.path ?? null,
      line: place?.line ?? null,
    },
    line: `- ${text}${sourceOf([agent, day, shortSession(session)])}`,
  };
}

/** Most characters of a request and of a conclusion. */
const ASKED_CHARS = 120;
const CONCLUDED_CHARS = 240;

/** @param file path of the file, or its end */
export async function shownEditors(
  db: Db,
  file: string,
  project: string | null,
  limit: number,
  { weights }: Pick<Spoken, 'weights'>,
  keep: KeepClean,
): Promise<Shown[]> {
  const editors = await editorsOf(db, file, project, limit);
  const entries = editors.map(({ entry }) => entry);
  const all = await conclusionsOf(db, await numbersOf(db, entries));
  const ends = await keep(
    all.map(({ of, text }) => ({ of, part: nearestPart(text, weights, CONCLUDED_CHARS) })),
    ({ part }) => part,
  );
  return editors.map(({ agent, session, edits, last, asked, title, path, line, file, entry }) => {
    const day = last?.slice(0, 10) ?? null;
    const why = asked ?? title;
    const reason = why === null ? '' : `: ${neutralise(passageAround(why, null, ASKED_CHARS))}`;
    const part = ends.find(({ of }) => of === entry)?.part ?? '';
    const concluded = part === '' ? '' : ` · the agent concluded: ${part}`;
    const what = `${counted(edits, 'edit')} of \`${file}\`${reason}${concluded}`;
    return {
      item: { kind: 'session', id: session, text: what, day, agent, session, path, line },
      line: `- ${what}${sourceOf([agent, day, shortSession(session)])}`,
    };
  });
}
