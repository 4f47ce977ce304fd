/**
 * `dripstone rules`: the person's prohibitions, how often agents kept or broke them, and their
 * guards.
 */
import { agentsOf, brokenIn, ruleJson } from '../recall/review.js';
import { createApp, type App } from '../app.js';
import { neutralise } from '../context/index.js';
import { EXIT, usage, AppError, type ExitCode } from '../errors.js';
import { GUARDS, guardRule, type Guards, switchOffIn } from '../recall/moments/guard.js';
import { chooseProject } from '../recall/projects.js';
import { storedRules, type StoredRule, metBefore, sessionLines, type Met } from '../store/index.js';
import { counted } from '../text/amounts.js';
import {
  printJson,
  type Command,
  type Arguments,
  ASKING,
  PROJECT,
  flag,
  value,
  print,
} from '../command.js';
import { refuseAgents } from '../caller.js';
import { homeOf, pathsOf } from '../config.js';
import { editConfig, validConfig, withOption } from '../config-file.js';
import type { Lesson } from '../types.js';
import { unhookedAgents } from './linking/link.js';
import type { Io } from '../io.js';
import { oneLesson } from '../recall/lessons.js';
import { forbidding } from '../jobs/learning/typed-edit.js';
import { ruleOf } from '../parse/index.js';
import { makeEdit } from '../work.js';
import { list } from '../text/fields.js';

export const rulesCommand: Command = {
  name: 'rules',
  summary:
    'your rules: how often you said them, and how often agents kept or broke them; guards that warn or refuse',
  usage:
    "[guard WORDS|ID [--never 'COMMAND'] [--deny] [--print] | guard WORDS|ID --off | guard off [--session]] [--project P] [--json]",
  options: {
    project: PROJECT,
    deny: flag('guard: refuse instead of warn (Claude Code: commands and edits; Codex: commands)'),
    print: flag('guard: only show the commands and edits of the last 90 days that break the rule'),
    never: value(
      'COMMAND',
      'guard: the command or path that the sentence forbids; `rules` then counts it, too',
    ),
    off: flag('guard: no longer guard this rule'),
    session: flag('guard off: only in the session of this project that runs now'),
    json: flag(
      'print {"version":1,"rules"}; guard: {"version":1,"id","text","guard","days","met"}',
    ),
  },
  exits: ASKING,
  examples: [
    'dripstone rules',
    'dripstone rules --project all --json',
    'dripstone rules guard "never npm" --deny',
    'dripstone rules guard "draft PRs" --never \'gh pr create --draft\'',
    'dripstone rules guard off',
  ],
  async run(io, args) {
    const [verb, first, ...more] = args.words;
    if (verb === 'guard')
      return args.flag('off') || (first === 'off' && more.length === 0)
        ? dropGuards(io, args, first === 'off' ? more : args.words.slice(1))
        : setGuard(io, args, args.words.slice(1));
    if (verb !== undefined) throw usage(`rules takes no ${verb}`, 'see `dripstone rules --help`');
    await using app = await createApp({ ...io, access: 'read' });
    const project = await chooseProject(app, args.text('project'), io.cwd);
    const now = io.clock.now().toISOString();
    const rules = (await app.store.read((db) => storedRules(db, project?.id ?? null, now))).sort(
      worstFirst,
    );
    const guards = app.config.hooks.guard;
    return print(
      io,
      args,
      { rules: rules.map((rule) => ruleJson(rule, guards)) },
      rules.length === 0 ? NONE : rules.map((rule) => renderRule(rule, guards)).join(''),
    );
  },
};

const NONE =
  'no rule yet: a rule is a sentence of yours that you asked to remember and that begins with never, do not or no,\n' +
  'such as `dripstone lessons add "Use pnpm, never npm"`\n';

function worstFirst(a: StoredRule, b: StoredRule): number {
  return brokenIn(b) - brokenIn(a) || (a.lesson < b.lesson ? -1 : 1);
}

const SHORT_ID = 8;

/** The command with which the person defines what a rule forbids. */
export function neverHint(rule: string): string {
  return `\`dripstone rules guard ${rule.slice(0, SHORT_ID)} --never 'COMMAND'\``;
}

function times(n: number): string {
  return n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`;
}

/** The rule with the numbers of times said and broken, and the place where it was broken last. */
export function renderRule(rule: StoredRule, guards: Guards): string {
  const [broken, last] = [brokenIn(rule), rule.breaks.at(-1)];
  const count = rule.times.length > 0 ? `said ${times(rule.times.length)}` : 'said';
  const kept = rule.kept > 0 ? `, kept in ${counted(rule.kept, 'session')}` : '';
  const isCounted = rule.commands.length + rule.paths.length > 0;
  const line = !isCounted
    ? `not counted: name the command: ${neverHint(rule.lesson)}`
    : last === undefined
      ? `${count}, never broken since${kept === '' ? ' (no session had the occasion)' : kept}`
      : `${count}, broken ${times(broken)} since, by ${agentsOf(rule).join(' and ')}, on ${last.day.slice(5)}${kept}`;
  const place =
    last?.path == null ? [] : [`    ${neutralise(last.what)} · ${last.path}:${last.line ?? 1}`];
  const guard = guards[rule.lesson];
  const guarded =
    guard === undefined ? [] : [`  guarded: ${guard === 'deny' ? 'refuses' : 'warns'}`];
  return `${[neutralise(rule.text), `  ${line}`, ...guarded, ...place].join('\n')}\n`;
}

// `dripstone rules guard`: checks a rule before each command and edit, until the person switches
// the guard off.

const DAYS = 90;

/**
 * `guard WORDS|ID [--never FORM] [--deny] [--print]`: shows earlier matches, then sets the guard.
 */
async function setGuard(io: Io, args: Arguments, words: readonly string[]): Promise<ExitCode> {
  if (words.length === 0)
    throw usage(
      'guard needs a rule',
      'type words of it, or its id: `dripstone rules --json` shows ids',
    );
  refuseAgents(io.caller(), 'a guard');
  const guard = args.flag('deny') ? 'deny' : 'warn';
  await using app = await createApp({ ...io, access: 'read' });
  const rule = await oneLesson(app, words.join(' ').replace(/^\^/, ''));
  const form = args.text('never');
  const edit = form === null ? null : await forbidding(app, io.caller(), rule, form);
  const met = await metLately(app, rule, edit?.plan.text ?? null);
  if (args.flag('json')) printJson(io, { id: rule.id, text: rule.text, guard, days: DAYS, met });
  else io.out(`${neutralise(rule.text)}  ^${rule.id}\n${renderMet(met, guard)}`);
  if (args.flag('print')) return EXIT.done;
  if (edit !== null) await makeEdit(app, io, edit);
  await putGuard(io, rule.id, guard);
  return EXIT.done;
}

/** Guards a rule, and prints what the guard still needs. */
export async function putGuard(io: Io, rule: string, guard: 'warn' | 'deny'): Promise<void> {
  const config = await guardRule(pathsOf(homeOf(io.env)), io.clock, rule, guard);
  io.err(
    `guarded: an agent that is about to break it is ${guard === 'deny' ? 'refused' : 'warned'}; ` +
      `off again: \`rules guard ${rule.slice(0, SHORT_ID)} --off\`\n`,
  );
  // A guard works only through hooks.
  const unhooked = unhookedAgents(io, config);
  if (unhooked.length > 0)
    io.err(`it needs hooks in ${unhooked.join(', ')}: type \`dripstone link --hooks\`\n`);
}

/**
 * `guard WORDS|ID --off [--session]`, `guard off [--session]`: removes one guard or all,
 * permanently or in the running session.
 */
async function dropGuards(io: Io, args: Arguments, words: readonly string[]): Promise<ExitCode> {
  refuseAgents(io.caller(), 'a guard');
  const paths = pathsOf(homeOf(io.env));
  const { guard } = (await validConfig(paths.config)).hooks;
  const named = words.join(' ').replace(/^\^/, '');
  const off = named === '' ? Object.keys(guard) : await guardsMeant(io, named, Object.keys(guard));
  if (args.flag('session') && off.length > 0) return dropInSession(io, args, off);
  if (off.length > 0)
    await editConfig(paths, io.clock, (text) =>
      off.reduce((now, id) => withOption(now, [...GUARDS, id], undefined), text),
    );
  return print(
    io,
    args,
    { off },
    off.length === 0 ? 'no rule is guarded\n' : `not guarded any more: ${off.join(', ')}\n`,
  );
}

/** A session counts as ended when its log has had no new entry for this long. */
const RUNNING_MS = 3_600_000;

/** Only for the person, in another terminal, so it applies to the last active session. */
async function dropInSession(io: Io, args: Arguments, off: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await chooseProject(app, args.text('project'), io.cwd);
  const [newest] = await app.store.read((db) =>
    sessionLines(db, { project: project?.slug ?? null, automated: false, before: null, limit: 1 }),
  );
  if (newest?.ended == null || Date.parse(newest.ended) < app.clock.now().getTime() - RUNNING_MS)
    throw new AppError(
      'NO_SESSION',
      `no session of ${project?.name ?? 'any project'} was active in the last hour`,
      {
        hint: 'type this in a terminal beside the agent, in its folder, while its session runs; the daemon reads its log',
      },
    );
  const { agent, session, title, project: slug } = newest;
  await switchOffIn(app.paths, { agent, session }, off);
  if (args.flag('json')) printJson(io, { off, agent, session, project: slug, title });
  else {
    const name = title === null ? session : `${neutralise(title)} (${session.slice(0, 8)})`;
    io.out(
      `off until its end in ${agent}, ${slug ?? 'no project'}: ${name}\n  ${off.join(', ')}\n`,
    );
  }
  return EXIT.done;
}

/** The named guards, also those of forgotten rules. */
async function guardsMeant(io: Io, named: string, guarded: readonly string[]): Promise<string[]> {
  const found = guarded.filter((id) => id.startsWith(named));
  if (found.length === 1) return found;
  await using app = await createApp({ ...io, access: 'read' });
  const { id, text } = await oneLesson(app, named);
  if (!guarded.includes(id))
    throw usage(
      `this rule is not guarded: ${neutralise(text)}`,
      '`dripstone rules` shows which are',
    );
  return [id];
}

/**
 * What the rule would have matched in the last days.
 * @param form a forbidden command or path in addition to the rule's text
 * @throws AppError exit 2 if the rule forbids no command or path
 */
async function metLately(app: App, rule: Lesson, form: string | null): Promise<Met[]> {
  const { said_by, project, text, fields, id } = rule;
  const known = [fields?.['commands'], fields?.['paths']].flatMap(list) as string[];
  const forbids =
    said_by === 'user' ? ruleOf(text, form === null ? known : [...known, form]) : null;
  if (forbids === null)
    throw usage(
      `this is not a rule: ${neutralise(text)}`,
      'a guard needs words of yours that begin with never, do not or no, or "use X, not Y", or what they forbid: ' +
        neverHint(id),
    );
  if (forbids.commands.length + forbids.paths.length === 0)
    throw usage(`this rule names no command and no path: ${neutralise(text)}`, neverHint(id));
  const now = app.clock.now();
  const since = new Date(now.getTime() - DAYS * 86_400_000).toISOString();
  return app.store.read((db) => metBefore(db, { ...forbids, project }, since, now.toISOString()));
}

const MOST_SHOWN = 5;

function renderMet(met: readonly Met[], guard: 'warn' | 'deny'): string {
  const would = guard === 'deny' ? 'refused' : 'warned';
  if (met.length === 0) return `  in the last ${DAYS} days it would not have ${would}\n`;
  const lines = met
    .slice(-MOST_SHOWN)
    .map(({ time, agent, what }) => `    ${time.slice(0, 10)}  ${agent}  ${neutralise(what)}`);
  return `  in the last ${DAYS} days it would have ${would} ${counted(met.length, 'time')}${
    met.length > MOST_SHOWN ? ', last' : ''
  }:\n${lines.join('\n')}\n`;
}
