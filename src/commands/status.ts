/** `dripstone status`: whether the daemon runs, what was read, what is pending, what failed. */
import { existsSync } from 'node:fs';
import { createApp, type App } from '../app.js';
import { homeOf, pathsOf } from '../config.js';
import { neutralise } from '../context/index.js';
import { EXIT, usage, type ExitCode } from '../errors.js';
import type { Io } from '../io.js';
import { counted, mib, withCommas } from '../text/amounts.js';
import { cureHome, gatherStatus, runChecks, type Check } from '../jobs/upkeep/status.js';
import { shortPath } from '../links/line.js';
import { logsOfSessions, noteReviewed, waitingFor } from '../store/index.js';
import { sessionKey, type StatusFacts } from '../types.js';
import { columns, printJson, type Arguments, type Command, flag, print } from '../command.js';
import { drawProgress } from './progress.js';
import { localTime } from './screen.js';
import { present } from '../text/order.js';

const OPTIONAL = { access: 'read', storeOptional: true, configOptional: true } as const;

export const statusCommand: Command = {
  name: 'status',
  summary: 'what was read, what is pending, what failed; --check names a cure for each failure',
  usage: '[--check [--fix]] [--json]',
  options: {
    check: flag('check machine, home, logs and store instead'),
    fix: flag(
      'with --check: first make the safe repairs (file modes, the note of a daemon that ended)',
    ),
    json: flag(
      'print {"version":1,"daemon","agents","sources","skipped","pending","jobs","store","review","notes","receipts","retention",' +
        '"llm","degraded"}; with --check {"version":1,"ok","checks":[…],"fixed":[…]}',
    ),
  },
  exits: { [EXIT.error]: 'with --check: a check failed; the line `cure:` below it names the fix' },
  examples: [
    'dripstone status',
    'dripstone status --check',
    'dripstone status --json | jq .degraded',
  ],
  async run(io, args) {
    if (args.flag('check')) return check(io, args);
    if (args.flag('fix'))
      throw usage('--fix needs --check', 'type `dripstone status --check --fix`');
    const { facts, app } = await statusOf(io);
    return print(io, args, { ...facts }, renderStatus(facts, app));
  },
};

async function statusOf(io: Io): Promise<{ facts: StatusFacts; app: App }> {
  await using app = await createApp({ ...io, ...OPTIONAL });
  return { facts: await gatherStatus(app), app };
}

/** Lines to print once a day: the best receipt, and sessions whose logs no longer exist. */
async function wordsOfTheDay(io: Io, { receipts: { best } }: StatusFacts): Promise<string[]> {
  await using app = await createApp({ ...io, access: 'read' });
  const kept = keptAlone(await app.store.read(logsOfSessions), existsSync);
  return [
    ...receiptLines(best, app),
    ...(kept === 0 ? [] : [`kept     ${counted(kept, 'session')} that your agents have deleted`]),
  ];
}

/** Number of sessions without an existing log. Pure except for `isThere`. */
function keptAlone(
  logs: Awaited<ReturnType<typeof logsOfSessions>>,
  isThere: (path: string) => boolean,
): number {
  const sessions = new Map<string, boolean>();
  for (const { path, agent, session } of logs) {
    const key = sessionKey(agent, session);
    sessions.set(key, sessions.get(key) === true || isThere(path));
  }
  return [...sessions.values()].filter((isLeft) => !isLeft).length;
}

/** The failure with a shown cure that had cost the most time earlier, with its place. Pure. */
function receiptLines(
  best: StatusFacts['receipts']['best'],
  { userHome, clock }: Pick<App, 'userHome' | 'clock'>,
): string[] {
  if (best === null) return [];
  const { form, time, cured, seconds, cost_day: costDay, path, line } = best;
  const today = clock.now().toISOString().slice(0, 10);
  const day = time.slice(0, 10) === today ? 'today' : `on ${time.slice(5, 10)}`;
  const after = `${day} ${cured ? 'the agent used the fix' : 'a hook showed what helped'}, and it passed`;
  const minutes = Math.floor((seconds ?? 0) / 60);
  const cost = minutes === 0 ? 'failed' : `cost ${minutes} min on ${costDay!.slice(5)}`;
  const place = path === null ? '' : ` · ${shortPath(path, userHome)}:${line ?? 1}`;
  return [`receipt  \`${neutralise(form)}\` ${cost}; ${after}${place}`];
}

async function check(io: Io, args: Arguments): Promise<ExitCode> {
  const fixed = args.flag('fix') ? cureHome(pathsOf(homeOf(io.env))) : [];
  const bar = drawProgress(io);
  await using app = await createApp({ ...io, ...OPTIONAL, progress: bar.report });
  const checks = await runChecks(app);
  bar.clear();
  const failed = checks.filter(({ ok }) => !ok).length;
  if (args.flag('json')) printJson(io, { ok: failed === 0, checks, fixed });
  else
    io.out(
      [
        ...fixed.map((line) => `fixed  ${line}`),
        ...checks.map((each) => renderCheck(each, app.userHome)),
        failed === 0 ? 'all is well' : `${failed} of ${checks.length} checks failed`,
        '',
      ].join('\n'),
    );
  return failed === 0 ? EXIT.done : EXIT.error;
}

/** Cures contain full paths, since a person may type them where `~` has no meaning. */
function renderCheck({ name, ok, text, cure, details }: Check, userHome: string): string {
  const short = (line: string): string => line.replaceAll(`${userHome}/`, '~/');
  return [
    `${ok ? 'ok  ' : 'FAIL'} ${name}: ${short(text)}`,
    ...details.map((line) => `       ${short(line)}`),
    ...(cure === null ? [] : [`     cure: ${cure}`]),
  ].join('\n');
}

function when(time: string | null): string {
  return time === null ? 'never' : localTime(time);
}

/** Null means unknown. */
function many(count: number | null): string {
  return count === null ? '?' : withCommas(count);
}
function some(count: number | null, one: string, several = `${one}s`): string {
  return count === null ? `? ${several}` : counted(count, one, several);
}

function keepsOf({
  oldest_text: oldest,
  store_free_bytes: free,
  home_bytes: bytes,
}: StatusFacts['retention']): string {
  return [
    'text for ever',
    ...(oldest === null ? [] : [`oldest of ${oldest}`]),
    `home ${mib(bytes)}`,
    ...(free === null ? [] : [`${mib(free)} of the store are free pages`]),
  ].join(' · ');
}

function daemonOf(daemon: StatusFacts['daemon']): string {
  return daemon
    ? `runs as process ${daemon.pid} (version ${daemon.version}), last sign of life ${when(daemon.heartbeat)}`
    : 'not running; `dripstone start` keeps reading, `dripstone run` reads once';
}

/** Null if nothing waits. */
function reviewText({ waiting, wishes }: StatusFacts['review']): string | null {
  const parts = present([
    !!waiting && some(waiting, 'lesson'),
    !!wishes && `${some(wishes, 'sentence')} of yours`,
  ]);
  return parts.length === 0 ? null : `${parts.join(' and ')} to look through: \`dripstone review\``;
}

/** The rule that was broken in the most sessions, with a command to guard it. */
function brokenLines({ guards }: StatusFacts['review']): string[] {
  const [worst, ...more] = guards ?? [];
  if (worst === undefined) return [];
  const others = more.length === 0 ? '' : ` (and ${counted(more.length, 'more rule')})`;
  return [
    `rules    ${counted(worst.broken, 'session')} broke: ${neutralise(worst.text)}${others}`,
    `         \`dripstone rules guard ${worst.id.slice(0, 8)} --deny\`, or one key in \`dripstone review\``,
  ];
}

/** Output of `dripstone` alone: the first lines of `status`, and how much needs attention. */
export async function printBriefly(io: Io): Promise<ExitCode> {
  const { facts, app } = await statusOf(io);
  const { degraded, review } = facts;
  const today = `shown:${io.clock.now().toISOString().slice(0, 10)}`;
  const { reviewed } = app.paths;
  const isFirst = facts.store.entries !== null && waitingFor(reviewed, [today]).length > 0;
  const words = isFirst ? await wordsOfTheDay(io, facts) : [];
  io.out(
    [
      ...headLines(facts),
      `review   ${reviewText(review) ?? 'nothing to look through'}`,
      ...brokenLines(review),
      ...words,
      degraded.length === 0
        ? 'next     `dripstone search "words"`, or `dripstone --help` for all commands'
        : `next     \`dripstone status\`: ${counted(degraded.length, 'thing')} to look at`,
      '',
    ].join('\n'),
  );
  if (isFirst && words.length + (review.guards ?? []).length > 0) noteReviewed(reviewed, today);
  if (isFirst && review.guards?.length) await offerWorst(io);
  return EXIT.done;
}

/** Asks whether to guard the rule that was broken in the most sessions; one key answers. */
async function offerWorst(io: Io): Promise<void> {
  const { toReview } = await import('../recall/review.js');
  const { offerGuards } = await import('./review.js');
  const app = await createApp({ ...io, access: 'read' });
  const { guards } = await toReview(app, null).finally(() => app[Symbol.asyncDispose]());
  await offerGuards(io, guards.slice(0, 1));
}

function headLines({ daemon, store, pending }: StatusFacts): string[] {
  const isDone = Object.values(pending).every((count) => count === 0);
  const waiting =
    `${some(pending.files, 'log')}, ${some(pending.sessions, 'session')}, ` +
    `${some(pending.embeddings, 'embedding')}, ${some(pending.tiers, 'tier')}`;
  return [
    `daemon   ${daemonOf(daemon)}`,
    `store    ${mib(store.bytes)}, ${some(store.entries, 'entry', 'entries')}, ${some(store.lessons, 'lesson')}`,
    `pending  ${isDone ? 'nothing' : waiting}`,
  ];
}

function renderStatus(facts: StatusFacts, app: App): string {
  const { userHome, paths } = app;
  const { sources, jobs, store, retention, degraded, notes, receipts, llm } = facts;
  const review = reviewText(facts.review);
  const attention = degraded.flatMap(({ code, since, text, cure }) => [
    `  ${code}${since ? ` since ${when(since)}` : ''}: ${text}`,
    `    cure: ${cure}`,
  ]);
  return present([
    `home     ${shortPath(paths.home, userHome)}`,
    ...headLines(facts),
    review !== null && `review   ${review}`,
    ...brokenLines(facts.review),
    !!notes.left_out &&
      `notes    ${some(notes.left_out, 'note')} left out: \`dripstone lessons list --withheld --project all\``,
    !!receipts.month &&
      `hooks    showed something at ${some(receipts.month, 'moment')} in 30 days: \`dripstone replay\``,
    ...receiptLines(receipts.best, app),
    `keeps    ${keepsOf(retention)}`,
    llm !== null && modelLine(llm),
    'agents',
    ...columns(agentRows(facts, userHome)),
    'sources',
    ...(store.entries === null
      ? ['  unknown: the store cannot be read now']
      : sources.length === 0
        ? ['  none read yet']
        : columns(sources.map(sourceRow))),
    facts.skipped.length > 0 && 'skipped',
    ...facts.skipped.map((each) => skippedLine(each, userHome)),
    jobs.length > 0 && 'jobs',
    ...columns(jobs.map(jobRow)),
    attention.length > 0 && 'needs attention',
    ...attention,
    '',
  ]).join('\n');
}

function modelLine(llm: NonNullable<StatusFacts['llm']>): string {
  const parts = present([
    `${llm.provider} ${llm.model}`,
    `${many(llm.tokens_today)} of ${many(llm.daily_cap)} tokens today, ${many(llm.tokens_month)} of ` +
      `${many(llm.monthly_cap)} this month`,
    `${some(llm.waiting, 'session')} to ask about`,
    llm.withheld !== 0 && `${some(llm.withheld, 'session')} of other vendors' agents not sent`,
    llm.resting_until !== null &&
      `resting until ${when(llm.resting_until)} after: ${llm.error ?? 'a failure'}`,
  ]);
  return `model    ${parts.join(' · ')}`;
}

function agentRows({ agents, sources }: StatusFacts, userHome: string): [string, string][] {
  const read = new Set(sources.filter(({ entries }) => entries > 0).map(({ agent }) => agent));
  const isHere = ({ places }: StatusFacts['agents'][number]): boolean =>
    places.some(({ exists }) => exists);
  const others = agents.filter((each) => !isHere(each)).map(({ agent }) => agent);
  const rows = agents.filter(isHere).map((agent) => agentRow(agent, read, userHome));
  if (others.length > 0)
    rows.push(['not found', `${others.join(', ')}; \`status --json\` has where was looked`]);
  return rows;
}

function agentRow(
  { agent, places, logs, newest, deletes_after_days: days }: StatusFacts['agents'][number],
  read: ReadonlySet<string>,
  userHome: string,
): [string, string] {
  const there = places.filter(({ exists }) => exists);
  const shown = (list: typeof places): string =>
    [...new Set(list.map(({ path }) => shortPath(path, userHome)))].join(', ');
  const shut = there.filter(({ readable }) => !readable);
  const parts = present([
    `${counted(logs, 'log')} in ${shown(there)}`,
    `newest ${when(newest)}`,
    logs > 0 && !read.has(agent) && 'NOTHING READ',
    shut.length > 0 && `NOT READABLE: ${shown(shut)}`,
    days !== null && `deletes its logs after ${counted(days, 'day')}`,
  ]);
  return [agent, parts.join(' · ')];
}

function sourceRow(source: StatusFacts['sources'][number]): [string, string] {
  const unknown = Object.entries(source.unknown_types).map(
    ([type, count]) => `${type} (${withCommas(count)})`,
  );
  const parts = [
    counted(source.files, 'log'),
    counted(source.entries, 'entry', 'entries'),
    ...(source.bad_lines > 0 ? [`${counted(source.bad_lines, 'bad line')} skipped`] : []),
    ...(unknown.length > 0 ? [`unknown record types: ${unknown.join(', ')}`] : []),
    `last read ${when(source.last_read)}`,
  ];
  return [source.agent, parts.join(' · ')];
}

function skippedLine(
  { path, line, offset, reason }: StatusFacts['skipped'][number],
  userHome: string,
): string {
  return `  ${shortPath(path, userHome)}${line === null ? '' : `:${line} (byte ${offset})`}: ${reason}`;
}

function jobRow(job: StatusFacts['jobs'][number]): [string, string] {
  const parts = present([
    `last run ${when(job.last_run)}`,
    !!job.error && `FAILED: ${job.error}; last good ${when(job.last_ok)}`,
    !!job.next_run && `next ${when(job.next_run)}`,
  ]);
  return [job.name, parts.join(' · ')];
}
