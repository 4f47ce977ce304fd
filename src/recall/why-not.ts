/** `dripstone lessons why "words"` for a sentence that is no lesson: its place and the reason. */
import { neutralise } from '../context/index.js';
import { AppError, EXIT } from '../errors.js';
import {
  droppedNotes,
  loadProjects,
  offeredWishes,
  sessionLine,
  storedWishes,
  waitingFor,
} from '../store/index.js';
import { hasAllWords } from '../text/words.js';
import type { Hit, SearchOptions } from '../types.js';
import type { Reader } from './recall.js';
import { search } from './search.js';

/** Why a sentence of the logs is not a lesson. */
const BECAUSE = {
  automated: 'a program started this session: it is kept and found, and nobody typed it',
  injected:
    'no person typed it: it is a reminder, an instruction file, a summary or another text that a program put there',
  foreign: 'a tool or a page printed it, and what they say never becomes advice',
  agent_said: 'an agent said it: only a line of it that begins with `Remember:` becomes a lesson',
  no_note: 'it was said to remember, and it is no lesson',
  withheld: 'it is withheld',
  declined: 'you decided in `dripstone review` that it is none',
  offered: '`dripstone review` offers it to you, and you have not decided',
  waits: 'it waits for `dripstone review`, which offers ten sentences a week, the best first',
  no_rule: 'you typed it once, and no rule or person made it a lesson',
} as const;

/** As `lessons why --json` prints it. */
interface NoLesson {
  sentence: Pick<Hit, 'text' | 'agent' | 'session' | 'project' | 'role' | 'path' | 'line'> & {
    entry: string;
    day: string | null;
    origin: string | null;
  };
  why: keyof typeof BECAUSE;
  /** The reason why taint withholds it, or why a note is not a lesson. */
  reason: string | null;
}

/** @throws AppError exit 2 when no entry has the words */
export async function explainNoLesson(app: Reader, meant: string): Promise<NoLesson> {
  const hit = await findSentence(app, meant);
  if (hit === null)
    throw new AppError(
      'SENTENCE_UNKNOWN',
      `no lesson has the id or the words ${meant}, and no entry has these words`,
      {
        hint: '`dripstone search` finds what is near; `dripstone lessons list --all --project all` shows all lessons',
        exitCode: EXIT.usage,
      },
    );
  const { id: entry, passage: text, agent, session, project, at, role, origin, path, line } = hit;
  return {
    sentence: {
      ...{ text, entry, agent, session, project, day: at?.slice(0, 10) ?? null, role },
      ...{ origin, path, line },
    },
    reason: null,
    ...(await whyNot(app, hit, meant)),
  };
}

const LOOKED_AT = 20;

/** Prefers prompts of the person, and the words as written to the same words in any order. */
async function findSentence(app: Reader, meant: string): Promise<Hit | null> {
  const all: Omit<SearchOptions, 'mode'> = {
    ...{ query: meant, project: null, limit: LOOKED_AT, agent: null, kind: 'entry' },
    ...{ role: null, since: null, until: null },
  };
  for (const mode of ['exact', 'keyword'] as const) {
    const { hits } = await search(app, { ...all, mode });
    const found = hits.filter(({ passage }) => mode === 'exact' || hasAllWords(passage, meant));
    const [first] = found;
    if (first !== undefined)
      return found.find(({ role, origin }) => role === 'user' && origin === 'user') ?? first;
  }
  return null;
}

async function whyNot(
  app: Reader,
  { id, agent, session, project: slug, passage, role, origin }: Hit,
  meant: string,
): Promise<Pick<NoLesson, 'why'> & { reason?: string }> {
  const { project, line, wishes, dropped } = await app.store.read(async (db) => ({
    project: (await loadProjects(db)).find((each) => each.slug === slug) ?? null,
    line: agent === null || session === null ? null : await sessionLine(db, agent, session),
    wishes: await storedWishes(db),
    dropped: await droppedNotes(db, null),
  }));
  if (line?.machine === true || line?.subagent === true) return { why: 'automated' };
  const withheld = project === null ? [] : await app.withheld(project);
  const kept = withheld.find(({ lesson }) => hasAllWords(lesson.text, meant));
  if (kept !== undefined) return { why: 'withheld', reason: kept.reason };
  if (origin === 'injected') return { why: 'injected' };
  if (origin === 'external' || origin === 'tool') return { why: 'foreign' };
  const note = dropped.find((each) => each.entry === id && hasAllWords(each.text, meant));
  if (note !== undefined) return { why: 'no_note', reason: note.reason };
  if (role !== 'user') return { why: 'agent_said' };
  const wish = wishes.find(
    (each) =>
      each.project === project?.id && passage.includes(each.text) && hasAllWords(each.text, meant),
  );
  if (wish === undefined) return { why: 'no_rule' };
  const { reviewed } = app.paths;
  if (waitingFor(reviewed, [wish.id]).length === 0) return { why: 'declined' };
  return {
    why: offeredWishes(reviewed, wishes, app.clock.now()).includes(wish) ? 'offered' : 'waits',
  };
}

/** For a person. Pure. */
export function renderNoLesson({ sentence, why, reason }: NoLesson): string {
  const { text, agent, session, project, day, path, line } = sentence;
  const where = [day ?? 'no day', project, agent, session?.slice(0, 8)].filter(
    (part) => part !== null && part !== undefined,
  );
  const isOffered = why === 'offered' || why === 'waits';
  return [
    `no lesson: ${neutralise(text)}`,
    `  ${where.join(' · ')}${path === null ? '' : ` · ${path}:${line ?? 1}`}`,
    `why: ${BECAUSE[why]}${reason === null ? '' : `: ${neutralise(reason)}`}`,
    `next: ${isOffered ? '`dripstone review`, or ' : ''}\`dripstone lessons add "…"\` makes your words a lesson`,
    '',
  ].join('\n');
}
