/** `dripstone search`: hits with their place in the log; `dripstone show`: one whole hit. */
import { EXIT, usage } from '../errors.js';
import { renderAnswer, type View } from '../recall/hits.js';
import { WEAK_SHOWN, needsModel, search } from '../recall/search.js';
import { createApp, type App } from '../app.js';
import { userHomeOf } from '../config.js';
import { HIT_TYPES, ROLES, SEARCH_MODES } from '../types.js';
import { showsColour, wrapped } from './screen.js';
import { printJson, type Command, ASKING, value, flag, print } from '../command.js';
import type { Io } from '../io.js';
import { isUnknown } from '../recall/projects.js';
import {
  findHits,
  NARROWING,
  prepareSearch,
  readSearch,
  searchJson,
  type SearchBase,
} from '../recall/search-for.js';
import { prefixOf, show } from '../recall/show.js';

export const searchCommand: Command = {
  name: 'search',
  summary: 'find entries, lessons, episodes and notes by words and by meaning',
  usage: '"QUERY" | - [options]',
  options: {
    project: value('P', 'folder, slug, name or `all`; default: the project of this folder'),
    limit: value('N', 'print at most N hits (default 10)'),
    mode: value('MODE', `${SEARCH_MODES.join(', ')}; default hybrid, which falls back to keyword`),
    agent: value('NAME', 'only this agent'),
    kind: value('KIND', `only this type (${HIT_TYPES.join(', ')}) or kind of lesson`),
    role: value('ROLE', `only entries of this role: ${ROLES.join(', ')}`),
    file: value('PART', 'only calls and results about a file with this in its path'),
    since: value('DAY', 'not before this day: 2026-11-20, today, yesterday, 7d, 2w'),
    until: value('DAY', 'not after this day'),
    context: value('N', 'also print N entries before and after each hit in its session'),
    json: flag('print {"version":1,"mode","weak","hits":[…]}'),
  },
  exits: ASKING,
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
    const wanted = {
      ...readSearch(
        Object.fromEntries(NARROWING.map((name) => [name, args.text(name)])),
        io.clock.now(),
      ),
      limit: args.count('limit', 10),
    };
    const turns = args.count('context', 0, 0);
    await using app = await createApp({ ...io, access: 'read' });
    const { base, project } = await prepareSearch(app, wanted, {
      spec: args.text('project'),
      cwd: io.cwd,
    });
    if (query === '-') return await searchLines(io, app, base);
    const answer = await findHits(app, { ...base, query }, turns);
    const fewer = answer.weak && args.text('limit') === null;
    const shown = fewer ? answer.hits.slice(0, WEAK_SHOWN) : answer.hits;
    if (args.flag('json')) printJson(io, searchJson(answer));
    else (io.paint ?? io.out)(fitted(renderAnswer({ ...answer, hits: shown }, viewOf(io)), io));
    if (project !== null && !args.flag('json') && (await isUnknown(app, project)))
      io.err(
        `nothing is known about ${project.slug} yet; \`--project all\` searches every project\n`,
      );
    if (!args.flag('json') && needsModel(base.mode)) io.err(withoutModel(app));
    return EXIT.done;
  },
};

/**
 * Reads one query per line and prints one JSON object per line. An empty line gives an empty
 * answer, so that line numbers match.
 */
async function searchLines(io: Io, app: App, base: SearchBase): Promise<0> {
  for await (const line of io.lines()) {
    printJson(io, searchJson(await search(app, { ...base, query: line.trim() })));
    if (io.signal.aborted) break;
  }
  return EXIT.done;
}

/** Why only words were searched, unless the person chose this; else ''. */
function withoutModel({ config, embedder }: App): string {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null
    ? ''
    : `words alone were searched: ${problem}; \`dripstone status --check\` names the cure\n`;
}

/** Lines that fit the terminal; our escapes, which are invisible there, count as one character. */
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

export const showCommand: Command = {
  name: 'show',
  summary: 'print the whole of one entry, session or lesson',
  usage: 'ID [--around N] [--json]',
  options: {
    around: value('N', 'entries to print before and after an entry (default 2)'),
    json: flag('print {"version":1,"type","id",…}'),
  },
  exits: ASKING,
  examples: ['dripstone show k3f', 'dripstone show 9f2c41d0 --around 5'],
  async run(io, args) {
    const [word] = args.words;
    if (word === undefined || args.words.length > 1)
      throw usage('show takes one id', 'copy one from `dripstone search` or from context.md');
    const prefix = prefixOf(word);
    const around = args.count('around', 2, 0);
    await using app = await createApp({ ...io, access: 'read' });
    const shown = await show(app, prefix, around);
    return print(io, args, shown.json, shown.text);
  },
};
