/**
 * `dripstone rules`: what the person forbade, whether it was kept since, and which rules are
 * guarded.
 */
import { agentsOf, brokenIn, ruleJson } from '../recall/review.js';
import { createApp } from '../app.js';
import { neutralise } from '../context/index.js';
import { EXIT, usage } from '../errors.js';
import type { Guards } from '../recall/moments/guard.js';
import { chooseProject } from '../recall/projects.js';
import { storedRules, type StoredRule } from '../store/index.js';
import { counted } from '../text/amounts.js';
import { printJson, type Command } from './command.js';
import { ASKING, PROJECT } from './typed.js';
import { dropGuards, setGuard } from './guard.js';

export const rulesCommand: Command = {
  name: 'rules',
  summary:
    'your rules: how often you said them, and how often agents kept or broke them; guards that warn or refuse',
  usage:
    '[guard WORDS|ID [--deny] [--print] | guard off [WORDS|ID] [--session]] [--project P] [--json]',
  options: {
    project: PROJECT,
    deny: {
      type: 'boolean',
      help: 'guard: refuse instead of warn (Claude Code: commands and edits; Codex: commands)',
    },
    print: {
      type: 'boolean',
      help: 'guard: only show the commands and edits of the last 90 days that break the rule',
    },
    session: {
      type: 'boolean',
      help: 'guard off: only in the session of this project that runs now',
    },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"rules"}; guard: {"version":1,"id","text","guard","days","met"}',
    },
  },
  exits: ASKING,
  examples: [
    'dripstone rules',
    'dripstone rules --project all --json',
    'dripstone rules guard "never npm" --deny',
    'dripstone rules guard off',
  ],
  async run(io, args) {
    const [verb, first, ...more] = args.words;
    if (verb === 'guard')
      return first === 'off' ? dropGuards(io, args, more) : setGuard(io, args, args.words.slice(1));
    if (verb !== undefined) throw usage(`rules takes no ${verb}`, 'see `dripstone rules --help`');
    await using app = await createApp({ ...io, access: 'read' });
    const project = await chooseProject(app, args.text('project'), io.cwd);
    const now = io.clock.now().toISOString();
    const rules = (await app.store.read((db) => storedRules(db, project?.id ?? null, now))).sort(
      worstFirst,
    );
    const guards = app.config.hooks.guard;
    if (args.flag('json')) printJson(io, { rules: rules.map((rule) => ruleJson(rule, guards)) });
    else io.out(rules.length === 0 ? NONE : rules.map((rule) => renderRule(rule, guards)).join(''));
    return EXIT.done;
  },
};

const NONE =
  'no rule yet: a rule is a sentence of yours that you asked to remember and that forbids a command or a path,\n' +
  'such as `dripstone lessons add "Use pnpm, never npm"`\n';

function worstFirst(a: StoredRule, b: StoredRule): number {
  return brokenIn(b) - brokenIn(a) || (a.lesson < b.lesson ? -1 : 1);
}

function times(n: number): string {
  return n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`;
}

/**
 * The rule, how often it was said and broken since, by whom and when, then the
 * place where it was broken last.
 */
export function renderRule(rule: StoredRule, guards: Guards): string {
  const [broken, last] = [brokenIn(rule), rule.breaks.at(-1)];
  const said = rule.times.length > 0 ? `told ${times(rule.times.length)}` : 'told';
  const kept = rule.kept > 0 ? `, kept in ${counted(rule.kept, 'session')}` : '';
  const isCounted = rule.commands.length + rule.paths.length > 0;
  const count = !isCounted
    ? 'not counted: name its command or path in backticks'
    : last === undefined
      ? `${said}, never broken since${kept === '' ? ' (no session had the occasion)' : kept}`
      : `${said}, broken ${times(broken)} since, by ${agentsOf(rule).join(' and ')}, on ${last.day.slice(5)}${kept}`;
  const place =
    last?.path == null ? [] : [`    ${neutralise(last.what)} · ${last.path}:${last.line ?? 1}`];
  const guard = guards[rule.lesson];
  const guarded =
    guard === undefined ? [] : [`  guarded: ${guard === 'deny' ? 'refuses' : 'warns'}`];
  return `${[neutralise(rule.text), `  ${count}`, ...guarded, ...place].join('\n')}\n`;
}
