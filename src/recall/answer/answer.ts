/** The answer of `recall` and `fix`, which is never empty. */
import { basename } from 'node:path';
import { type Db, loadLessons, loadProjects } from '../../store/index.js';
import {
  countSessions,
  editedWith,
  formsThatRan,
  newestSessions,
  sessionEnds,
  type AskedForm,
} from '../../store/search/answers.js';
import { counted } from '../../text/amounts.js';
import { countTokens } from '../../text/tokens.js';
import { neutralise } from '../../context/index.js';
import { isShown, picked, type Lesson, type Project } from '../../types.js';
import { saysTheSame, worded } from '../answers.js';
import { weightTogether } from '../passage.js';
import { queryVector, type QueryVector } from '../query-vector.js';
import { type Recall, noteUses } from '../recall.js';
import { isHere, provenAt } from '../moments/at-moment.js';
import { keepClean, type KeepClean } from '../moments/followed.js';
import { namesOf, type Names } from '../moments/names.js';
import {
  hasError,
  itemOf,
  type AnswerItem,
  type MomentType,
  type RecallItem,
} from '../moments/moment.js';
import { curesOf, type Cure } from './cures.js';
import { formsCalled, rankForms } from './forms.js';
import { ANSWER_CHARS, layOut, type Sections, type Shown } from './layout.js';
import { spokenAbout, type Spoken } from './passages.js';
import {
  asksForCommand,
  asksForLastSessions,
  filesIn,
  typeOf,
  wordsOf,
  type Question,
} from './question.js';
import {
  PASSAGE_CHARS,
  SHORT_ID,
  shortSession,
  shownEditors,
  shownEnd,
  shownSessions,
  sourceOf,
} from './sessions.js';

export interface Answer {
  type: MomentType;
  /** Slug; null: every project. */
  project: string | null;
  text: string;
  /** Tokens of `text`; English has about four characters each. */
  tokens: number;
  /** The best passage has less than a third of the question's weight. */
  weak: boolean;
  items: AnswerItem[];
}

interface Asked {
  /** Null: the type is inferred from the text. */
  type: MomentType | null;
  text: string;
  output: string | null;
}

const LESSONS = 4;
const FORMS = 4;
/** Most commands in the answer to a question for a command. */
const COMMANDS = 6;
const CURES = 2;
const EDITORS = 3;
const PROMPT_EDITORS = 2;
const FILES = 5;
const LAST_SESSIONS = 4;
/** Below this share of the question's weight the answer begins with `Weak match`. */
const WEAK = 1 / 3;
/** Also if words that no session has make up this share. */
const UNKNOWN = 1 / 2;

/** @param project null: every project */
export async function answerQuestion(
  recall: Recall,
  project: Project | null,
  asked: Asked,
): Promise<Answer> {
  const forms = await recall.store.read((db) => formsThatRan(db, project?.id ?? null));
  const question = questionOf(asked, project, forms);
  const vector = await queryVector(recall, wordsOf(question));
  const answer = await recall.store.read((db) => answerFrom(db, recall, question, forms, vector));
  noteUses(
    recall,
    'recall',
    answer.items.flatMap(({ kind, id }) =>
      ['rule', 'lesson', 'fact'].includes(kind)
        ? [{ type: 'lesson' as const, id, project: project?.slug ?? null }]
        : [],
    ),
  );
  return { ...answer, project: project?.slug ?? null };
}

function questionOf(
  { type, text, output }: Asked,
  project: Project | null,
  forms: readonly AskedForm[],
): Question {
  const programs = new Set(forms.map(({ program }) => program));
  const asks = type ?? (output === null ? typeOf(text, programs) : 'failure');
  const isError = asks === 'failure' && output === null;
  return {
    type: asks,
    text: isError ? '' : asks === 'edit' ? text.replaceAll('\\', '/').replace(/^\.\//, '') : text,
    output: isError ? text : output,
    project: project?.id ?? null,
  };
}

async function answerFrom(
  db: Db,
  recall: Recall,
  question: Question,
  forms: readonly AskedForm[],
  vector: QueryVector | null,
): Promise<Omit<Answer, 'project'>> {
  const { type, project } = question;
  if (type === 'prompt' && asksForLastSessions(question.text))
    return await lastSessions(db, question);
  const moment = { ...question, session: null };
  const here = (await loadProjects(db)).filter(({ id }) => project === null || id === project);
  const stored = {
    db,
    lessons: await loadLessons(db, {
      statuses: ['live'],
      ...(project === null ? {} : { owners: ['', project] }),
    }),
    folders: () =>
      Promise.resolve(here.flatMap(({ id, folders }) => (id === project ? folders : []))),
  };
  const names = namesOf(moment);
  const { exact } = await provenAt(stored, moment, undefined, vector);
  const spoken = await spokenAbout(
    db,
    wordsOf(question),
    vector,
    { projects: project === null ? null : [project], vectors: recall.paths.vectors },
    PASSAGE_CHARS,
  );
  const { cures, isNewError } =
    type === 'failure' ? await curesOf(db, question, names) : { cures: [], isNewError: false };
  const isForCommand = type === 'prompt' && asksForCommand(question.text);
  const called = isForCommand || type === 'command' ? await formsCalled(db, question) : null;
  const ranked = rankForms(
    forms,
    question,
    {
      programs: names.programs,
      called,
      folders: new Set(
        here.flatMap(({ name, folders }) => [name, ...folders.map((each) => basename(each))]),
      ),
    },
    called === null ? FORMS : COMMANDS,
  );
  const keep = keepClean(db, question.text);
  const passages = await keep(spoken.passages, ({ passage }) => passage);
  const { lessons, fixing } = lessonsOf(exact, stored.lessons, question, spoken, names);
  const edits = await shownEdits(db, question, spoken, keep);
  const sections: Sections = {
    lessons: lessons.slice(0, LESSONS).map(shownLesson),
    commands: await keep(
      ranked.map((form) => shownForm(form, called !== null)),
      ({ line }) => line,
    ),
    fixed: [
      ...fixing.map(shownLesson),
      ...(await keep(cures, ({ text }) => text)).map(shownCure),
    ].slice(0, CURES),
    sessions: [...edits, ...(await shownSessions(db, question, passages, spoken, keep))],
    files: type === 'edit' ? await shownFiles(db, question) : [],
  };
  const weak = isWeak(question, spoken, sections, isNewError);
  const isInLessons = [...lessons, ...fixing].some(
    ({ text }) => weightTogether(text, spoken.weights) > 0,
  );
  if (isNothingKnown(spoken.isKnown || isInLessons || edits.length > 0, sections))
    return await nothingKnown(db, question);
  const order = isForCommand && sections.commands.length > 0 ? 'command' : type;
  const first = weak ? `${weakLine(spoken, isNewError)}\n\n` : '';
  const { text, items } = layOut(order, sections, ANSWER_CHARS - first.length);
  return answerOf(type, first + text, items, weak);
}

/** Least share of the question's weight that a lesson must have. */
const LESSON_SHARE = 0.5;

/**
 * Lessons that name the error, the form or the file, then those with most of the question's words.
 * Stops when an answer would show no more.
 * @returns fixing: those about this very error
 */
function lessonsOf(
  exact: readonly RecallItem[],
  lessons: readonly Lesson[],
  { project }: Question,
  { weights }: Spoken,
  names: Names,
): Record<'lessons' | 'fixing', RecallItem[]> {
  const curing = new Set(lessons.filter((each) => hasError(each, names)).map(({ id }) => id));
  const named = exact.filter(({ kind }) => kind !== 'entry');
  const known = new Set(named.map(({ id }) => id));
  const near = lessons
    .filter((lesson) => isHere(lesson, project) && isShown(lesson) && !known.has(lesson.id))
    .map((lesson) => ({ lesson, share: weightTogether(lesson.text, weights) }))
    .filter(({ share }) => share >= LESSON_SHARE)
    .sort((a, b) => b.share - a.share || (a.lesson.id < b.lesson.id ? -1 : 1));
  const all = [...named, ...near.map(({ lesson }) => itemOf(lesson))];
  const texts = all.map(({ text }) => worded(text));
  const found = { lessons: [] as RecallItem[], fixing: [] as RecallItem[] };
  for (const [at, item] of all.entries()) {
    if (texts.slice(0, at).some((text) => saysTheSame(text, texts[at]!))) continue;
    found[curing.has(item.id) ? 'fixing' : 'lessons'].push(item);
    if (found.lessons.length >= LESSONS && found.fixing.length >= Math.min(CURES, curing.size))
      break;
  }
  return found;
}

/** Most words without a session that are named. */
const MOST_UNKNOWN = 4;

function weakLine({ unknown: { words } }: Spoken, isNewError: boolean): string {
  if (isNewError) return 'Weak match: no session here had this error.';
  const named = words.slice(0, MOST_UNKNOWN).map((word) => `"${word}"`);
  return named.length === 0
    ? 'Weak match: the logs have few of the words that were asked.'
    : `Weak match: no session here has ${named.join(' or ')}.`;
}

/** For an error only the best passage counts, since each run has words that no session has. */
function isWeak(
  { type }: Question,
  { covered, unknown }: Spoken,
  { lessons, fixed, commands }: Sections,
  isNewError: boolean,
): boolean {
  const isUnknown = isNewError || (type !== 'failure' && unknown.share >= UNKNOWN);
  return (covered < WEAK || isUnknown) && lessons.length + fixed.length + commands.length === 0;
}

/** Passages near only in meaning do not count if no word of the question is known. */
function isNothingKnown(isKnown: boolean, { lessons, sessions, ...others }: Sections): boolean {
  const isEmpty = Object.values(others).every((shown) => shown.length === 0);
  return isEmpty && (!isKnown || lessons.length + sessions.length === 0);
}

/** How a person at a terminal can search more widely. */
export const WIDER = 'add `--project all`, or look at `dripstone sessions`';

async function nothingKnown(db: Db, { type, project }: Question): Promise<Omit<Answer, 'project'>> {
  const sessions = await countSessions(db, project);
  const name =
    project === null
      ? 'any project'
      : ((await loadProjects(db)).find(({ id }) => id === project)?.name ?? 'this project');
  const next =
    project === null
      ? 'Ask with other words, or look at `dripstone sessions`.'
      : `Ask with other words, ${WIDER}.`;
  return answerOf(
    type,
    `Nothing known in ${name} (${counted(sessions, 'session')}). ${next}`,
    [],
    true,
  );
}

async function lastSessions(db: Db, { type, project }: Question): Promise<Omit<Answer, 'project'>> {
  const keys = await newestSessions(db, project, LAST_SESSIONS);
  const ends = await sessionEnds(db, keys);
  const shown = keys.flatMap(({ agent, session }): Shown[] => {
    const end = ends.find((each) => each.agent === agent && each.session === session);
    return end === undefined ? [] : [shownEnd(end, null, 300)];
  });
  const none = { lessons: [], commands: [], fixed: [], files: [] };
  const { text, items } = layOut('prompt', { ...none, sessions: shown });
  return answerOf(type, text === '' ? 'No session was read yet.' : text, items, false);
}

function answerOf(
  type: MomentType,
  text: string,
  items: AnswerItem[],
  weak: boolean,
): Omit<Answer, 'project'> {
  return { type, text, tokens: countTokens(text), weak, items };
}

function shownLesson(lesson: RecallItem): Shown {
  const { id, text, day } = lesson;
  return {
    item: picked(lesson, ['kind', ...PLACED]),
    line: `- ${neutralise(text)}${sourceOf([day, `id ${id.slice(0, SHORT_ID)}`])}`,
  };
}

const PLACED = ['id', 'text', 'day', 'agent', 'session', 'path', 'line'] as const;

/** The form as code, without backticks, which would end the code. */
function spanOf({ form }: AskedForm): string {
  return `\`${form.replaceAll('`', ' ')}\``;
}

/** A longer run is not shown as an example. */
const EXAMPLE_CHARS = 110;

/** The newest run of a form, if the form has places for arguments. */
function exampleOf({ form, example }: AskedForm): string {
  const hasPlaces = /\b[A-Z]{3,}\b/.test(form);
  return hasPlaces && example !== form && example.length <= EXAMPLE_CHARS
    ? `, as \`${example.replaceAll('`', ' ')}\``
    : '';
}

/** @param withExample true for a question for a command, which needs arguments */
function shownForm(ran: AskedForm, withExample: boolean): Shown {
  const { form, runs, sessions, failed, last } = ran;
  const day = last?.slice(0, 10) ?? null;
  const counts = `${counted(runs, 'run')} in ${counted(sessions, 'session')}${failed === 0 ? '' : `, ${failed} failed`}`;
  const text = `${spanOf(ran)}${withExample ? exampleOf(ran) : ''}: ${counts}${day === null ? '' : `, last ${day}`}`;
  const nowhere = { agent: null, session: null, path: null, line: null };
  return {
    item: { kind: 'command', id: form, text, day, ...nowhere },
    line: `- ${neutralise(text)}`,
  };
}

function shownCure(cure: Cure): Shown {
  const { text, agent, session } = cure;
  return {
    item: { kind: 'cure', ...cure },
    line: `- ${text}${sourceOf([agent, shortSession(session)])}`,
  };
}

/** Edits of a file that is asked about, or that a prompt names. */
async function shownEdits(
  db: Db,
  { type, text, project }: Question,
  spoken: Spoken,
  keep: KeepClean,
): Promise<Shown[]> {
  if (type === 'edit') return await shownEditors(db, text, project, EDITORS, spoken, keep);
  if (type !== 'prompt') return [];
  const [file] = filesIn(text);
  return file === undefined
    ? []
    : await shownEditors(db, file, project, PROMPT_EDITORS, spoken, keep);
}

async function shownFiles(db: Db, { text, project }: Question): Promise<Shown[]> {
  const nowhere = { day: null, agent: null, session: null, path: null, line: null };
  return (await editedWith(db, text, project, FILES)).map(({ file, sessions }) => {
    const what = `\`${file}\` changed with it in ${counted(sessions, 'session')}`;
    return {
      item: { kind: 'file', id: file, text: what, ...nowhere },
      line: `- ${neutralise(what)}`,
    };
  });
}
