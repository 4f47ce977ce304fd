/** `dripstone status`: is it alive, what was read, what is pending, what failed. */
import { createApp } from '../app.js';
import { EXIT } from '../errors.js';
import { counted, mib, withCommas } from '../text/amounts.js';
import { gatherStatus } from '../jobs/upkeep/status.js';
import { shortPath } from '../links/line.js';
import type { StatusFacts } from '../types.js';
import { columns, printJson, type Command } from './command.js';
import { isOfSystem, localTime } from './terminal/screen.js';

export const statusCommand: Command = {
  name: 'status',
  summary: 'what was read, what is pending, what failed',
  usage: '[--json]',
  options: {
    json: {
      type: 'boolean',
      help:
        'print {"version":1,"daemon","agents","sources","skipped","pending","jobs","store","review","receipts","retention",' +
        '"llm","degraded"}',
    },
  },
  exits: {},
  examples: ['dripstone status', 'dripstone status --json | jq .degraded'],
  async run(io, args) {
    await using app = await createApp({
      ...io,
      access: 'read',
      storeOptional: true,
      configOptional: true,
    });
    const facts = await gatherStatus(app);
    if (args.flag('json')) printJson(io, { ...facts });
    else io.out(renderStatus(facts, app.paths.home, app.userHome));
    return EXIT.done;
  },
};

function when(time: string | null): string {
  return time === null ? 'never' : localTime(time);
}

/** A count that stands in a store which cannot be read is not known. */
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

function reviewLine({ waiting, wishes }: StatusFacts['review']): string[] {
  const parts = [
    ...(waiting ? [some(waiting, 'lesson')] : []),
    ...(wishes ? [`${some(wishes, 'sentence')} of yours`] : []),
  ];
  return parts.length === 0
    ? []
    : [`review   ${parts.join(' and ')} to look through: \`dripstone review\``];
}

function renderStatus(facts: StatusFacts, home: string, userHome: string): string {
  const { daemon, agents, sources, pending, jobs, store, retention, degraded } = facts;
  const waiting = Object.values(pending);
  return [
    `home     ${shortPath(home, userHome)}`,
    `daemon   ${daemonOf(daemon)}`,
    `store    ${mib(store.bytes)}, ${some(store.entries, 'entry', 'entries')}, ${some(store.lessons, 'lesson')}`,
    'pending  ' +
      `${
        waiting.every((count) => count === 0)
          ? 'nothing'
          : `${some(pending.files, 'log')}, ` +
            `${some(pending.sessions, 'session')}, ${some(pending.embeddings, 'embedding')}, ${some(pending.tiers, 'tier')}`
      }`,
    ...reviewLine(facts.review),
    ...(facts.receipts.month
      ? [
          `hooks    told something at ${some(facts.receipts.month, 'moment')} in 30 days: \`dripstone receipts\``,
        ]
      : []),
    `keeps    ${keepsOf(retention)}`,
    ...(facts.llm === null ? [] : [modelLine(facts.llm)]),
    'agents',
    ...columns(agentRows(agents, userHome)),
    'sources',
    ...(store.entries === null
      ? ['  unknown: the store cannot be read now']
      : sources.length === 0
        ? ['  none read yet']
        : columns(sources.map(sourceRow))),
    ...(facts.skipped.length === 0
      ? []
      : ['skipped', ...facts.skipped.map((each) => skippedLine(each, userHome))]),
    ...(jobs.length === 0 ? [] : ['jobs', ...columns(jobs.map(jobRow))]),
    ...(degraded.length === 0
      ? []
      : [
          'needs attention',
          ...degraded.map(
            ({ code, since, text }) => `  ${code}${since ? ` since ${when(since)}` : ''}: ${text}`,
          ),
        ]),
    '',
  ].join('\n');
}

function modelLine(llm: NonNullable<StatusFacts['llm']>): string {
  const parts = [
    `${llm.provider} ${llm.model}`,
    `${many(llm.tokens_today)} of ${many(llm.daily_cap)} tokens today, ${many(llm.tokens_month)} of ` +
      `${many(llm.monthly_cap)} this month`,
    `${some(llm.waiting, 'session')} to ask about`,
    ...(llm.withheld === 0
      ? []
      : [`${some(llm.withheld, 'session')} of other vendors' agents not sent`]),
    ...(llm.resting_until === null
      ? []
      : [`resting until ${when(llm.resting_until)} after: ${llm.error ?? 'a failure'}`]),
  ];
  return `model    ${parts.join(' · ')}`;
}

/**
 * Agents that are here; the others in one line, unless no agent is here: then the searched folders
 * matter.
 */
function agentRows(agents: StatusFacts['agents'], userHome: string): [string, string][] {
  const isHere = ({ places }: StatusFacts['agents'][number]): boolean =>
    places.some(({ exists }) => exists);
  const others = agents.filter((each) => !isHere(each)).map(({ agent }) => agent);
  if (agents.filter(isHere).every(({ agent }) => agent === 'inbox'))
    return agents.map((agent) => agentRow(agent, userHome));
  return [
    ...agents.filter(isHere).map((agent) => agentRow(agent, userHome)),
    ...(others.length === 0
      ? []
      : [
          ['not found', `${others.join(', ')}; \`status --json\` has where was looked`] satisfies [
            string,
            string,
          ],
        ]),
  ];
}

function agentRow(
  { agent, places, logs, newest, deletes_after_days: days }: StatusFacts['agents'][number],
  userHome: string,
): [string, string] {
  const there = places.filter(({ exists }) => exists);
  const shown = (list: typeof places): string =>
    [...new Set(list.map(({ path }) => shortPath(path, userHome)))].join(', ');
  const here = places.filter(({ path }) => isOfSystem(path, process.platform));
  if (there.length === 0)
    return [agent, `not found; looked in ${shown(here.length > 0 ? here : places)}`];
  const shut = there.filter(({ readable }) => !readable);
  const parts = [
    `${counted(logs, 'log')} in ${shown(there)}`,
    `newest ${when(newest)}`,
    ...(shut.length > 0 ? [`NOT READABLE: ${shown(shut)}`] : []),
    ...(days === null ? [] : [`deletes its logs after ${counted(days, 'day')}`]),
  ];
  return [agent, parts.join(' · ')];
}

function sourceRow(source: StatusFacts['sources'][number]): [string, string] {
  const unknown = Object.keys(source.unknown_types).length;
  const parts = [
    counted(source.files, 'log'),
    counted(source.entries, 'entry', 'entries'),
    ...(source.bad_lines > 0 ? [`${counted(source.bad_lines, 'bad line')} skipped`] : []),
    ...(unknown > 0 ? [counted(unknown, 'unknown record type')] : []),
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
  return [
    job.name,
    [
      `last run ${when(job.last_run)}`,
      ...(job.error ? [`FAILED: ${job.error}; last good ${when(job.last_ok)}`] : []),
      ...(job.next_run ? [`next ${when(job.next_run)}`] : []),
    ].join(' · '),
  ];
}
