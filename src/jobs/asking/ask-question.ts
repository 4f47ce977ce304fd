/** Makes the next prompt for a model. */
import {
  SESSION_SCHEMA,
  type Digest,
  type ShownLessons,
  answerTokens,
  chooseKnown,
  knownLine,
  isWorthAsking,
  planDigest,
  readAnswer,
  renderDigest,
  renderPrompt,
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
  saveAnswer,
  sessionEntries,
  tokensSince,
} from '../../store/index.js';
import { spendingSince } from '../../llm/index.js';
import { type Lesson, isShown } from '../../types.js';
import { maySend, orderBacklog, roomOf, waitingFor } from './backlog.js';
import type { ModelRequest, Kept, Passed } from './question.js';
import { asTrusted } from '../learning/inbox-trust.js';
import type { JobContext } from '../job.js';
import { countTokens } from '../../text/tokens.js';

/** Most of one session that is sent; long prompts of the person are shortened, never omitted. */
const SESSION_TOKENS = 4500;
/** Sessions with digests up to this size share a prompt, within a limit of tokens and sessions. */
const SHORT_TOKENS = 2500;
const BATCH_TOKENS = 4500;
const MOST_SESSIONS = 6;
/** Tokens of such a prompt and its answer without the digests. A small budget must allow one. */
const BESIDE_TOKENS = 4500;
/** Most characters of an entry in a digest. */
const CLIP_CHARS = 8000;
/** Characters of a lesson's id in a prompt, enough to be unique there. */
const ID_CHARS = 5;
/** Most sessions that are listed when the beginning of an id is ambiguous. */
const MOST_NAMED = 20;

/** The next part of a session, as a prompt shows it. */
interface Shown {
  question: Question;
  session: SessionInput;
  digest: Digest;
  tokens: number;
  isLater: boolean;
  hasMore: boolean;
}

/** A prompt about the next sessions; null if no session waits. */
export async function nextQuestion(
  context: Pick<JobContext, 'store' | 'config' | 'clock'>,
): Promise<ModelRequest | Passed | null> {
  return context.store.read(async (db) => {
    const spent = await tokensSince(db, spendingSince(context.clock.now()).day);
    const left = context.config.llm.daily_tokens - spent;
    const open = orderBacklog((await waitingFor(db, context.config.llm)).open, roomOf(left));
    return open.length === 0 ? null : askAbout(db, open, context.config, left);
  });
}

/**
 * The next prompt about the first of these sessions, exactly as it would be sent.
 * @param left tokens of the day
 */
async function askAbout(
  db: Db,
  [first, ...others]: readonly Question[],
  config: Config,
  left: number,
): Promise<ModelRequest | Passed> {
  const shown = await showSession(db, first!, config);
  if ('pass' in shown) return shown;
  const all = [shown];
  let tokens = shown.tokens;
  for (const question of others) {
    if (!isShort(all.at(-1)!) || all.length === MOST_SESSIONS) break;
    if (question.project !== first!.project) break;
    const next = await showSession(db, question, config);
    if ('pass' in next) continue;
    tokens += next.tokens;
    if (!isShort(next) || tokens > Math.min(BATCH_TOKENS, left - BESIDE_TOKENS)) break;
    all.push(next);
  }
  return requestOf(db, all);
}

function isShort({ tokens, hasMore }: Shown): boolean {
  return tokens <= SHORT_TOKENS && !hasMore;
}

/** One prompt about sessions of a project, oldest first. */
async function requestOf(db: Db, all: readonly Shown[]): Promise<ModelRequest> {
  const [{ question, session, digest: oldest }] = all as [Shown];
  let before = 0;
  const sessions = all.map(({ digest: { lines }, isLater, hasMore }) => {
    const digest = renderDigest(lines, before);
    before += lines.length;
    return { digest, isLater, hasMore };
  });
  const known = chooseKnown(await knownLessons(db, question.project), {
    digest: sessions.map(({ digest }) => digest).join('\n'),
    sessions: all.map((one) => one.question.session),
    day: oldest.lines.at(-1)!.entry.time?.slice(0, 10) ?? '9999',
  });
  const prompt = renderPrompt({
    project: session.project.name,
    sessions,
    known: [...known].map(([id, lesson]) => knownLine(id, lesson)),
    refused: await lastRefusals(db),
  });
  return {
    agent: question.agent,
    session: question.session,
    project: question.project,
    sessions: all.length,
    prompt,
    schema: SESSION_SCHEMA,
    answerTokens: answerTokens(all.length),
    estimate: countTokens(prompt) + answerTokens(all.length),
    take: (answer) => take(answer, all, known),
  };
}

async function showSession(db: Db, question: Question, config: Config): Promise<Shown | Passed> {
  const session = await readSession(db, question, config.inbox.trusted);
  const entries = inOrder(session.entries);
  const digest = planDigest(entries, SESSION_TOKENS, question.after);
  const last = entries.at(-1)?.seq ?? question.after;
  const upTo = digest.upTo > question.after ? digest.upTo : last;
  if (!isWorthAsking(digest))
    return { pass: (db, time) => saveAnswer(db, { ...question, upTo, time }) };
  return {
    ...{ question, session, digest },
    tokens: countTokens(renderDigest(digest.lines)),
    isLater: question.after >= entries[0]!.seq,
    hasMore: digest.upTo < last,
  };
}

function take(answer: string | null, all: readonly Shown[], known: ShownLessons): Kept {
  const read = answer === null ? null : readAnswer(answer);
  const shown = all.map(({ session, digest: { lines } }) => ({ session, lines }));
  const { candidates, drops, dropped } = takeClaims(read ?? [], shown, known);
  return {
    isUsable: read !== null,
    kept: candidates.length + drops.length,
    dropped,
    async save(db, time) {
      const asked = answer === null ? all.slice(0, 1) : all;
      for (const [at, { question, digest }] of asked.entries())
        await saveAnswer(db, {
          ...{ ...question, upTo: digest.upTo, time, drops: at === 0 ? drops : [] },
          candidates: candidates.filter(
            ({ evidence: { agent, session } }) =>
              agent === question.agent && session === question.session,
          ),
        });
    },
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

/** A prompt, the reason why there is none, or sessions to choose from, for `model preview`. */
type Preview = { prompt: string } | { why: string } | { sessions: string[] };

/** The prompt about one session, from its beginning, or else the next prompt. */
export async function previewQuestion(
  { store, config }: Pick<JobContext, 'store' | 'config'>,
  session: string | null,
): Promise<Preview> {
  return store.read(async (db) => {
    const room = roomOf(config.llm.daily_tokens);
    const open = orderBacklog((await waitingFor(db, config.llm)).open, room);
    let asked: readonly Question[] = open;
    if (session !== null) {
      const named = await questionsNamed(db, session.toLowerCase(), MOST_NAMED);
      if (named.length > 1) return { sessions: named.map((one) => one.session) };
      const isNamed = (one: Question): boolean =>
        one.agent === named[0]?.agent && one.session === named[0].session;
      asked = open.some(isNamed) ? open.filter(isNamed) : named;
    }
    const [first] = asked;
    const named = session === null ? 'waits to be asked about' : `begins with ${session}`;
    if (!first) return { why: `no session ${named}` };
    const foreign = `${first.session} is a session of another vendor's agent, which is not sent`;
    if (!maySend(first.agent, config.llm)) return { why: foreign };
    for (let at = 0; at < asked.length; at += 1) {
      const next = await askAbout(db, asked.slice(at), config, config.llm.daily_tokens);
      if ('prompt' in next) return { prompt: next.prompt };
    }
    return { why: `nothing of ${first.session} would be sent` };
  });
}
