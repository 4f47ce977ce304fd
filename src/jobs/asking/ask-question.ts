/** What is asked next: about a session first; when all were asked about, about the lessons of a project as a whole. */
import {
  type DigestPart,
  PROMPT_TOKENS,
  type SessionInput,
  type ShownLessons,
  type Taken,
  chooseKnown,
  estimateTokens,
  inOrder,
  planDigest,
  readAnswer,
  renderDigest,
  renderPrompt,
  takeClaims,
} from '../../parse/index.js';
import {
  type Db,
  type Question,
  loadLessons,
  loadProjects,
  openQuestions,
  questionsNamed,
  saveAnswer,
  sessionEntries,
} from '../../store/index.js';
import { type Lesson, isShown } from '../../types.js';
import { nextChoice, nextConsolidation } from './ask-project.js';
import type { Config } from '../../config.js';
import { MOST_OPEN, rankBacklog } from './backlog.js';
import { ANSWER_TOKENS, type Asked, ID_CHARS, type Kept, type Passed } from './question.js';
import { asTrusted } from '../learning/inbox-trust.js';
import type { JobContext } from '../job.js';
import { loadDirtyProjects } from '../learning/dirty-projects.js';

/** The next question; null when none is left, or when lessons must be learnt first. */
export async function nextQuestion(
  context: Pick<JobContext, 'store' | 'config' | 'clock' | 'compute'>,
): Promise<Asked | Passed | null> {
  const session = await nextSession(context);
  if (session !== null) return session;
  const { consolidate, choose_context: choose } = context.config.llm;
  if ((!consolidate && !choose) || (await context.store.read(loadDirtyProjects)).size > 0) return null;
  return (consolidate ? await nextConsolidation(context) : null) ?? (choose ? await nextChoice(context) : null);
}

// One part of the most valuable session that has something to tell, as a prompt.

/** Characters of an entry that a digest may need. */
const CLIP_CHARS = 8000;
const PATIENCE = 2;
/** Sessions that are named when the beginning of an id is not enough. */
const MOST_NAMED = 20;
const NOTHING: Taken = { candidates: [], rewordings: [], dropped: [] };

async function nextSession({ store, config }: Pick<JobContext, 'store' | 'config'>): Promise<Asked | Passed | null> {
  return store.read(async (db) => {
    const [question] = rankBacklog(await openQuestions(db, MOST_OPEN));
    return question ? askAbout(db, question, config) : null;
  });
}

/** What would be asked about a session next, exactly as it would be sent. */
export async function askAbout(db: Db, question: Question, config: Config): Promise<Asked | Passed> {
  const { session_tokens: sessionTokens, window_tokens: window } = config.llm;
  const session = await readSession(db, question, config.inbox.trusted);
  const partTokens = Math.max(300, Math.floor((window - PROMPT_TOKENS - ANSWER_TOKENS) * 0.8));
  const entries = inOrder(session.entries);
  const [part] = planDigest(entries, { sessionTokens, partTokens }, question.after);
  if (!part || part.lines.length === 0) return passed(question, entries.at(-1)?.seq ?? question.after);
  const shown = await knownLessons(db, question.project);
  const known = chooseKnown(
    [...shown].map(([id, { kind, text }]) => ({ id, kind, text })),
    Math.min(partTokens, sessionTokens),
  );
  const prompt = renderPrompt(session.project.name, renderDigest(part), known);
  const shownTo = new Map([...shown].filter(([id]) => known.some((one) => one.id === id)));
  return {
    purpose: 'session',
    agent: question.agent,
    session: question.session,
    project: question.project,
    prompt,
    upTo: part.upTo,
    answerTokens: ANSWER_TOKENS,
    estimate: estimateTokens(prompt) + ANSWER_TOKENS,
    patience: PATIENCE,
    take: (answer) => take(answer, question, session, part, shownTo),
  };
}

function take(answer: string | null, question: Question, session: SessionInput, part: DigestPart, shown: ShownLessons): Kept {
  const read = answer === null ? null : readAnswer(answer);
  const { candidates, rewordings, dropped } = read === null ? NOTHING : takeClaims(read.claims, session, part.lines, shown);
  return {
    isUsable: read !== null,
    kept: candidates.length + rewordings.length,
    claims: candidates,
    dropped,
    save: (db, time) => saveAnswer(db, { ...question, upTo: part.upTo, candidates, rewordings, time }),
  };
}

function passed(question: Question, upTo: number): Passed {
  return { pass: (db, time) => saveAnswer(db, { ...question, upTo, candidates: [], rewordings: [], time }) };
}

async function readSession(db: Db, { agent, session, project: id }: Question, trusted: readonly string[]): Promise<SessionInput> {
  const project = (await loadProjects(db)).find((one) => one.id === id);
  return {
    agent,
    session,
    facts: { session },
    entries: asTrusted(await sessionEntries(db, agent, session, { clip: CLIP_CHARS }), trusted),
    project: { id, name: project?.name ?? '', folders: project?.folders ?? [] },
  };
}

/** Live lessons of the project and of the person, the most important first. */
async function knownLessons(db: Db, project: string): Promise<Map<string, Lesson>> {
  const lessons = [...(await loadLessons(db, { owner: project })), ...(await loadLessons(db, { owner: null }))];
  const live = lessons.filter(isShown);
  live.sort((a, b) => b.importance * b.confidence - a.importance * a.confidence || (a.id < b.id ? -1 : 1));
  return new Map(live.map((lesson) => [lesson.id.slice(0, ID_CHARS), lesson]));
}

/** What `model preview` shows. */
export type Preview =
  { kind: 'prompt'; prompt: string } | { kind: 'nothing'; why: string } | { kind: 'ambiguous'; sessions: string[] };

/** The next prompt about a session, from its beginning when it was shown already; without a name about the first that waits. */
export async function previewQuestion(
  { store, config }: Pick<JobContext, 'store' | 'config'>,
  session: string | null,
): Promise<Preview> {
  return store.read(async (db) => {
    const open = rankBacklog(await openQuestions(db, MOST_OPEN));
    const named = session === null ? open.slice(0, 1) : await questionsNamed(db, session.toLowerCase(), MOST_NAMED);
    if (named.length > 1) return { kind: 'ambiguous', sessions: named.map((one) => one.session) };
    const [question] = named;
    if (!question)
      return {
        kind: 'nothing',
        why: session === null ? 'no session waits to be asked about' : `no session begins with ${session}`,
      };
    const waits = open.find((one) => one.agent === question.agent && one.session === question.session);
    const asked = await askAbout(db, waits ?? question, config);
    return 'prompt' in asked
      ? { kind: 'prompt', prompt: asked.prompt }
      : { kind: 'nothing', why: `nothing of ${question.session} would be sent` };
  });
}
