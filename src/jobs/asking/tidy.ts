/**
 * Questions for an agent that a person asked to tidy the memory, and what is taken of its answers:
 * the same prompts and the same checks as for a model, without a call of ours. What it answers is
 * an agent's: it never speaks for the person.
 */
import { isObject, readJson, stringOf, type Refused } from '../../asked/index.js';
import {
  type Db,
  addLlmCall,
  loadProjects,
  openQuestions,
  questionsNamed,
  shownUpTo,
  tidiedSince,
  type OpenQuestion,
} from '../../store/index.js';
import type { Caller, Candidate, Project } from '../../types.js';
import { learnAll } from '../learning/learn.js';
import { markDirty } from '../learning/dirty-projects.js';
import { publishProjects } from '../publishing/context.js';
import type { JobContext } from '../job.js';
import { PAGE, choiceFor } from './ask-project.js';
import { type Asking, askAbout } from './ask-question.js';
import { MOST_OPEN, isOneVendor, orderBacklog } from './backlog.js';
import { noteWithheld, type WithheldClaim } from './llm-facts.js';
import type { ModelRequest, Kept, Passed } from './question.js';

/** Sessions that an agent is given in one hour: what it reads costs the person's tokens. */
export const TIDY_SESSIONS = 10;
const HOUR_MS = 3_600_000;

/** A prompt that waits for an answer. */
export interface TidyQuestion {
  /** Its name, which the answer repeats. */
  question: string;
  purpose: 'session' | 'page';
  /** Slug. */
  project: string;
  agent: string | null;
  session: string | null;
  prompt: string;
}

export interface TidyWaiting {
  questions: TidyQuestion[];
  /** Sessions that wait for this caller, those of `questions` among them. */
  waiting: number;
  /** Sessions of other vendors' agents, which this caller is not shown. */
  withheld: number;
  /** This agent has read its sessions of this hour. */
  isCapped: boolean;
}

type TidyContext = Pick<JobContext, 'store' | 'config' | 'clock' | 'compute'>;

/**
 * What a caller may read: a person everything, an agent the sessions of its own vendor until the
 * person says otherwise.
 */
function mayRead(caller: Caller, agent: string, { llm }: JobContext['config']): boolean {
  return caller.kind === 'person' || llm.tidy_others || isOneVendor(caller.name, agent);
}

function askingOf(caller: Caller, until = Infinity): Asking {
  return caller.kind === 'person'
    ? { by: 'model', author: 'model', isNamed: true, until }
    : { by: 'agent', author: caller.name, isNamed: true, until };
}

/**
 * Prompts that wait, oldest session first; when none does, the page of a project whose lessons
 * changed. Changes nothing.
 * @param project null for all
 * @param most sessions
 */
export async function tidyQuestions(
  context: TidyContext,
  caller: Caller,
  { project, most }: { project: Project | null; most: number },
): Promise<TidyWaiting> {
  const { store, config } = context;
  const read = await store.read(async (db) => {
    const projects = await loadProjects(db);
    const all = (await openQuestions(db, MOST_OPEN)).filter(
      (each) => project === null || each.project === project.id,
    );
    const open = all.filter(({ agent }) => mayRead(caller, agent, config));
    const room = Math.min(most, await roomOf(db, context, caller));
    return {
      questions: await promptsOf(db, orderBacklog(open, room), room, projects, context, caller),
      waiting: open.length,
      withheld: all.length - open.length,
      isCapped: room === 0 && open.length > 0,
      projects: project === null ? projects : [project],
    };
  });
  const { projects, ...waiting } = read;
  if (most === 0 || waiting.questions.length > 0 || waiting.isCapped || !config.llm.choose_context)
    return waiting;
  for (const { slug } of projects) {
    const asked = await choiceFor(context, slug);
    if (asked !== null && 'prompt' in asked)
      return {
        ...waiting,
        questions: [{ ...placeOf(asked, slug), question: `${PAGE}${slug}`, purpose: 'page' }],
      };
  }
  return waiting;
}

/** Sessions that a caller may still be given in this hour. */
async function roomOf(db: Db, { clock }: TidyContext, caller: Caller): Promise<number> {
  if (caller.kind === 'person') return Infinity;
  const since = new Date(clock.now().getTime() - HOUR_MS).toISOString();
  return Math.max(0, TIDY_SESSIONS - (await tidiedSince(db, caller.name, since)));
}

async function promptsOf(
  db: Db,
  open: readonly OpenQuestion[],
  most: number,
  projects: readonly Project[],
  { config }: TidyContext,
  caller: Caller,
): Promise<TidyQuestion[]> {
  const questions: TidyQuestion[] = [];
  for (const each of open) {
    if (questions.length >= most) break;
    const asked = await askAbout(db, each, config, askingOf(caller));
    if (!('prompt' in asked)) continue;
    const slug = projects.find(({ id }) => id === each.project)?.slug ?? '';
    questions.push({ ...placeOf(asked, slug), question: asked.name!, purpose: 'session' });
  }
  return questions;
}

function placeOf(
  { agent, session, prompt }: ModelRequest,
  project: string,
): Omit<TidyQuestion, 'question' | 'purpose'> {
  return { project, agent, session, prompt };
}

/** What came of one answer. */
export interface TidyTaken {
  question: string;
  /** What stands among the lessons now. */
  taken: Pick<Candidate, 'kind' | 'text' | 'saidBy'>[];
  /** Known claims that the answer dropped. */
  dropped: string[];
  refused: Refused[];
  /** Kept off pages and answers until a person approves it, with the reason. */
  withheld: WithheldClaim[];
  /** Lessons that it placed on a page; null for a session. */
  placed: number | null;
  /** Why the answer as a whole was not taken; null when it was. */
  error: string | null;
}

/**
 * Takes one answer, a list of them, or `{"answers":[…]}`; learns from what passed and writes the
 * pages again. An answer to a question that was answered already, or that this caller may not be
 * asked, is refused with its reason.
 * @returns null when the text holds no JSON object
 */
export async function takeTidy(
  context: JobContext,
  text: string,
  caller: Caller,
): Promise<TidyTaken[] | null> {
  const answers = answersIn(text);
  if (answers.length === 0) return null;
  const taken: TidyTaken[] = [];
  const changed: Changed[] = [];
  for (const [at, answer] of answers.slice(0, MOST_ANSWERS).entries()) {
    const time = new Date(context.clock.now().getTime() + at).toISOString();
    taken.push(await takeOne(context, answer, caller, time, changed));
  }
  const withheld = await relearn(context, changed);
  for (const one of taken) {
    one.withheld.push(...(withheld.get(one.question) ?? []));
    one.taken = one.taken.filter(
      ({ text: said }) => !one.withheld.some((kept) => kept.text === said),
    );
  }
  const over = `only ${MOST_ANSWERS} of ${answers.length} answers are taken at once`;
  return answers.length > MOST_ANSWERS ? [...taken, { ...NOT_TAKEN, error: over }] : taken;
}

const NOT_TAKEN: TidyTaken = {
  question: '',
  taken: [],
  dropped: [],
  refused: [],
  withheld: [],
  placed: null,
  error: null,
};

/** Each is looked up in the store, which nobody else writes meanwhile: 3000 answers took 22 s. */
const MOST_ANSWERS = 50;

function answersIn(text: string): Record<string, unknown>[] {
  const value = readJson(text)?.value;
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  return Array.isArray(value['answers'])
    ? (value['answers'] as unknown[]).filter(isObject)
    : [value];
}

async function takeOne(
  context: JobContext,
  answer: Record<string, unknown>,
  caller: Caller,
  time: string,
  changed: Changed[],
): Promise<TidyTaken> {
  const question = stringOf(answer['question']);
  const none: TidyTaken = { ...NOT_TAKEN, withheld: [], question };
  const found = await findAsked(context, question, caller);
  if (typeof found === 'string') return { ...none, error: found };
  if (!('prompt' in found)) return { ...none, error: 'nothing is asked about it any more' };
  const text = writtenOut(answer);
  if (text === null) return { ...none, error: 'it is nested too deeply' };
  const got = found.take(text);
  if (!got.isUsable)
    return {
      ...none,
      refused: [...got.dropped],
      error: 'it does not hold what the question asks for',
    };
  await keep(context, found, got, { caller, time, text });
  changed.push({ question, project: found.project, time, claims: got.claims ?? [] });
  return {
    ...none,
    taken: (got.claims ?? [])
      .filter(({ evidence }) => evidence.supports)
      .map(({ kind, text: said, saidBy }) => ({ kind, text: said, saidBy })),
    dropped: [...(got.drops ?? [])],
    refused: [...got.dropped],
    placed: found.purpose === 'context' ? got.kept : null,
  };
}

/** Null for lists in lists without end: V8 reads any depth, but writes it by recursion. */
function writtenOut(answer: Record<string, unknown>): string | null {
  try {
    return JSON.stringify(answer);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `agent/session/after..upTo@last`, the name of a question about a session. */
const SESSION_NAME = /^([\w.-]+)\/(.+)\/(-?\d+)\.\.(\d+)@(\d+)$/;

/** What a question asks, or why it is not asked. */
async function findAsked(
  context: JobContext,
  name: string,
  caller: Caller,
): Promise<ModelRequest | Passed | string> {
  if (name.startsWith(PAGE))
    return (await choiceFor(context, name.slice(PAGE.length), true)) ?? 'no such project';
  const [, agent = '', session = '', after = '', , last = ''] = SESSION_NAME.exec(name) ?? [];
  if (agent === '') return name === '' ? 'it does not name its question' : 'no such question';
  return context.store.read(async (db) => {
    const known = (await questionsNamed(db, session.toLowerCase(), 2)).find(
      (each) => each.agent === agent && each.session === session,
    );
    if (!known) return 'no such session';
    if (!mayRead(caller, agent, context.config))
      return 'sessions of another vendor are not shown to this agent';
    if ((await shownUpTo(db, known)) !== Number(after)) return 'it was answered already';
    const asked = await askAbout(
      db,
      { ...known, after: Number(after) },
      context.config,
      askingOf(caller, Number(last)),
    );
    return 'prompt' in asked && asked.name !== name
      ? 'the session is cut into other parts by now: ask for its prompt again'
      : asked;
  });
}

interface Answered {
  caller: Caller;
  time: string;
  text: string;
}

/** Claims, how far the session was shown, and a row in the ledger, in one transaction. */
async function keep(
  { store, compute }: JobContext,
  asked: ModelRequest,
  got: Kept,
  { caller, time, text }: Answered,
): Promise<void> {
  const [tokensIn = 0, tokensOut = 0] = await compute.run('count', [asked.prompt, text]);
  const dropped: Record<string, number> = {};
  for (const { reason } of got.dropped) dropped[reason] = (dropped[reason] ?? 0) + 1;
  await store.write(async (db) => {
    await got.save(db, time);
    await addLlmCall(db, {
      time,
      provider: 'tidy',
      model: caller.kind === 'person' ? 'person' : caller.name,
      purpose: asked.purpose,
      agent: asked.agent,
      session: asked.session,
      tokensIn,
      tokensOut,
      ms: 0,
      outcome: 'ok',
      error: null,
      kept: got.kept,
      dropped,
    });
    if (asked.purpose === 'session') await markDirty(db, [asked.project]);
  });
}

interface Changed {
  question: string;
  /** Id. */
  project: string;
  /** Of the answer's row in the ledger. */
  time: string;
  claims: readonly Candidate[];
}

/**
 * The lessons and pages of the projects that answers were about. @returns what is withheld, by
 * question
 */
async function relearn(
  context: JobContext,
  changed: readonly Changed[],
): Promise<Map<string, WithheldClaim[]>> {
  const withheld = new Map<string, WithheldClaim[]>();
  if (changed.length === 0) return withheld;
  const ids = new Set(changed.map(({ project }) => project));
  const all = await context.store.read((db) => loadProjects(db));
  const touched = all.filter(({ id }) => ids.has(id));
  await learnAll(context, touched, all);
  for (const each of changed) withheld.set(each.question, await noteWithheld(context, each));
  for (const project of touched) await publishProjects(context, [project]);
  return withheld;
}
