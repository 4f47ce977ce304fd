/**
 * `dripstone search`: hits of entries, lessons, episodes and notes, with their place in the log.
 */
import { existsSync } from 'node:fs';
import { EXIT, type ExitCode } from '../errors.js';
import { recallFrom } from '../recall/recall.js';
import { aroundOf, renderAnswer, renderHits, type Around, type View } from '../recall/hits.js';
import { WEAK_SHOWN } from '../recall/nearness.js';
import { needsModel, search, type SearchAnswer } from '../recall/search.js';
import { noteUses } from '../recall/uses.js';
import { createApp, type App } from '../app.js';
import { homeOf, pathsOf, userHomeOf } from '../config.js';
import { agentsRead, entryNeighbours } from '../store/index.js';
import { counted } from '../text/amounts.js';
import {
  HIT_TYPES,
  LESSON_KINDS,
  ROLES,
  SEARCH_MODES,
  type Hit,
  type Mode,
  type Project,
  type SearchOptions,
} from '../types.js';
import { isUnknown, projectHere } from './config/project-here.js';
import { needEditor, openAt } from './open/editor.js';
import { showsColour, wrapped } from './terminal/screen.js';
import { dayFrom, printJson, usage, type Arguments, type Command, type Io } from './command.js';
import { ASKING } from './typed.js';

export const searchCommand: Command = {
  name: 'search',
  summary: 'find entries, lessons, episodes and notes by words and by meaning',
  usage: '["QUERY" | -] [options]',
  options: {
    project: {
      type: 'string',
      value: 'P',
      help: 'folder, slug, name or `all`; default: the project of this folder',
    },
    limit: {
      type: 'string',
      value: 'N',
      help: 'print at most N hits (default 10; while you type 40)',
    },
    mode: {
      type: 'string',
      value: 'MODE',
      help: `${SEARCH_MODES.join(', ')}; default hybrid, which falls back to keyword`,
    },
    agent: { type: 'string', value: 'NAME', help: 'only this agent' },
    kind: {
      type: 'string',
      value: 'KIND',
      help: `only this type (${HIT_TYPES.join(', ')}) or kind of lesson`,
    },
    role: { type: 'string', value: 'ROLE', help: `only entries of this role: ${ROLES.join(', ')}` },
    tool: { type: 'string', value: 'NAME', help: 'only calls and results of this tool' },
    file: {
      type: 'string',
      value: 'PART',
      help: 'only calls and results about a file with this in its path',
    },
    since: {
      type: 'string',
      value: 'DAY',
      help: 'not before this day: 2026-11-20, today, yesterday, 7d, 2w',
    },
    until: { type: 'string', value: 'DAY', help: 'not after this day' },
    archive: { type: 'boolean', help: 'has no effect: every text is in the database' },
    context: {
      type: 'string',
      value: 'N',
      help: 'also print N entries before and after each hit in its session',
    },
    unnoted: { type: 'boolean', help: 'do not count the shown lessons as used' },
    open: {
      type: 'boolean',
      help: 'open the log of the first hit at its line in $VISUAL or $EDITOR',
    },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"mode","ordered","archive_only","near","weak","hits":[…]}',
    },
  },
  exits: {
    ...ASKING,
    [EXIT.interrupted]: 'interrupted, or you ended the search without choosing a hit',
  },
  examples: [
    'dripstone search    # at a terminal: finds while you type',
    'dripstone search "flaky migration test"',
    'dripstone search "retry budget" --json --limit 5',
    'dripstone search - < queries.txt   # one query a line, one JSON object a line',
  ],
  async run(io, args) {
    const query = args.words.join(' ').trim();
    if (query === '' && canType(io, args)) return searchAsTyped(io, args);
    if (query === '')
      throw usage(
        'search needs a query',
        'type `dripstone search "some words"`, or `dripstone search -` to read queries from stdin',
      );
    const wanted = readWanted(io, args, 10);
    const turns = args.count('context', 0, 0);
    const editor = args.flag('open') ? needEditor(io) : null;
    await using app = await createApp({ ...io, access: 'read' });
    const { base, project } = await prepareSearch(app, wanted, {
      spec: args.text('project'),
      cwd: io.cwd,
    });
    if (query === '-') return await searchLines(io, app, base);
    const { answer, around } = await findHits(app, { ...base, query }, turns);
    const fewer = answer.weak && args.text('limit') === null;
    const shown = fewer ? answer.hits.slice(0, WEAK_SHOWN) : answer.hits;
    if (args.flag('json')) printJson(io, searchJson({ answer, around }));
    else
      (io.paint ?? io.out)(
        fitted(renderAnswer({ ...answer, hits: shown }, viewOf(io), around), io),
      );
    if (project !== null && !args.flag('json') && (await isUnknown(app, project)))
      io.err(
        `nothing is known about ${project.slug} yet; \`--project all\` searches every project\n`,
      );
    if (!args.flag('json') && needsModel(base.mode)) io.err(withoutModel(app));
    if (editor !== null && answer.hits[0] !== undefined) {
      await app.store.release();
      await openAt(io, editor, answer.hits[0]);
    }
    return EXIT.done;
  },
};

/** So many hits are listed while a query is typed: two screens of them. */
const LISTED = 40;

/** What narrows a search, as it was typed. */
const TYPED = ['mode', 'agent', 'kind', 'role', 'tool', 'file', 'since', 'until'] as const;

type SearchBase = Omit<SearchOptions, 'query'>;

function readWanted(io: Io, args: Arguments, limit: number): Omit<SearchBase, 'project'> {
  const typed = readSearch(
    Object.fromEntries(TYPED.map((name) => [name, args.text(name)])),
    io.clock.now(),
  );
  return { ...typed, limit: args.count('limit', limit), unnoted: args.flag('unnoted') };
}

/**
 * What narrows a search, checked.
 * @throws AppError exit 2 for a name or a day that means nothing
 */
export function readSearch(
  typed: Readonly<Partial<Record<(typeof TYPED)[number], string | null | undefined>>>,
  now: Date,
): Omit<SearchBase, 'project' | 'limit'> {
  for (const [name, known] of [
    ['mode', SEARCH_MODES],
    ['kind', [...HIT_TYPES, ...LESSON_KINDS]],
    ['role', ROLES],
  ] as const) {
    const word = typed[name] ?? null;
    if (word !== null && !(known as readonly string[]).includes(word))
      throw usage(`there is no ${name} ${word}`, `use one of ${known.join(', ')}`);
  }
  const {
    agent = null,
    kind = null,
    role = null,
    tool = null,
    file = null,
    since = null,
    until = null,
  } = typed;
  const mode = (typed.mode ?? 'hybrid') as Mode;
  return {
    mode,
    agent,
    kind,
    role,
    tool,
    file,
    since: dayOf('since', since, now),
    until: dayOf('until', until, now),
  };
}

function dayOf(name: string, text: string | null, now: Date): string | null {
  const day = text === null ? null : dayFrom(text, now);
  if (text !== null && day === null)
    throw usage(
      `--${name} takes a day such as 2026-11-20, not ${text}`,
      'write year, month and day, or `today`, `yesterday`, `7d`, `2w`',
    );
  return day;
}

/** Everything of a search but its query, with the project that is meant. */
export async function prepareSearch(
  app: App,
  wanted: Omit<SearchBase, 'project'>,
  { spec, cwd }: { spec: string | null; cwd: string },
): Promise<{ base: SearchBase; project: Project | null }> {
  await checkAgent(app, wanted.agent);
  // It takes longest, in a process of its own: everything else is loaded and looked up meanwhile.
  if (needsModel(wanted.mode)) app.embedder.warm();
  const project = await projectHere(app, spec, cwd);
  return { base: { ...wanted, project: project?.id ?? null }, project };
}

/** What was found, with so many entries around each hit that is one. */
interface SearchFound {
  answer: Awaited<ReturnType<typeof search>>;
  around: ReadonlyMap<string, Around>;
}

export async function findHits(
  app: App,
  options: SearchOptions,
  turns: number,
): Promise<SearchFound> {
  const answer = await search(app.recall ?? recallFrom(app), options);
  return { answer, around: await contextOf(app, answer.hits, turns) };
}

/** As `search --json` prints it. */
export function searchJson({ answer, around }: SearchFound) {
  return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, ...around.get(hit.id) })) };
}

/** Entries around each hit that is one, by its id. */
async function contextOf(
  app: App,
  hits: readonly Hit[],
  turns: number,
): Promise<Map<string, Around>> {
  if (turns === 0) return new Map();
  const entries = hits.filter(({ type }) => type === 'entry');
  return app.store.read(async (db) => {
    const around = new Map<string, Around>();
    for (const { id } of entries)
      around.set(id, aroundOf(id, await entryNeighbours(db, id, turns)));
    return around;
  });
}

/**
 * Tools without logs of their own name themselves in the inbox: what was read counts beside what
 * can be read.
 */
async function checkAgent(app: App, agent: string | null): Promise<void> {
  if (agent === null) return;
  const { adapters } = await import('../agents/index.js');
  const known = [
    ...new Set([...adapters.map((each) => each.agent), ...(await app.store.read(agentsRead))]),
  ].sort();
  if (!known.includes(agent))
    throw usage(`there is no agent ${agent}`, `use one of ${known.join(', ')}`);
}

/**
 * One query a line in, one JSON object a line out; an empty line gives an empty answer, so that
 * lines stay in step.
 */
async function searchLines(io: Io, app: App, base: Omit<SearchOptions, 'query'>): Promise<0> {
  const recall = recallFrom(app);
  for await (const line of io.lines()) {
    printJson(io, { ...(await search(recall, { ...base, query: line.trim() })) });
    if (io.signal.aborted) break;
  }
  return EXIT.done;
}

/** Why words alone were searched, where that is not what the person chose; '' otherwise. */
function withoutModel({ config, embedder }: App): string {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null
    ? ''
    : `words alone were searched: ${problem}; \`dripstone doctor\` names the cure\n`;
}

/** Whether somebody is there who sees what is drawn and types; in an agent's terminal nobody is. */
function canType(io: Io, args: Arguments): boolean {
  const isThere = io.typing !== undefined && io.outIsTerminal === true && io.env['TERM'] !== 'dumb';
  return isThere && !args.flag('json') && io.caller().kind === 'person';
}

/** Prints the hit that a person chose while they typed, or opens its log. */
async function searchAsTyped(io: Io, args: Arguments): Promise<ExitCode> {
  const wanted = { ...readWanted(io, args, LISTED), unnoted: true };
  const turns = args.count('context', 0, 0);
  const editor = args.flag('open') ? needEditor(io) : null;
  const paths = pathsOf(homeOf(io.env));
  // It throws what to do first.
  if (!existsSync(paths.store))
    await (await createApp({ ...io, access: 'read' }))[Symbol.asyncDispose]();
  const [{ findAsTyped }, { Seeker }] = [
    await import('./terminal/finder.js'),
    await import('./terminal/seeker.js'),
  ];
  await using seeker = new Seeker(io, {
    argv: typedLine(args),
    needsModel: needsModel(wanted.mode),
    search: async (app, query, isQuick) => {
      const how = isQuick ? { ...wanted, mode: 'keyword' as const } : wanted;
      const { base } = await prepareSearch(app, how, { spec: args.text('project'), cwd: io.cwd });
      return searchJson(await findHits(app, { ...base, query }, turns));
    },
  });
  const find = async (query: string): Promise<{ hits: Hit[]; note: string }> => {
    // To the command it means standard input.
    if (query === '-') return { hits: [], note: '' };
    const answer = await seeker.find(query);
    const isCut = answer.weak && args.text('limit') === null;
    return {
      hits: isCut ? answer.hits.slice(0, WEAK_SHOWN) : answer.hits,
      note: noteOf(answer, args),
    };
  };
  const hit = await findAsTyped(io, find, seeker.modelCame);
  if (hit === null) return EXIT.interrupted;
  if (hit.type === 'lesson') noteUses({ paths, clock: io.clock }, 'search', [hit]);
  if (editor !== null) await openAt(io, editor, hit);
  else {
    const around = new Map(hit.context === undefined ? [] : [[hit.id, { context: hit.context }]]);
    io.paint!(fitted(renderHits([hit], viewOf(io), around), io));
    const { typable } = await import('./ending.js');
    if (hit.type !== 'note')
      io.out(typable(`\n\`dripstone show ${hit.id}\` prints all of it\n`, io));
  }
  return EXIT.done;
}

/** The same search as a command line, up to its query. */
function typedLine(args: Arguments): string[] {
  const options = [...TYPED, 'project', 'context'].flatMap((name) =>
    args.text(name) === null ? [] : [`--${name}=${args.text(name)}`],
  );
  return ['search', '--json', '--unnoted', `--limit=${args.count('limit', LISTED)}`, ...options];
}

function noteOf({ hits, weak, mode }: SearchAnswer, args: Arguments): string {
  if (hits.length === 0)
    return `nothing found${args.text('project') === null ? '; `--project all` searches every project' : ''}`;
  return weak
    ? 'nothing near was found; weak matches'
    : `${counted(hits.length, 'hit')}${mode === 'keyword' ? ' by words' : ''}`;
}

/** Lines that fit the terminal; an escape of ours, which is invisible there, counts as one sign. */
function fitted(text: string, { screen }: Io): string {
  if (screen === undefined) return text;
  const escapes = text.match(/\u001b\[[\d;]*m/g) ?? [];
  let next = 0;
  return wrapped(text.replace(/\u001b\[[\d;]*m/g, '\u001b'), screen.columns).replace(
    /\u001b/g,
    () => escapes[next++]!,
  );
}

function viewOf(io: Io): View {
  return {
    now: io.clock.now(),
    userHome: userHomeOf(io.env),
    colour: io.outIsTerminal === true && showsColour(io.env),
  };
}
