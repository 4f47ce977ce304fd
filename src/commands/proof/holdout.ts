/** `dripstone replay --holdout`: sessions of days with memory against those of days without. */
import type { App } from '../../app.js';
import { isHeldOut } from '../../context/index.js';
import { trialBegun } from '../../jobs/publishing/trial.js';
import {
  compareSides,
  LEAST_DAYS,
  LEAST_SESSIONS,
  type Estimate,
  type Measure,
  type Trial,
} from '../../recall/replay/holdout.js';
import { judge } from '../../recall/replay/replay.js';
import { loadRepeats, trialSessions } from '../../store/index.js';
import { counted, withCommas } from '../../text/amounts.js';
import type { Project } from '../../types.js';
import { printJson } from '../command.js';
import type { Io } from '../../io.js';

const NAMES: Record<Measure, string> = {
  failed: 'failed commands',
  repeated: 'errors that came back',
  corrections: 'wishes said again',
  tokens: 'new tokens',
  turns: 'prompts',
};

/** @param project null: all */
export async function printTrial(
  io: Io,
  app: App,
  project: Project | null,
  asJson: boolean,
): Promise<void> {
  const begun = await app.store.read(trialBegun);
  const share = app.config.context.holdout;
  const since = begun !== null && begun.share === share ? begun.since : null;
  const trial = compareSides(since === null ? [] : await sessionsOf(app, project, since), (day) =>
    isHeldOut(app.redactKey, day, share),
  );
  if (asJson) printJson(io, trialJson({ since, share, project: project?.slug ?? null }, trial));
  else io.out(since === null ? noTrial(share) : renderTrial(since, share, trial));
}

async function sessionsOf(app: App, project: Project | null, since: string) {
  const wanted = { project: project?.id ?? null, since, now: app.clock.now().toISOString() };
  const [sessions, found] = await app.store.read(
    async (db) => [await trialSessions(db, wanted), await loadRepeats(db, wanted)] as const,
  );
  // Only what came back is counted here; whether memory would have told it is another question.
  const repeats = judge(found, {
    onPage: () => false,
    toldAtMoment: () => false,
    dollars: () => null,
  });
  const countOf = (agent: string, session: string, isWish: boolean): number =>
    repeats.filter(
      (each) =>
        each.agent === agent && each.session === session && (each.kind === 'wish') === isWish,
    ).length;
  return sessions.map(({ agent, session, ...rest }) => ({
    ...rest,
    repeated: countOf(agent, session, false),
    corrections: countOf(agent, session, true),
  }));
}

function trialJson(
  about: { since: string | null; share: number; project: string | null },
  trial: Trial,
) {
  return {
    ...about,
    sessions: {
      with_memory: trial.withMemory.sessions,
      without: trial.without.sessions,
      needed: LEAST_SESSIONS,
    },
    days: { with_memory: trial.withMemory.days, without: trial.without.days, needed: LEAST_DAYS },
    measures:
      trial.measures?.map(({ measure, withMemory, without, saved, isSeen }) => ({
        ...{ measure, with_memory: withMemory, without, saved, effect: isSeen },
      })) ?? null,
  };
}

function noTrial(share: number): string {
  return share === 0
    ? 'no trial runs: `dripstone config set context.holdout 0.2` leaves memory silent on a fifth of the days\n'
    : 'the trial has not begun: `dripstone run` begins it\n';
}

function renderTrial(
  since: string,
  share: number,
  { withMemory, without, measures }: Trial,
): string {
  const head = `trial since ${since.slice(0, 10)}, memory is silent on ${Math.round(share * 100)} % of the days`;
  if (measures === null) {
    const left = (side: { sessions: number; days: number }, on: string): string =>
      `  ${side.sessions} of ${LEAST_SESSIONS} sessions, ${side.days} of ${LEAST_DAYS} days ${on}\n`;
    return `${head}; too early to tell\n${left(without, 'on held-out days')}${left(withMemory, 'on days with memory')}`;
  }
  const lines = measures.map(({ measure, withMemory: told, without: held, saved, isSeen }) => {
    const [withIt, withoutIt] = [told, held].map(
      (side) => `${amount(side.value)} (${range(side)})`,
    );
    const effect = isSeen
      ? `${amount(Math.abs(saved.value))} ${saved.value > 0 ? 'fewer' : 'more'} with memory (${range(absolute(saved))})`
      : 'no effect seen';
    return `  ${NAMES[measure].padEnd(22)} ${withIt} with, ${withoutIt} without: ${effect}\n`;
  });
  const sizes = `${counted(withMemory.sessions, 'session')} with memory, ${without.sessions} without`;
  return `${head}\n${sizes}; a session took (95 % interval):\n${lines.join('')}`;
}

function absolute({ value, low, high }: Estimate): Estimate {
  return value < 0 ? { value: -value, low: -high, high: -low } : { value, low, high };
}

function range({ low, high }: Estimate): string {
  return `${amount(low)} to ${amount(high)}`;
}

function amount(n: number): string {
  return Math.abs(n) >= 100 ? withCommas(Math.round(n)) : n.toFixed(1);
}
