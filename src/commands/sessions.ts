/** `dripstone sessions`: list, read, resume, hand to another agent. */
import { createApp, type App } from '../app.js';
import { withoutChat } from '../context/index.js';
import { EXIT, type ExitCode, usage } from '../errors.js';
import { sessionLines } from '../store/index.js';
import type { Project, SessionLine } from '../types.js';
import {
  printJson,
  type Arguments,
  type Command,
  ASKING,
  PROJECT,
  value,
  flag,
  print,
} from '../command.js';
import { counted } from '../text/amounts.js';
import type { Io } from '../io.js';
import { projectHere } from '../recall/projects.js';
import { markdown, readWhole, resumeLine, roleOf, text, type Whole } from '../recall/sessions.js';
import { clipped, verbatim } from '../text/verbatim.js';

const PAGE = 500;
const HANDED_CHARS = 1200;
const HANDED_PROMPTS = 5;
const HANDED_COMMANDS = 12;

export const sessionsCommand: Command = {
  name: 'sessions',
  summary: 'list sessions, read one, resume it, or hand it to another agent',
  usage: '[list] [options] | show ID [--markdown | --handoff AGENT] [--json]',
  options: {
    project: PROJECT,
    agent: value('NAME', 'only sessions of this agent'),
    words: value('TEXT', 'only sessions with this in their title or branch'),
    limit: value('N', 'most sessions to list (default 20)'),
    automated: flag('also subagents and sessions that a program started'),
    markdown: flag('show: the whole conversation as Markdown'),
    handoff: value('AGENT', 'show: a prompt with which another agent can continue'),
    json: flag(
      'print {"version":1,"sessions"}, or of one {"version":1,"session","resume","entries"}',
    ),
  },
  exits: ASKING,
  examples: [
    'dripstone sessions --words release',
    'dripstone sessions show 9f2c41d0 --markdown > session.md',
    'dripstone sessions show 9f2c41d0 --handoff codex | codex',
  ],
  async run(io, args) {
    const [verb = 'list', id] = args.words;
    const isShow =
      verb === 'show' && id !== undefined && id.trim() !== '' && args.words.length === 2;
    if (!(verb === 'list' && id === undefined) && !isShow)
      throw usage('sessions takes `list`, or `show` and one id', 'see `dripstone sessions --help`');
    await using app = await createApp({ ...io, access: 'read' });
    return id === undefined
      ? await list(io, args, app)
      : await show(io, args, app, id.toLowerCase());
  },
};

async function list(io: Io, args: Arguments, app: App): Promise<ExitCode> {
  const project = await projectHere(app, args.text('project'), io.cwd);
  const [agent, words, limit] = [
    args.text('agent'),
    args.text('words')?.toLowerCase() ?? null,
    args.count('limit', 20),
  ];
  const isWanted = (line: SessionLine): boolean =>
    (agent === null || line.agent === agent) &&
    (args.flag('automated') || !(line.machine || line.subagent)) &&
    (words === null || `${line.title ?? ''}\n${line.branch ?? ''}`.toLowerCase().includes(words));
  let hidden = 0;
  const wanted = await app.store.read(async (db) => {
    const kept: SessionLine[] = [];
    let before: SessionLine | null = null;
    for (;;) {
      const page: SessionLine[] = await sessionLines(db, {
        project: project?.slug ?? null,
        automated: true,
        before,
        limit: PAGE,
      });
      kept.push(...page.filter(isWanted));
      hidden += page.filter((line) => !isWanted(line) && (line.machine || line.subagent)).length;
      if (kept.length > limit || page.length < PAGE) return kept;
      before = page.at(-1)!;
    }
  });
  const found = wanted.slice(0, limit);
  return print(
    io,
    args,
    { sessions: found.map((line) => ({ ...line, resume: resumeLine(line.agent, line.session) })) },
    `${[...found.map(lineText), ...notesOf(found.length, wanted.length > limit, hidden, project)].join('\n')}\n`,
  );
}

/** Notes about sessions that the list omits. */
function notesOf(
  shown: number,
  hasMore: boolean,
  hidden: number,
  project: Pick<Project, 'slug'> | null,
): string[] {
  if (shown > 0)
    return hasMore ? [`older ones are not listed: --limit ${2 * shown}, or --words TEXT`] : [];
  return [
    hidden === 0
      ? `no session was found${project === null ? '' : ` in ${project.slug}; \`--project all\` lists those of every project`}`
      : `no session that a person led; --automated lists ${counted(hidden, 'other', 'others')}`,
  ];
}

function lineText({
  ended,
  agent,
  session,
  project,
  entries,
  title,
  outcome,
}: SessionLine): string {
  const parts = [
    ended?.slice(0, 10) ?? 'no day',
    agent,
    session.slice(0, 8),
    project,
    `${entries} entries`,
    outcome,
    title,
  ];
  return parts.filter((part) => part !== null && part !== '').join(' · ');
}

async function show(io: Io, args: Arguments, app: App, prefix: string): Promise<ExitCode> {
  const whole = await readWhole(app, prefix);
  const to = args.text('handoff');
  if (to !== null) io.out(withoutChat(handoff(whole, to)));
  else if (args.flag('json')) {
    const { head, resume, entries } = whole;
    printJson(io, { session: head, resume, entries });
  } else if (args.flag('markdown')) io.out(markdown(whole));
  else io.out(plain(whole));
  return EXIT.done;
}

function plain({ head, resume, entries }: Whole): string {
  const names = 'agent session project title cwd branch started ended outcome'.split(' ');
  const rows = names.flatMap((name) =>
    text(head[name]) === '' ? [] : [`${name.padEnd(8)} ${text(head[name])}`],
  );
  const turns = entries.map(
    (entry) => `${roleOf(entry)} · ${entry.time ?? 'no time'}\n${entry.text ?? ''}`,
  );
  return `${[...rows, ...(resume === null ? [] : [`resume   ${resume}`])].join('\n')}\n\n${turns.join('\n\n')}\n`;
}

/**
 * A text for another agent to continue: the person's words, commands, changes, and the last state;
 * no output of tools.
 */
function handoff({ head, agent, session, entries }: Whole, to: string): string {
  const typed = entries
    .filter(({ role, origin }) => role === 'user' && origin === 'user')
    .map((entry) => entry.text ?? '');
  const [first, ...later] = typed.filter((each) => each.trim() !== '');
  const kept = [...(first === undefined ? [] : [first]), ...later.slice(-HANDED_PROMPTS)].map(
    (prompt) => clipped(prompt, HANDED_CHARS),
  );
  const commands = entries.flatMap(({ role, command }) =>
    role === 'tool_call' && command !== null ? [command] : [],
  );
  const last = entries.findLast(
    ({ role, text: answer }) => role === 'assistant' && (answer ?? '').trim() !== '',
  )?.text;
  const files = Array.isArray(head['files']) ? (head['files'] as string[]) : [];
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', title, ...lines];
  return [
    `For ${to}: continue the work of an earlier session (${agent} ${verbatim(session)}, ` +
      `${text(head['ended']).slice(0, 10)}, in ${verbatim(text(head['cwd']))}). The quotes below are a record of it; check ` +
      'the state of the files before you rely on it.',
    ...part('What the person asked for, in their words:', kept.map(quoted)),
    ...part(
      'Files that were changed:',
      files.map((file) => `- ${verbatim(file)}`),
    ),
    ...part(
      'Commands that ran last:',
      commands.slice(-HANDED_COMMANDS).map((command) => quoted(clipped(command, HANDED_CHARS))),
    ),
    ...part(
      'What the agent said last:',
      last === undefined || last === null ? [] : [quoted(clipped(last, HANDED_CHARS))],
    ),
    '',
  ].join('\n');
}

function quoted(passage: string): string {
  return passage
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
