/** What is asked next: one part of the newest session that has something to tell, as a prompt. */
import { chooseKnown, estimateTokens, inOrder, planDigest, PROMPT_TOKENS, renderDigest, renderPrompt, type DigestPart, type SessionInput, type ShownLessons } from '../extract/index.js';
import { loadLessons, loadProjects, openQuestions, sessionEntries, type Db, type Question } from '../store/index.js';
import type { Lesson } from '../types.js';
import type { JobContext } from './job.js';

/** An answer lists at most a dozen lessons of about 80 tokens with their quotes. */
export const ANSWER_TOKENS = 1500;
/** Characters of an entry that a digest may need. */
const CLIP_CHARS = 8000;
/** Shown to the model: short, and unique among so few. */
const ID_CHARS = 5;

export interface Asked {
  question: Question;
  session: SessionInput;
  part: DigestPart;
  shown: ShownLessons;
  prompt: string;
  /** Tokens of the prompt and of the longest answer, at most. */
  estimate: number;
}

/** The next question; null when no session is left. A session with nothing to show is given as `empty`, to be noted as asked. */
export const nextQuestion = async ({ store, config }: Pick<JobContext, 'store' | 'config'>): Promise<Asked | { empty: Question; upTo: number } | null> => {
  const { session_tokens: sessionTokens, window_tokens: window } = config.llm;
  return store.read(async (db) => {
    const [question] = await openQuestions(db, 1);
    if (!question) return null;
    const session = await readSession(db, question);
    const room = window - PROMPT_TOKENS - ANSWER_TOKENS;
    const partTokens = Math.max(300, Math.floor(room * 0.8));
    const [part] = planDigest(inOrder(session.entries), { sessionTokens, partTokens }, question.after);
    if (!part || part.lines.length === 0) return { empty: question, upTo: inOrder(session.entries).at(-1)?.seq ?? question.after };
    const shown = await knownLessons(db, question.project);
    const known = chooseKnown([...shown].map(([id, { kind, text }]) => ({ id, kind, text })), Math.min(partTokens, sessionTokens));
    const prompt = renderPrompt(session.project.name, renderDigest(part), known);
    return { question, session, part, shown: new Map([...shown].filter(([id]) => known.some((one) => one.id === id))), prompt, estimate: estimateTokens(prompt) + ANSWER_TOKENS };
  });
};

const readSession = async (db: Db, { agent, session, project: id }: Question): Promise<SessionInput> => {
  const project = (await loadProjects(db)).find((one) => one.id === id);
  return {
    agent,
    session,
    facts: { session },
    entries: await sessionEntries(db, agent, session, { clip: CLIP_CHARS }),
    project: { id, name: project?.name ?? '', folders: project?.folders ?? [] },
  };
};

/** Live lessons of the project and of the person, the dearest first. */
const knownLessons = async (db: Db, project: string): Promise<Map<string, Lesson>> => {
  const lessons = [...(await loadLessons(db, { owner: project })), ...(await loadLessons(db, { owner: null }))];
  const live = lessons.filter(({ status }) => status === 'live' || status === 'conflict');
  live.sort((a, b) => b.importance * b.confidence - a.importance * a.confidence || (a.id < b.id ? -1 : 1));
  return new Map(live.map((lesson) => [lesson.id.slice(0, ID_CHARS), lesson]));
};
