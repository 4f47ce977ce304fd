/** `dripstone search`: hits of entries, lessons, episodes and notes, with their place in the log. */
import { EXIT } from '../errors.js';
import { recallFrom } from '../recall/recall.js';
import type { HitType, Mode, SearchHit, SearchOptions } from '../recall/hit.js';
import { aroundOf, renderAnswer, type Around, type View } from '../recall/hits.js';
import { WEAK_SHOWN } from '../recall/nearness.js';
import { needsModel, search } from '../recall/search.js';
import { createApp, type App } from '../app.js';
import { userHomeOf } from '../config.js';
import { agentsRead, entryNeighbours } from '../store/index.js';
import { LESSON_KINDS, type Role } from '../types.js';
import { isUnknown, projectHere } from './config/project-here.js';
import { needEditor, openAt } from './open/editor.js';
import { showsColour, wrapped } from './terminal/screen.js';
import { dayFrom, printJson, usage, type Arguments, type Command, type Io } from './command.js';

const ROLES: readonly Role[] = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system'];
const TYPES: readonly HitType[] = ['entry', 'lesson', 'episode', 'note'];
const MODES = ['hybrid', 'keyword', 'semantic', 'exact'] as const;

export const searchCommand: Command = {
  name: 'search',
  summary: 'find entries, lessons, episodes and notes by words',
  usage: '"QUERY" | - [options]',
  options: {
    project: { type: 'string', value: 'P', help: 'folder, slug, name or `all`; default: the project of this folder' },
    limit: { type: 'string', value: 'N', help: 'most hits to print (default 10)' },
    mode: { type: 'string', value: 'MODE', help: `${MODES.join(', ')}; default hybrid, which falls back to keyword` },
    agent: { type: 'string', value: 'NAME', help: 'only this agent' },
    kind: { type: 'string', value: 'KIND', help: 'only this type (entry, lesson, episode, note) or kind of lesson' },
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
    checkChoices(args);
    const turns = args.count('context', 0, 0);
    const editor = args.flag('open') ? needEditor(io) : null;
    const [since, until] = [dayOf(io, args, 'since'), dayOf(io, args, 'until')];
    await using app = await createApp({ ...io, access: 'read' });
    await checkAgent(app, args.text('agent'));
    const mode = (args.text('mode') ?? 'hybrid') as Mode;
    // The model takes longest and loads in a process of its own: everything else is loaded in the meantime.
    if (needsModel(mode)) app.embedder.warm();
    const project = await projectHere(app, args.text('project'), io.cwd);
    const base: Omit<SearchOptions, 'query'> = {
      project: project?.id ?? null,
      limit,
      mode,
      agent: args.text('agent'),
      kind: args.text('kind'),
      role: args.text('role'),
      tool: args.text('tool'),
      file: args.text('file'),
      since,
      until,
    };
    if (query === '-') return await searchLines(io, app, base);
    const answer = await search(app.recall ?? recallFrom(app), { ...base, query });
    const fewer = answer.weak && args.text('limit') === null && !args.flag('json');
    const shown = fewer ? answer.hits.slice(0, WEAK_SHOWN) : answer.hits;
    const around = await contextOf(app, shown, turns);
    if (args.flag('json')) printJson(io, { ...answer, hits: answer.hits.map((hit) => ({ ...hit, ...around.get(hit.id) })) });
    else (io.paint ?? io.out)(fitted(renderAnswer({ ...answer, hits: shown }, viewOf(io), around), io));
    if (project !== null && !args.flag('json') && (await isUnknown(app, project)))
      io.err(`nothing is known about ${project.slug} yet; \`--project all\` searches every project\n`);
    if (!args.flag('json') && needsModel(mode)) io.err(withoutModel(app));
    if (editor !== null && answer.hits[0] !== undefined) {
      await app.store.release();
      await openAt(io, editor, answer.hits[0]);
    }
    return EXIT.done;
  },
};

/** Entries around each hit that is an entry, by its id. */
async function contextOf(app: App, hits: readonly SearchHit[], turns: number): Promise<Map<string, Around>> {
  if (turns === 0) return new Map();
  const entries = hits.filter(({ type }) => type === 'entry');
  return app.store.read(async (db) => {
    const around = new Map<string, Around>();
    for (const { id } of entries) around.set(id, aroundOf(id, await entryNeighbours(db, id, turns)));
    return around;
  });
}

function checkChoices(args: Arguments): void {
  for (const [name, known] of [
    ['mode', MODES],
    ['kind', [...TYPES, ...LESSON_KINDS]],
    ['role', ROLES],
  ] as [string, readonly string[]][]) {
    const word = args.text(name);
    if (word !== null && !known.includes(word)) throw usage(`there is no ${name} ${word}`, `use one of ${known.join(', ')}`);
  }
}

function dayOf(io: Io, args: Arguments, name: string): string | null {
  const text = args.text(name);
  const day = text === null ? null : dayFrom(text, io.clock.now());
  if (text !== null && day === null)
    throw usage(
      `--${name} takes a day such as 2026-11-20, not ${text}`,
      'write year, month and day, or `today`, `yesterday`, `7d`, `2w`',
    );
  return day;
}

/** Tools without logs of their own name themselves in the inbox: agents with entries count beside the known ones. */
async function checkAgent(app: App, agent: string | null): Promise<void> {
  if (agent === null) return;
  const { adapters } = await import('../agents/index.js');
  const known = [...new Set([...adapters.map((each) => each.agent), ...(await app.store.read(agentsRead))])].sort();
  if (!known.includes(agent)) throw usage(`there is no agent ${agent}`, `use one of ${known.join(', ')}`);
}

/** Reads one query a line, prints one JSON object a line; an empty line gives an empty answer, so that lines stay in step. */
async function searchLines(io: Io, app: App, base: Omit<SearchOptions, 'query'>): Promise<0> {
  const recall = recallFrom(app);
  for await (const line of io.lines()) {
    printJson(io, { ...(await search(recall, { ...base, query: line.trim() })) });
    if (io.signal.aborted) break;
  }
  return EXIT.done;
}

/** Why only words were searched, if the person did not choose that; else ''. */
function withoutModel({ config, embedder }: App): string {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null ? '' : `words alone were searched: ${problem}; \`dripstone doctor\` names the cure\n`;
}

/** Fits lines to the terminal; one of our escapes takes no space there and counts as one character. */
function fitted(text: string, { screen }: Io): string {
  if (screen === undefined) return text;
  const escapes = text.match(/\u001b\[[\d;]*m/g) ?? [];
  let next = 0;
  return wrapped(text.replace(/\u001b\[[\d;]*m/g, '\u001b'), screen.columns).replace(/\u001b/g, () => escapes[next++]!);
}

function viewOf(io: Io): View {
  return { now: io.clock.now(), userHome: userHomeOf(io.env), colour: io.outIsTerminal === true && showsColour(io.env) };
}
