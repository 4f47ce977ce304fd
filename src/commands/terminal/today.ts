/**
 * `dripstone` alone at a person's terminal: what happened today, what waits, what came back, and
 * the next step.
 */
import { createApp, type App } from '../../app.js';
import { neutralise } from '../../context/index.js';
import { EXIT, type ExitCode } from '../../errors.js';
import { offeredWishes, waitingFor } from '../../jobs/learning/reviewed.js';
import { readDaemon } from '../../jobs/upkeep/daemon-note.js';
import { ageOf } from '../../recall/hits.js';
import {
  loadProjects,
  newestRepeat,
  reviewableLessons,
  sessionLines,
  storedWishes,
  type RepeatRow,
} from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import type { SessionLine } from '../../types.js';
import type { Io } from '../command.js';

/** All that the five lines tell. */
interface Today {
  now: Date;
  /**
   * Of the day (UTC), those that a person led, the newest first; when there is none, the last one
   * alone.
   */
  sessions: SessionLine[];
  isToday: boolean;
  lessons: number;
  sentences: number;
  /** In the project that was worked in last. */
  back: Pick<RepeatRow, 'time' | 'form' | 'error' | 'wasCured' | 'cures'> | null;
  isWatched: boolean;
}

/** So many of the newest sessions are looked at: nobody leads more on a day. */
const LOOKED_AT = 200;
const SHOWN = 2;

export async function printToday(io: Io): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const width = io.screen?.columns ?? Number.POSITIVE_INFINITY;
  io.out(
    todayLines(await gather(app))
      .map((line) => `${clipped(line, width)}\n`)
      .join(''),
  );
  return EXIT.done;
}

async function gather({ store, clock, paths }: App): Promise<Today> {
  const now = clock.now();
  return store.read(async (db) => {
    const newest = await sessionLines(db, { project: null, before: null, limit: LOOKED_AT });
    const led = newest.filter(({ machine, subagent }) => !machine && !subagent);
    const own = led.filter(({ ended }) => ended?.startsWith(now.toISOString().slice(0, 10)));
    const project = (await loadProjects(db)).find(({ slug }) => slug === led[0]?.project) ?? null;
    return {
      now,
      sessions: own.length > 0 ? own : led.slice(0, 1),
      isToday: own.length > 0,
      lessons: waitingFor(paths.reviewed, await reviewableLessons(db)).length,
      sentences: offeredWishes(paths.reviewed, await storedWishes(db), now).length,
      back:
        project === null
          ? null
          : await newestRepeat(db, { project: project.id, now: now.toISOString() }),
      isWatched: readDaemon(paths) !== null,
    };
  });
}

/** Five lines; what may be cut at the end of a narrow one comes last. Pure. */
function todayLines({ now, sessions, isToday, ...rest }: Today): string[] {
  const { lessons, sentences, back, isWatched } = rest;
  const [first = 'no session yet', second = ''] = sessions
    .slice(0, SHOWN)
    .map((session) =>
      [
        ageOf(session.ended, now),
        session.agent,
        session.project,
        session.title ?? 'without a title',
      ]
        .filter((part) => part !== null)
        .join(' · '),
    );
  const many = sessions.length > SHOWN ? `${counted(sessions.length, 'session')}; ` : '';
  const review = [
    ...(lessons > 0 ? [counted(lessons, 'lesson')] : []),
    ...(sentences > 0 ? [`${counted(sentences, 'sentence')} of yours`] : []),
  ].join(' and ');
  return [
    isToday || sessions.length === 0
      ? `today      ${many}${first}`
      : `today      no session; the last: ${first}`,
    `           ${second === '' ? '`dripstone sessions` lists the others' : second}`,
    `waits      ${review === '' ? 'nothing' : `${review} to review`}`,
    `came back  ${back === null ? 'nothing' : backText(back, now)}`,
    `next       ${nextStep({ review, back, isWatched })}`,
  ];
}

function backText(
  { form, error, time, wasCured, cures }: NonNullable<Today['back']>,
  now: Date,
): string {
  const cure = wasCured || cures.length > 0 ? 'its cure was known' : 'no cure known';
  return `${ageOf(time, now)} · ${cure} · ${neutralise(`${form}: ${error ?? 'failed'}`)}`;
}

function nextStep({
  review,
  back,
  isWatched,
}: { review: string } & Pick<Today, 'back' | 'isWatched'>): string {
  if (!isWatched)
    return '`dripstone run` reads what is new, `dripstone service install` keeps reading';
  if (review !== '') return '`dripstone review`';
  return back === null
    ? '`dripstone search "words"`, or `dripstone --help` for all commands'
    : '`dripstone replay`';
}

function clipped(line: string, width: number): string {
  return line.length <= width
    ? line
    : `${line.slice(0, width - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
