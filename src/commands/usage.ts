/**
 * `dripstone usage`: tokens of models by time, project, agent, model or session, with their cost at
 * list prices.
 */
import { createApp, type App } from '../app.js';
import { EXIT } from '../errors.js';
import { chooseProject } from '../recall/projects.js';
import { sumUsage, type UsageKey } from '../store/index.js';
import { printJson, type Command, ASKING, PROJECT, refuseWords, value, flag } from '../command.js';
import { aligned, wrapped } from './screen.js';
import {
  IN_TIME,
  moneyOf,
  readUsage,
  spanOf,
  USAGE_KEYS,
  usageOf,
  type Prices,
  type UsageLine,
} from '../recall/usage.js';
import { withCommas } from '../text/amounts.js';
import { present } from '../text/order.js';

/** Lines of a table for a person; `--json` prints all. */
const SHOWN = 40;

export const usageCommand: Command = {
  name: 'usage',
  summary: 'tokens and cost of models by day, week, month, project, agent, model or session',
  usage: '[--since 7d] [--by KEY] [--project P] [--json]',
  options: {
    since: value('DAY', 'from this day (UTC) on: 2026-11-20, today, 7d, 2w, or all; default 7d'),
    by: value('KEY', `${USAGE_KEYS.join(', ')}; default: days, then projects`),
    project: PROJECT,
    json: flag('print {"version":1,"since","project","prices","by","rows","projects","total"}'),
  },
  exits: ASKING,
  examples: ['dripstone usage', 'dripstone usage --since all --by model --project all'],
  async run(io, args) {
    refuseWords('usage', args);
    const [by, since] = readUsage(args.text('by'), args.text('since'), io.clock.now());
    await using app = await createApp({ ...io, access: 'read' });
    const project = (await chooseProject(app, args.text('project'), io.cwd))?.slug ?? null;
    const found = await usageOf(app, by, { since, project });
    const { rows, projects, total, prices } = found;
    if (args.flag('json')) printJson(io, found);
    else {
      const width = io.screen?.columns ?? Number.POSITIVE_INFINITY;
      const tables = [
        tableOf(by ?? 'day', rows, total, width),
        ...(projects === null ? [] : [tableOf('project', projects, null, width)]),
      ];
      io.out(
        total.messages === 0
          ? wrapped(nothing(since, await lastDay(app, project)), width)
          : `${tables.join('\n')}\n${wrapped(noteOf(prices, total), width)}`,
      );
    }
    return EXIT.done;
  },
};

/** The newest day with tokens; null if none. */
async function lastDay(app: App, project: string | null): Promise<string | null> {
  const days = await app.store.read((db) => sumUsage(db, 'day', { since: null, project }));
  return days.reduce<string | null>(
    (last, { key }) => (key !== null && (last === null || key > last) ? key : last),
    null,
  );
}

function nothing(since: string | null, last: string | null): string {
  const none = `no token usage is recorded${since === null ? '' : ` since ${since}`}`;
  return last === null
    ? `${none}, nor before\n`
    : `${none}; the last day with any is ${last}: --since ${last}\n`;
}

function noteOf({ date }: Pick<Prices, 'date'>, { unknown_models: unknown }: UsageLine): string {
  return present([
    `Costs are tokens at the list prices of ${date} (config/prices.json) where the log has none, whatever was really paid.`,
    unknown.length > 0 &&
      `Price unknown: ${unknown.join(', ')} (set usage.prices in config.yaml); > is what the others cost.`,
    '',
  ]).join('\n');
}

/**
 * A table with numbers to the right and the sum below. Prints a table that is wider than the
 * terminal line by line.
 */
function tableOf(
  by: UsageKey,
  lines: readonly UsageLine[],
  total: UsageLine | null,
  width: number,
): string {
  const shown = IN_TIME.includes(by) ? lines.slice(-SHOWN) : lines.slice(0, SHOWN);
  const more = by === 'session' ? ['project', 'active'] : [];
  const cellsOf = (line: UsageLine, name: string): string[] => [
    name,
    ...(by === 'session' ? [line.project ?? '', spanOf(line.active_seconds)] : []),
    ...[line.messages, line.input, line.cache_read, line.cache_write, line.output].map((n) =>
      withCommas(n),
    ),
    moneyOf(line),
  ];
  const cells = [
    [by, ...more, 'answers', 'input', 'cache read', 'cache write', 'output', 'cost'],
    ...shown.map((line) => cellsOf(line, line.key ?? 'unknown')),
    ...(total === null ? [] : [cellsOf(total, 'total')]),
  ];
  const left = more.length > 0 ? 2 : 1;
  const [head, ...body] = cells as [string[], ...string[][]];
  const text =
    aligned(cells, (column) => column >= left, width) ??
    body.flatMap(([name, ...row]) => {
      const named = row.map((cell, at) => `${head[at + 1]} ${cell}`);
      return [name!, wrapped(`  ${named.join(' · ')}`, width)];
    });
  const hidden = lines.length - shown.length;
  return `${[...text, ...(hidden > 0 ? [`(${hidden} more; --json has all)`] : [])].join('\n')}\n`;
}
