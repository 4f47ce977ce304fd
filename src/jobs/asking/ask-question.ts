/** What is asked next, as a prompt. */
import {
  ANSWER_TOKENS,
  PROMPT_TOKENS,
  SESSION_SCHEMA,
  type DigestPart,
  type ShownLessons,
  type Taken,
  chooseKnown,
  knownLine,
  isWorthAsking,
  planDigest,
  readAnswer,
  renderDigest,
  renderPrompt,
  stretchesOf,
  takeClaims,
} from '../../asked/index.js';
import type { Config } from '../../config.js';
import { type SessionInput, inOrder } from '../../parse/index.js';
import {
  type Db,
  type Question,
  lastRefusals,
  loadLessons,
  loadProjects,
  questionsNamed,
  repeatedStretches,
  saveAnswer,
  sessionEntries,
  tokensSince,
} from '../../store/index.js';
import { spendingSince } from '../../llm/index.js';
import { type Entry, type Lesson, isShown } from '../../types.js';
import { maySend, orderBacklog, roomOf, waitingFor } from './backlog.js';
import { type ModelRequest, ID_CHARS, type Kept, type Passed } from './question.js';
import { asTrusted } from '../learning/inbox-trust.js';
import type { JobContext } from '../job.js';
import { countTokens } from '../../text/tokens.js';

/** Most of one session that is sent; long prompts of the person are shortened, never omitted. */
const SESSION_TOKENS = 12_000;
/** Most of one call, its answer included. */
const WINDOW_TOKENS = 16_000;
/** Of a digest in one call: a fifth is left for what is known. */
const PART_TOKENS = Math.floor((WINDOW_TOKENS - PROMPT_TOKENS - ANSWER_TOKENS) * 0.8);
/** Characters of an entry that a digest may need. */
const CLIP_CHARS = 8000;
const PATIENCE = 2;
/** Sessions that are named when the beginning of an id is not enough. */
const MOST_NAMED = 20;
const NOTHING: Taken = { candidates: [], drops: [], dropped: [] };

/** One part of the session whose turn it is, as a prompt; null when none waits. */
export async function nextQuestion(
  context: Pick<JobContext, 'store' | 'config' | 'clock'>,
): Promise<ModelRequest | Passed | null> {
  return context.store.read(async (db) => {
    const spent = await tokensSince(db, spendingSince(context.clock.now()).day);
    const room = roomOf(context.config.llm.daily_tokens - spent);
    const [question] = orderBacklog((await waitingFor(db, context.config.llm)).open, room);
    return question ? askAbout(db, question, context.config) : null;
  });
}

/** What would be asked about a session next, exactly as it would be sent. */
async function askAbout(
  db: Db,
  question: Question,
  config: Config,
): Promise<ModelRequest | Passed> {
  const session = await readSession(db, question, config.inbox.trusted);
  const entries = inOrder(session.entries);
  const repeated = await repeatedStretches(db, question, stretchesIn(entries, question.after));
  const limits = {
    sessionTokens: SESSION_TOKENS,
    partTokens: PART_TOKENS,
    isRepeated: (stretch: string) => repeated.has(stretch),
  };
  const parts = planDigest(entries, limits, question.after);
  const [part] = parts;
  if (!part || part.lines.length === 0 || (question.after < 0 && !isWorthAsking(parts)))
    return passed(question, entries.at(-1)?.seq ?? question.after);
  const digest = renderDigest(part);
  const lessons = await knownLessons(db, question.project);
  const day = part.lines.at(-1)!.entry.time?.slice(0, 10) ?? '9999';
  const shown = chooseKnown(lessons, { digest, session: question.session, day });
  const last = entries.at(-1)!.seq;
  const prompt = renderPrompt({
    project: session.project.name,
    digest,
    known: [...shown].map(([id, lesson]) => knownLine(id, lesson)),
    refused: await lastRefusals(db),
    place: { isLater: question.after >= entries[0]!.seq, goesOn: part.upTo < last },
  });
  return {
    agent: question.agent,
    session: question.session,
    project: question.project,
    prompt,
    schema: SESSION_SCHEMA,
    upTo: part.upTo,
    answerTokens: ANSWER_TOKENS,
    estimate: countTokens(prompt) + ANSWER_TOKENS,
    patience: PATIENCE,
    take: (answer) => take(answer, question, session, part, shown),
  };
}

/** Where this session's prompts may repeat those of others. */
function stretchesIn(entries: readonly Entry[], after: number): string[] {
  const typed = entries.filter(
    ({ role, origin, seq }) => role === 'user' && origin === 'user' && seq > after,
  );
  return typed.flatMap(({ text }) => stretchesOf(text.trim()));
}

function take(
  answer: string | null,
  question: Question,
  session: SessionInput,
  part: DigestPart,
  shown: ShownLessons,
): Kept {
  const read = answer === null ? null : readAnswer(answer);
  const { candidates, drops, dropped } =
    read === null ? NOTHING : takeClaims(read, session, part.lines, shown);
  return {
    isUsable: read !== null,
    kept: candidates.length + drops.length,
    claims: candidates,
    dropped,
    save: (db, time) => saveAnswer(db, { ...question, upTo: part.upTo, candidates, drops, time }),
  };
}

function passed(question: Question, upTo: number): Passed {
  return {
    pass: (db, time) => saveAnswer(db, { ...question, upTo, candidates: [], drops: [], time }),
  };
}

async function readSession(
  db: Db,
  { agent, session, project: id }: Question,
  trusted: readonly string[],
): Promise<SessionInput> {
  const project = (await loadProjects(db)).find((one) => one.id === id);
  return {
    agent,
    session,
    facts: { session },
    entries: asTrusted(await sessionEntries(db, agent, session, { clip: CLIP_CHARS }), trusted),
    project: { id, name: project?.name ?? '', folders: project?.folders ?? [] },
  };
}

/** Live lessons of the project and of the person, by the id that is shown. */
async function knownLessons(db: Db, project: string): Promise<Map<string, Lesson>> {
  const lessons = [
    ...(await loadLessons(db, { owner: project })),
    ...(await loadLessons(db, { owner: null })),
  ];
  return new Map(lessons.filter(isShown).map((lesson) => [lesson.id.slice(0, ID_CHARS), lesson]));
}

/** What `model preview` shows. */
type Preview =
  | { kind: 'prompt'; prompt: string }
  | { kind: 'nothing'; why: string }
  | { kind: 'ambiguous'; sessions: string[] };

/**
 * The next prompt about a session, from its beginning when it was shown already; without a name
 * about the first that waits.
 */
export async function previewQuestion(
  { store, config }: Pick<JobContext, 'store' | 'config'>,
  session: string | null,
): Promise<Preview> {
  return store.read(async (db) => {
    const open = orderBacklog(
      (await waitingFor(db, config.llm)).open,
      roomOf(config.llm.daily_tokens),
    );
    const named =
      session === null
        ? open.slice(0, 1)
        : await questionsNamed(db, session.toLowerCase(), MOST_NAMED);
    if (named.length > 1) return { kind: 'ambiguous', sessions: named.map((one) => one.session) };
    const [question] = named;
    if (!question)
      return {
        kind: 'nothing',
        why:
          session === null
            ? 'no session waits to be asked about'
            : `no session begins with ${session}`,
      };
    if (!maySend(question.agent, config.llm))
      return {
        kind: 'nothing',
        why: `${question.session} is a session of another vendor's agent, which is not sent`,
      };
    const waits = open.find(
      (one) => one.agent === question.agent && one.session === question.session,
    );
    const asked = await askAbout(db, waits ?? question, config);
    return 'prompt' in asked
      ? { kind: 'prompt', prompt: asked.prompt }
      : { kind: 'nothing', why: `nothing of ${question.session} would be sent` };
  });
}
