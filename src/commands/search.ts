/** `dripstone search`: hits of entries, lessons, episodes and notes, with their place in the log. */
import { EXIT } from '../errors.js';
import { recallFrom } from '../recall/recall.js';
import { aroundOf, renderAnswer, type Around, type View } from '../recall/hits.js';
import { WEAK_SHOWN } from '../recall/nearness.js';
import { needsModel, search } from '../recall/search.js';
import { createApp, type App } from '../app.js';
import { userHomeOf } from '../config.js';
import { agentsRead, entryNeighbours } from '../store/index.js';
import { HIT_TYPES, LESSON_KINDS, ROLES, SEARCH_MODES, type Hit, type Mode, type Project, type SearchOptions } from '../types.js';
import { isUnknown, projectHere } from './config/project-here.js';
import { needEditor, openAt } from './open/editor.js';
import { showsColour, wrapped } from './terminal/screen.js';
import { dayFrom, printJson, usage, type Command, type Io } from './command.js';

export const searchCommand: Command = {
  name: 'search',
  summary: 'find entries, lessons, episodes and notes by words',
  usage: '"QUERY" | - [options]',
  options: {
    project: { type: 'string', value: 'P', help: 'folder, slug, name or `all`; default: the project of this folder' },
    limit: { type: 'string', value: 'N', help: 'most hits to print (default 10)' },
    mode: { type: 'string', value: 'MODE', help: `${SEARCH_MODES.join(', ')}; default hybrid, which falls back to keyword` },
    agent: { type: 'string', value: 'NAME', help: 'only this agent' },
    kind: { type: 'string', value: 'KIND', help: `only this type (${HIT_TYPES.join(', ')}) or kind of lesson` },
    role: { type: 'string', value: 'ROLE', help: `only entries of this role: ${ROLES.join(', ')}` },
    tool: { type: 'string', value: 'NAME', help: 'only calls and results of this tool' },
    file: { type: 'string', value: 'PART', help: 'only calls and results about a file with this in its path' },
    since: { type: 'string', value: 'DAY', help: 'not before this day: 2026-11-20, today, yesterday, 7d, 2w' },
    until: { type: 'string', value: 'DAY', help: 'not after this day' },
    archive: { type: 'boolean', help: 'has no effect: every text is in the database' },
    context: { type: 'string', value: 'N', help: 'also print N entries before and after each hit in its session' },
    open: { type: 'boolean', help: 'open the log of the first hit at its line in $VISUAL or $EDITOR' },
    json: { type: 'boolean', help: 'print {"version":1,"mode","ordered","archive_only","near","weak","hits":[…]}' },
  },
  exits: { [EXIT.noStore]: 'no memory yet', [EXIT.busy]: 'the store is in use by another process' },
  examples: [
    'dripstone search "flaky migration test"',
    'dripstone search "retry budget" --json --limit 5',
    'dripstone search - < queries.txt   # one query a line, one JSON object a line',
  ],
  async run(io, args) {
    const query = args.words.join(' ').trim();
    if (query === '')
      throw usage(
        'search needs a query',
        'type `dripstone search "some words"`, or `dripstone search -` to read queries from stdin',
      );
    const limit = args.count('limit', 10);
    const wanted = { ...readSearch(Object.fromEntries(TYPED.map((name) => [name, args.text(name)])), io.clock.now()), limit };
    const turns = args.count('context', 0, 0);
    const editor = args.flag('open') ? needEditor(io) : null;
    await using app = await createApp({ ...io, access: 'read' });
    const { base, project } = await prepareSearch(app, wanted, { spec: args.text('project'), cwd: io.cwd });
    if (query === '-') return await searchLines(io, app, base);
    const { answer, around } = await findHits(app, { ...base, query }, turns);
    const fewer = answer.weak && args.text('limit') === null;
    const shown = fewer ? answer.hits.slice(0, WEAK_SHOWN) : answer.hits;
    if (args.flag('json')) printJson(io, searchJson({ answer, around }));
    else (io.paint ?? io.out)(fitted(renderAnswer({ ...answer, hits: shown }, viewOf(io), around), io));
    if (project !== null && !args.flag('json') && (await isUnknown(app, project)))
      io.err(`nothing is known about ${project.slug} yet; \`--project all\` searches every project\n`);
    if (!args.flag('json') && needsModel(base.mode)) io.err(withoutModel(app));
    if (editor !== null && answer.hits[0] !== undefined) {
      await app.store.release();
      await openAt(io, editor, answer.hits[0]);
    }
    return EXIT.done;
  },
};

/** What narrows a search, as it was typed. */
const TYPED = ['mode', 'agent', 'kind', 'role', 'tool', 'file', 'since', 'until'] as const;

type SearchBase = Omit<SearchOptions, 'query'>;

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
  const { agent = null, kind = null, role = null, tool = null, file = null, since = null, until = null } = typed;
  const mode = (typed.mode ?? 'hybrid') as Mode;
  return { mode, agent, kind, role, tool, file, since: dayOf('since', since, now), until: dayOf('until', until, now) };
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

export async function findHits(app: App, options: SearchOptions, turns: number): Promise<SearchFound> {
  const answer = await search(app.recall ?? recallFrom(app), options);
  return { answer, around: await contextOf(app, answer.hits, turns) };
}

/** As `search --json` prints it. */
export function searchJson({ answer, around }: SearchFound) {
  return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, ...around.get(hit.id) })) };
}

/** Entries around each hit that is one, by its id. */
async function contextOf(app: App, hits: readonly Hit[], turns: number): Promise<Map<string, Around>> {
  if (turns === 0) return new Map();
  const entries = hits.filter(({ type }) => type === 'entry');
  return app.store.read(async (db) => {
    const around = new Map<string, Around>();
    for (const { id } of entries) around.set(id, aroundOf(id, await entryNeighbours(db, id, turns)));
    return around;
  });
}

/** Tools without logs of their own name themselves in the inbox: what was read counts beside what can be read. */
async function checkAgent(app: App, agent: string | null): Promise<void> {
  if (agent === null) return;
  const { adapters } = await import('../agents/index.js');
  const known = [...new Set([...adapters.map((each) => each.agent), ...(await app.store.read(agentsRead))])].sort();
  if (!known.includes(agent)) throw usage(`there is no agent ${agent}`, `use one of ${known.join(', ')}`);
}

/** One query a line in, one JSON object a line out; an empty line gives an empty answer, so that lines stay in step. */
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
  return problem === null ? '' : `words alone were searched: ${problem}; \`dripstone doctor\` names the cure\n`;
}

/** Lines that fit the terminal; an escape of ours, which is invisible there, counts as one sign. */
function fitted(text: string, { screen }: Io): string {
  if (screen === undefined) return text;
  const escapes = text.match(/\u001b\[[\d;]*m/g) ?? [];
  let next = 0;
  return wrapped(text.replace(/\u001b\[[\d;]*m/g, '\u001b'), screen.columns).replace(/\u001b/g, () => escapes[next++]!);
}

function viewOf(io: Io): View {
  return { now: io.clock.now(), userHome: userHomeOf(io.env), colour: io.outIsTerminal === true && showsColour(io.env) };
}
