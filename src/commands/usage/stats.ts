/** `dripstone stats`: a year of sessions in a few lines, or as a picture to show around. */
import { resolve } from 'node:path';
import { createApp } from '../../app.js';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { chooseProject } from '../../recall/projects.js';
import { publishFile, yearOf, type Year } from '../../store/index.js';
import { printJson, sinceIn, type Command } from '../command.js';
import { ASKING, PROJECT, refuseWords } from '../typed.js';
import { renderCard, sumsOf } from './card.js';

export const statsCommand: Command = {
  name: 'stats',
  summary: 'a year of your sessions in numbers, or as a picture',
  usage: '[--since 365d] [--project P] [--card FILE] [--json]',
  options: {
    since: {
      type: 'string',
      value: 'DAY',
      help: 'from this day (UTC) on: 2026-11-20, 90d, 2w, or all; default 365d',
    },
    project: { ...PROJECT, help: 'folder, slug, name or `all`; default: all' },
    card: {
      type: 'string',
      value: 'FILE',
      help: 'write an SVG picture, which names no project and no text',
    },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"project","from","to","sessions","prompts","commands","projects",…}',
    },
  },
  exits: ASKING,
  examples: ['dripstone stats', 'dripstone stats --card year.svg'],
  async run(io, args) {
    refuseWords('stats', args);
    const now = io.clock.now();
    const from = sinceIn(args.text('since') ?? '365d', now) ?? '1970-01-01';
    await using app = await createApp({ ...io, access: 'read' });
    const project = await chooseProject(app, args.text('project') ?? 'all', io.cwd);
    const year = await app.store.read((db) =>
      yearOf(db, { from, to: now.toISOString().slice(0, 10), project: project?.id ?? null }),
    );
    const card = args.text('card');
    if (card !== null) await writeCard(resolve(io.cwd, card), year);
    if (args.flag('json')) printJson(io, { project: project?.slug ?? null, ...year });
    else io.out(card === null ? textOf(year) : `wrote ${card}\n`);
    return EXIT.done;
  },
};

async function writeCard(path: string, year: Year): Promise<void> {
  await publishFile(path, renderCard(year)).catch((cause: unknown) => {
    throw new AppError('NOT_WRITTEN', `${path} cannot be written: ${messageOf(cause)}`, {
      hint: 'name a file in a folder that exists and that you may write to',
      exitCode: EXIT.error,
      cause,
    });
  });
}

function textOf(year: Year): string {
  if (year.sessions === 0) return `no session began since ${year.from}\n`;
  const busiest = year.days.reduce((best, each) => (each.sessions > best.sessions ? each : best));
  return [
    `${year.sessions} sessions from ${year.from} to ${year.to}`,
    sumsOf(year),
    `agents: ${year.agents.map(({ agent, sessions }) => `${agent} ${sessions}`).join(', ')}`,
    `busiest day: ${busiest.day} (${busiest.sessions})`,
    '',
  ].join('\n');
}
