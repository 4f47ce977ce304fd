/**
 * `dripstone purge`: removes a text, session, project or time from all stored data, and proves the
 * removal.
 */
import { createApp, type App } from '../app.js';
import { refuseAgents } from '../caller.js';
import { AppError, EXIT, usage } from '../errors.js';
import {
  planPurge,
  type PurgePlan,
  type PurgeReport,
  type PurgeRequest,
} from '../jobs/upkeep/purge.js';
import { counted, mib } from '../text/amounts.js';
import { present } from '../text/order.js';
import { chooseProject } from '../recall/projects.js';
import { isPurgeOpen, sessionByPrefix } from '../store/index.js';
import { carryOut } from '../work.js';
import {
  printJson,
  type Arguments,
  type Command,
  WORKING,
  readInput,
  value,
  flag,
  print,
} from '../command.js';
import type { Io } from '../io.js';
import { isDay } from '../text/days.js';

/** A shorter text occurs by chance and would purge unrelated entries. */
const LEAST_CHARS = 4;

export const purgeCommand: Command = {
  name: 'purge',
  summary: 'delete something permanently from everything that is stored, and prove it',
  usage:
    '(--match TEXT | --session ID | --project P | --before DATE) [--dry-run] [--yes] [--notes] [--json]',
  options: {
    match: value(
      'TEXT',
      'every entry, lesson and line that contains this text (case-sensitive); - reads it from standard input',
    ),
    session: value('ID', 'one session, by its id or a unique beginning'),
    project: value('P', 'a whole project: folder, slug or name'),
    before: value('DATE', 'every entry older than this day, e.g. 2026-01-31'),
    'dry-run': flag('only count'),
    yes: flag('do not ask'),
    notes: flag('also remove matching lines of notes.md; default: only name them'),
    json: flag('print JSON'),
  },
  exits: {
    [EXIT.partial]: 'done, but the text was still found somewhere; the output says where',
    [EXIT.noStore]: 'no memory yet',
    ...WORKING,
  },
  examples: [
    'dripstone purge --match - --dry-run < secret.txt',
    'dripstone purge --project shop --yes',
    'The proof cannot search encrypted files or files compressed by anything but gzip, and cannot find a text that is split over two fields.',
  ],
  async run(io, args) {
    const named = ['match', 'session', 'project', 'before'].filter(
      (name) => args.text(name) !== null,
    );
    if (named.length !== 1)
      throw usage(
        'purge takes exactly one of --match, --session, --project and --before',
        'see `dripstone purge --help`',
      );
    if (!args.flag('dry-run')) refuseAgents(io.caller(), 'a purge');
    const { request, plan } = await planRequest(io, args);
    if (args.flag('dry-run')) {
      return print(io, args, { dry_run: true, ...plan }, renderPlan(plan));
    }
    if (!args.flag('yes')) await confirm(io, plan);
    const { report } = await carryOut(io, { kind: 'purge', purge: request });
    if (args.flag('json')) printJson(io, { dry_run: false, ...report });
    else io.out(renderReport(report));
    return report.proof.clean && report.own.length === 0 ? EXIT.done : EXIT.partial;
  },
};

async function planRequest(
  io: Io,
  args: Arguments,
): Promise<{ request: PurgeRequest; plan: PurgePlan }> {
  const match = await matchOf(io, args.text('match'));
  const before = dateOf(args.text('before'));
  await using app = await createApp({ ...io, access: 'read' });
  // The target of an interrupted purge is not stored, so it cannot be searched for.
  if (await app.store.read(isPurgeOpen))
    throw new AppError('PURGE_OPEN', 'a purge was cut short after its rows had gone', {
      hint: '`dripstone run` finishes it; then ask for this one again',
    });
  const request: PurgeRequest = {
    match,
    before,
    session: await sessionOf(app, args.text('session')),
    project: await projectOf(app, args.text('project'), io.cwd),
    notes: args.flag('notes'),
  };
  return { request, plan: await planPurge(app, request) };
}

async function matchOf(io: Io, text: string | null): Promise<string | null> {
  if (text === null) return null;
  const match = text === '-' ? (await readInput(io)).trim() : text;
  if (match.length < LEAST_CHARS)
    throw usage(
      `--match takes at least ${LEAST_CHARS} characters`,
      'a shorter text occurs everywhere by chance',
    );
  return match;
}

function dateOf(text: string | null): string | null {
  if (text === null) return null;
  if (!isDay(text))
    throw usage(`--before takes a day such as 2026-01-31, not ${text}`, 'entries of that day stay');
  return `${text}T00:00:00.000Z`;
}

async function sessionOf(app: App, prefix: string | null): Promise<PurgeRequest['session']> {
  if (prefix === null) return null;
  const found = await app.store.read((db) => sessionByPrefix(db, prefix.toLowerCase(), 20));
  if (found.length === 1) return found[0]!;
  throw found.length === 0
    ? usage(
        `no session begins with ${prefix}`,
        'see `dripstone search`, or the view sessions with `dripstone sql`',
      )
    : usage(
        `${prefix} may mean ${found.map(({ session }) => session).join(', ')}`,
        'type more of it',
      );
}

async function projectOf(app: App, spec: string | null, cwd: string): Promise<string | null> {
  if (spec === null) return null;
  const project = await chooseProject(app, spec, cwd);
  if (project === null)
    throw usage('purge takes one project, not all', 'remove the home folder to forget everything');
  return project.id;
}

async function confirm(io: Io, plan: PurgePlan): Promise<void> {
  io.err(renderPlan(plan));
  if (!io.terminal)
    throw usage('nothing was purged: this is not a terminal, so nobody can confirm', 'add --yes');
  io.err('This cannot be undone. Type yes to continue: ');
  for await (const line of io.lines()) {
    if (line.trim() === 'yes') return;
    break;
  }
  throw usage('nothing was purged', 'type yes, or add --yes');
}

function ownOf({ own }: PurgePlan): string[] {
  return own.map(({ path, line }) => `  ${path}${line > 0 ? `:${line}` : ' (its name)'}`);
}

function renderPlan(plan: PurgePlan): string {
  return present([
    `would go: ${counted(plan.entries, 'entry', 'entries')} of ${counted(plan.sessions, 'session')}, with all that was ` +
      'learnt from them',
    plan.projects.length > 0 && `whole projects: ${plan.projects.join(', ')}`,
    plan.own.length > 0 &&
      'your own files contain it too; remove it by hand, or add --notes for notes.md:',
    ...ownOf(plan),
    '',
  ]).join('\n');
}

function renderReport(report: PurgeReport): string {
  const { removed, proof, store } = report;
  return present([
    `purged: ${counted(report.entries, 'entry', 'entries')}, ${counted(removed.sessions ?? 0, 'session')}, ` +
      `${counted(removed.lessons ?? 0, 'lesson')}, ${counted(removed.vectors ?? 0, 'vector')}, ` +
      `${counted(removed.lines, 'line')} of our own files`,
    report.projects.length > 0 && `whole projects: ${report.projects.join(', ')}`,
    report.files.length > 0 && `files removed: ${report.files.join(', ')}`,
    `the database was rewritten: ${mib(store.before)} -> ${mib(store.after)}`,
    proof.clean
      ? `proof: 0 found in ${counted(proof.files, 'file')} (${mib(proof.bytes)}, packed ones unpacked) and in every text ` +
        'column of the ' +
        `database${proof.looked_for === 1 ? '' : `, looking for ${counted(proof.looked_for, 'passage')} of what went`}; ` +
        'no row names it'
      : 'NOT CLEAN: it is still in ' +
        `${[...proof.hits, ...proof.rows, ...proof.unreadable.map((name) => `${name} (could not be read)`)].join(', ')}`,
    report.own.length > 0 && 'your own files still contain it, and were not changed:',
    ...ownOf(report),
    "the agents' own logs were not touched: dripstone does not read what you purged again, but it is still in them",
    '',
  ]).join('\n');
}
