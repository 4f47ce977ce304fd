/**
 * `dripstone replay`: what came back in the person's own history, and what of it memory would have
 * told before.
 */
import { createApp, type App } from '../../app.js';
import { neutralise } from '../../context/index.js';
import { EXIT, usage } from '../../errors.js';
import { loadPageMaterial, pageOn } from '../../jobs/publishing/page-then.js';
import { chooseProject } from '../../recall/projects.js';
import { followedOf, momentsOf } from '../../recall/replay/moment.js';
import {
  judge,
  totalsOf,
  type Cost,
  type Repeat,
  type Totals,
  type Witnesses,
} from '../../recall/replay/replay.js';
import {
  allFactEvents,
  isQuicklyJudged,
  loadProjects,
  loadRepeats,
  type RepeatRow,
  type Repeats,
} from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { printJson, type Command } from '../command.js';
import { ASKING, PROJECT, refuseWords } from '../typed.js';
import { printTrial } from './holdout.js';
import { costOf } from '../../recall/usage.js';
import { sinceIn } from '../../text/days.js';
import { loadPrices } from '../../recall/usage.js';

const SHOWN = 10;

export const replayCommand: Command = {
  name: 'replay',
  summary:
    'count problems that came back in your history, and the cures that memory would have shown',
  usage: '[--since 90d | --holdout] [--project P] [--json]',
  options: {
    since: {
      type: 'string',
      value: 'DAY',
      help: 'from this day (UTC) on: 2026-11-20, 90d, 2w, or all; default 90d',
    },
    project: PROJECT,
    holdout: {
      type: 'boolean',
      help: 'compare sessions of days with memory and without (config `context.holdout`)',
    },
    json: { type: 'boolean', help: 'print {"version":1,"since","project","totals","repeats"}' },
  },
  exits: ASKING,
  examples: ['dripstone replay', 'dripstone replay --since all --project all --json'],
  async run(io, args) {
    refuseWords('replay', args);
    if (args.flag('holdout') && args.text('since') !== null)
      throw usage('--holdout counts since the trial began', 'leave --since out');
    const since = sinceIn(args.text('since') ?? '90d', io.clock.now());
    await using app = await createApp({ ...io, access: 'read' });
    const project = await chooseProject(app, args.text('project'), io.cwd);
    if (args.flag('holdout')) {
      await printTrial(io, app, project, args.flag('json'));
      return EXIT.done;
    }
    const repeats = await replay(app, { project: project?.id ?? null, since });
    if (args.flag('json'))
      printJson(io, { since, project: project?.slug ?? null, ...replayJson(repeats) });
    else io.out(renderReplay(repeats, since));
    return EXIT.done;
  },
};

/** Judges the history of a project (id; null: of all) from a day on; reads only. */
export async function replay(
  app: App,
  { project, since }: { project: string | null; since: string | null },
): Promise<Repeat[]> {
  const now = app.clock.now().toISOString();
  return judged(
    app,
    await app.store.read((db) => loadRepeats(db, { project, since, now })),
    project,
    now,
  );
}

async function judged(
  app: App,
  found: Repeats,
  project: string | null,
  now: string,
): Promise<Repeat[]> {
  const prices = loadPrices(app.config.usage.prices);
  const events = await app.store.read((db) => allFactEvents(db, project));
  const followed = await app.store.read((db) => followedOf(db, found.rows));
  return judge(found, {
    onPage: await pagesOf(app, found.rows, now),
    toldAtMoment: momentsOf(events, followed),
    dollars: (answer) => costOf({ ...answer, logged: answer.cost }, prices),
  });
}

/** The pages that are asked about, each rendered once. */
async function pagesOf(
  app: App,
  rows: readonly RepeatRow[],
  now: string,
): Promise<Witnesses['onPage']> {
  const wanted = new Set(
    rows.filter(({ cures }) => cures.length > 0).map(({ project }) => project),
  );
  const projects = (await app.store.read((db) => loadProjects(db))).filter(({ id }) =>
    wanted.has(id),
  );
  const budget = app.config.context.budget_tokens;
  const material = new Map(
    await app.store.read(async (db) => {
      const loaded = [];
      for (const project of projects)
        loaded.push([project.id, await loadPageMaterial(db, project, now, budget)] as const);
      return loaded;
    }),
  );
  const pages = new Map<string, Set<string>>();
  return (project, day, keys) => {
    const of = material.get(project);
    const name = `${project}\0${day}`;
    if (of !== undefined && !pages.has(name)) pages.set(name, pageOn(of, day));
    return keys.some((key) => pages.get(name)?.has(key) === true);
  };
}

function weightOf({ cost }: Repeat): number {
  return cost === null ? -1 : cost.seconds;
}

function dearestFirst(a: Repeat, b: Repeat): number {
  return (
    weightOf(b) - weightOf(a) ||
    (a.time < b.time ? -1 : a.time > b.time ? 1 : a.entry < b.entry ? -1 : 1)
  );
}

/** What came back, the dearest first, with its sums. */
export function replayJson(repeats: readonly Repeat[]) {
  return { totals: totalsOf(repeats), repeats: [...repeats].sort(dearestFirst).map(repeatJson) };
}

function repeatJson(repeat: Repeat) {
  const {
    kind,
    slug,
    agent,
    session,
    entry,
    time,
    program,
    form,
    error,
    known,
    told,
    cost,
    path,
    line,
  } = repeat;
  return {
    ...{
      kind,
      project: slug,
      agent,
      session,
      entry,
      time,
      program,
      text: form,
      error,
      known,
      told,
    },
    calls: cost?.calls ?? null,
    seconds: cost === null ? null : Math.floor(cost.seconds),
    tokens: cost?.tokens ?? null,
    dollars: cost === null ? null : Math.floor(cost.dollars * 100) / 100,
    ...{ path, line },
  };
}

/** One screen: the sums, then the ten dearest with their places. */
function renderReplay(repeats: readonly Repeat[], since: string | null): string {
  const totals = totalsOf(repeats);
  const dearest = [...repeats].sort(dearestFirst).slice(0, SHOWN);
  return `${[...replayLines(totals, since), ...dearest.flatMap(renderRepeat)].join('\n')}\n`;
}

/**
 * Processor time on a laptop: 0.5 s for the queries over 9,000 steps, about 40 ms for each page of
 * a day.
 */
const MOST_PAGES = 20;

/**
 * The sums over the whole history, for the end of a first run; none when nothing came back, or it
 * takes more than about 2 s.
 */
export async function firstReplay(app: App): Promise<string[]> {
  if (!(await app.store.read((db) => isQuicklyJudged(db, null)))) return [];
  const now = app.clock.now().toISOString();
  const found = await app.store.read((db) => loadRepeats(db, { project: null, since: null, now }));
  const asked = found.rows.filter(({ cures }) => cures.length > 0);
  if (
    new Set(asked.map(({ project, time }) => `${project} ${time.slice(0, 10)}`)).size > MOST_PAGES
  )
    return [];
  const totals = totalsOf(await judged(app, found, null, now));
  return totals.failures + totals.wishes === 0 ? [] : replayLines(totals, null);
}

/** The sums, in two lines at most. */
export function replayLines(totals: Totals, since: string | null): string[] {
  const {
    failures,
    known,
    page,
    moment,
    wishes,
    wishes_on_page: told,
    calls,
    minutes,
    tokens,
    dollars,
  } = totals;
  const when = since === null ? '' : ` since ${since}`;
  if (failures + wishes === 0)
    return [`nothing came back${when}: no error of an earlier session, no wish said again`];
  const said =
    wishes === 0
      ? ''
      : `${counted(wishes, 'wish', 'wishes')} said again, ${told} on the page that day`;
  if (failures === 0) return [`${said}; no error of an earlier session came back${when}`];
  const time = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 6) / 10} h`;
  const money = dollars > 0 ? `, $${dollars.toFixed(2)}` : '';
  return [
    `${counted(failures, 'error')} came back${when}; the cure was known for ${known}; the page would have said ${page}, ` +
      `recall at the failure ${moment} more${said === '' ? '' : ` · ${said}`}`,
    `repeats cost ${counted(calls, 'call')}, ${time}, ${counted(tokens, 'token')}${money} until they were cured again`,
  ];
}

function renderRepeat(repeat: Repeat): string[] {
  const { kind, program, form, error, told, known, cost, time, path, line, slug } = repeat;
  const what =
    kind === 'wish' ? `you said again: ${form}` : `${form}: ${error ?? `${program ?? ''} failed`}`;
  const would =
    told === 'page'
      ? 'on the page'
      : told === 'moment'
        ? 'told at the failure'
        : known
          ? 'known, not told'
          : 'no cure known';
  return [
    '',
    neutralise(what).slice(0, 160),
    `  ${[time.slice(0, 10), slug, would, ...(cost === null ? [] : [costText(cost)])].join(' · ')}`,
    ...(path === null ? [] : [`  ${path}:${line ?? 1}`]),
  ];
}

function costText({ calls, seconds, tokens }: Cost): string {
  const time = seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min`;
  return `${counted(calls, 'call')}, ${time}, ${counted(tokens, 'token')}`;
}
