/**
 * `dripstone replay`: repeated errors in the person's history, how many of them memory would have
 * answered, and what hooks showed and what followed.
 */
import { createApp, type App } from '../app.js';
import { neutralise } from '../context/index.js';
import { projectHere } from '../recall/projects.js';
import {
  historyOf,
  judgeHistory,
  loadReceipts,
  totalsOf,
  type Cost,
  type ReceiptAtMoment,
  type Repeat,
  type Totals,
} from '../recall/replay.js';
import { isQuicklyJudged, type Followed } from '../store/index.js';
import { counted } from '../text/amounts.js';
import { type Command, ASKING, PROJECT, refuseWords, value, flag, print } from '../command.js';
import { sinceIn } from '../text/days.js';

const SHOWN = 10;

export const replayCommand: Command = {
  name: 'replay',
  summary:
    'problems that came back although their cure was known; what hooks showed, and what happened then',
  usage: '[--since 90d] [--project P] [--json]',
  options: {
    since: value('DAY', 'from this day (UTC) on: 2026-11-20, 90d, 2w, or all; default 90d'),
    project: PROJECT,
    json: flag('print {"version":1,"since","project","totals","repeats","receipts"}'),
  },
  exits: ASKING,
  examples: ['dripstone replay', 'dripstone replay --since all --project all --json'],
  async run(io, args) {
    refuseWords('replay', args);
    const since = sinceIn(args.text('since') ?? '90d', io.clock.now());
    await using app = await createApp({ ...io, access: 'read' });
    const project = await projectHere(app, args.text('project'), io.cwd);
    const found = await historyOf(app, project?.id ?? null, since);
    const repeats = await judgeHistory(app, found);
    const receipts = await app.store.read((db) => loadReceipts(db, since, project?.id ?? null));
    return print(
      io,
      args,
      { since, project: project?.slug ?? null, ...replayJson(repeats), receipts },
      `${renderReplay(repeats, since)}${renderReceipts(receipts)}`,
    );
  },
};

function weightOf({ cost }: Repeat): number {
  return cost === null ? -1 : cost.seconds;
}

function dearestFirst(a: Repeat, b: Repeat): number {
  return (
    weightOf(b) - weightOf(a) ||
    (a.time < b.time ? -1 : a.time > b.time ? 1 : a.entry < b.entry ? -1 : 1)
  );
}

/** Repeated errors, the most costly first, with sums. */
function replayJson(repeats: readonly Repeat[]) {
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
    shown,
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
      shown,
    },
    calls: cost?.calls ?? null,
    seconds: cost === null ? null : Math.floor(cost.seconds),
    tokens: cost?.tokens ?? null,
    dollars: cost === null ? null : Math.floor(cost.dollars * 100) / 100,
    ...{ path, line },
  };
}

/** One screen: the sums, then the ten most costly errors with their places. */
function renderReplay(repeats: readonly Repeat[], since: string | null): string {
  const totals = totalsOf(repeats);
  const dearest = [...repeats].sort(dearestFirst).slice(0, SHOWN);
  return `${[...replayLines(totals, since), ...dearest.flatMap(renderRepeat)].join('\n')}\n`;
}

/** The sums over the whole history, for a first run; none if counting takes too long. */
export async function firstReplay(app: App): Promise<string[]> {
  if (!(await app.store.read((db) => isQuicklyJudged(db, null)))) return [];
  const found = await historyOf(app, null, null);
  const totals = totalsOf(await judgeHistory(app, found));
  return totals.failures === 0 ? [] : replayLines(totals, null);
}

/** The sums in at most two lines. */
function replayLines(totals: Totals, since: string | null): string[] {
  const { failures, known, shown, calls, minutes, tokens, dollars } = totals;
  const when = since === null ? '' : ` since ${since}`;
  if (failures === 0) return [`no error of an earlier session came back${when}`];
  const time = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 6) / 10} h`;
  const money = dollars > 0 ? `, $${dollars.toFixed(2)}` : '';
  return [
    `${counted(failures, 'error')} came back${when}; the cure was known for ${known}; recall would have shown ` +
      `${shown} of them at the failure`,
    `repeats cost ${counted(calls, 'call')}, ${time}, ${counted(tokens, 'token')}${money} until they were cured again`,
  ];
}

function renderRepeat(repeat: Repeat): string[] {
  const { program, form, error, shown, known, cost, time, path, line, slug } = repeat;
  const what = `${form}: ${error ?? `${program ?? ''} failed`}`;
  const would = shown ? 'shown at the failure' : known ? 'known, not shown' : 'no cure known';
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

/** What hooks showed, newest first; '' if nothing. */
function renderReceipts(receipts: readonly ReceiptAtMoment[]): string {
  if (receipts.length === 0) return '';
  const shown = receipts.slice(0, SHOWN).map(receiptText);
  const more = receipts.length - shown.length;
  return [
    `\nhooks showed something at ${counted(receipts.length, 'moment')}`,
    ...shown,
    ...(more > 0 ? [`(${more} more; --json has all)`] : []),
    '',
  ].join('\n');
}

const TEXTS: Record<string, string> = { page: 'the page', notes: 'asked for notes' };

function receiptText({
  time,
  moment,
  agent,
  session,
  project,
  tokens,
  items,
  followed,
}: ReceiptAtMoment): string {
  const head = [
    time.slice(0, 16).replace('T', ' '),
    moment,
    agent,
    session.slice(0, 8),
    project ?? 'no project',
    `${tokens} tokens`,
  ];
  const shown = items.map(
    ({ type, id, text }) =>
      `  ${TEXTS[type] ?? neutralise(text ?? `${type} ${id.slice(0, 10)}, gone since`)}`,
  );
  return [
    head.join(' · '),
    ...shown,
    ...(followed === null ? [] : [`  then: ${afterText(followed)}`]),
  ].join('\n');
}

/** Describes what followed in the session. */
function afterText({ again, passed, cured }: Omit<Followed, 'receipt'>): string {
  if (again === null) return 'the log is not read yet';
  const parts = [
    again === 0 ? 'the error did not come again' : `the error came again ${counted(again, 'time')}`,
    ...(cured === null ? [] : [cured ? 'the cure ran' : 'the cure did not run']),
    ...(passed === null ? [] : [passed ? 'the command passed later' : 'the command did not pass']),
  ];
  return parts.join(', ');
}
