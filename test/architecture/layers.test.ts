/**
 * The table of layers (docs/decisions/house.md) as a test: imports point down and never in a
 * circle, each outside thing has one importer, folders, files, functions and lines stay small.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

const LAYER: Record<string, number> = {
  types: 0,
  errors: 0,
  place: 0,
  text: 0.5,
  shell: 0.6,
  projects: 1.5,
  options: 1.5,
  agents: 1,
  redact: 1,
  terms: 1,
  parse: 1,
  // What parsing finds is what a prompt shows and an answer is held against.
  asked: 1.1,
  lessons: 1,
  context: 1,
  facts: 1,
  mutex: 0,
  store: 2,
  watchers: 2,
  embed: 2,
  llm: 2,
  links: 2,
  supervisor: 2,
  home: 1.5,
  wire: 1.5,
  config: 2,
  'config-file': 2.5,
  log: 2,
  caller: 2,
  clock: 2,
  jobs: 3,
  recall: 3,
  // They build the parts of a process, and give the daemon its work.
  app: 3.1,
  io: 3.2,
  command: 3.4,
  socket: 3.25,
  work: 3.3,
  commands: 4,
  cli: 5,
  daemon: 5,
  mcp: 4,
  web: 4,
  hooks: 4,
};

/** What one interface loads of another: the table of commands starts servers, and they are commands. */
const BETWEEN_INTERFACES = [
  'commands/start.ts ../daemon.js',
  'commands/index.ts ../web/command.js',
  'commands/index.ts ../mcp/command.js',
];

/**
 * Package (or node: module) -> the only files that may import it; a trailing slash means a module
 * that is a folder.
 */
const IMPORTERS: Record<string, string[]> = {
  '@duckdb/node-api': ['store/duckdb.ts'],
  chokidar: ['watchers/watch.ts'],
  'better-queue': ['jobs/queue.ts'],
  'node-cron': ['jobs/schedule.ts'],
  '@huggingface/transformers': ['embed/'],
  pino: ['log.ts'],
  yaml: ['config.ts'],
  '@modelcontextprotocol/sdk': ['mcp/'],
  preact: ['web/page/'],
  marked: ['web/page/words.tsx'],
  hono: ['web/'],
  '@hono/node-server': ['web/command.ts'],
};

/**
 * What runs in a browser knows nothing of the machine: the shapes of answers, the words in them,
 * and how a text is made visible.
 */
const PAGE_KNOWS =
  /^(?:web\/page\/[\w/-]+\.js|web\/wire\.js|(?:errors|types\/values)\.js|preact(?:\/hooks)?|marked)$/;

interface Source {
  name: string;
  module: string;
  text: string;
  code: string;
  lines: number;
  imports: string[];
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? walk(join(folder, entry.name))
      : /\.tsx?$/.test(entry.name)
        ? [join(folder, entry.name)]
        : [],
  );
}

/** Comments out, so that prose about a rule does not break it; strings stay. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/[^\n]*/g, '$1');
}

const sources: Source[] = walk(src).map((file) => {
  const text = readFileSync(file, 'utf8');
  const name = relative(src, file).replaceAll('\\', '/');
  const code = withoutComments(text);
  return {
    name,
    module: name.includes('/') ? name.slice(0, name.indexOf('/')) : name.slice(0, -3),
    text,
    code,
    lines: text.split('\n').length - 1,
    imports: [
      ...code.matchAll(
        /(?:\b(?:from|import|require)\s*\(?|createRequire\(import\.meta\.url\)\()\s*['"]([^'"]+)['"]/g,
      ),
    ].map((match) => match[1]!),
  };
});

function moduleOf(from: Source, path: string): string {
  const target = relative(src, normalize(join(src, dirname(from.name), path))).replaceAll(
    '\\',
    '/',
  );
  return target.includes('/') ? target.slice(0, target.indexOf('/')) : target.replace(/\.js$/, '');
}

function linesWith(source: Source, pattern: RegExp): string[] {
  return source.code
    .split('\n')
    .flatMap((line) =>
      pattern.test(line) ? [`${source.name}: ${line.trim().slice(0, 100)}`] : [],
    );
}

/**
 * Functions, arrows and methods with more lines than that, from the first of the signature to the
 * closing bracket.
 */
function functionsOver(most: number, { name, text }: Source): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const lines = lineAt(node.end) - lineAt(node.getStart(file)) + 1;
      if (lines > most) found.push(`${name}:${lineAt(node.getStart(file)) + 1}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Paths in src/ that a source imports, those of types among them. */
function targetsOf(source: Source): string[] {
  return source.imports
    .filter((path) => path.startsWith('.'))
    .map((path) =>
      relative(src, normalize(join(src, dirname(source.name), path)))
        .replaceAll('\\', '/')
        .replace(/\.js$/, '.ts'),
    )
    .map((path) => (existsSync(join(src, path)) ? path : `${path}x`));
}

/** Each circle once, from one of its files back to the same. */
function circlesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name);
    if (at >= 0) found.push([...path.slice(at), name].join(' -> '));
    if (at >= 0 || done.has(name)) return;
    for (const target of targets.get(name) ?? []) visit(target, [...path, name]);
    done.add(name);
  };
  for (const name of targets.keys()) visit(name, []);
  return found;
}

/**
 * What a module may remember between two calls, and why it needs no owner: answers that are the
 * same whoever asks (memo), the state of a thread or child process in its own entry, what is one
 * for the whole process by nature.
 */
const MODULE_STATE: Record<string, string> = {
  'agents/engine.ts: hashed': 'memo: the hash of the last facts',
  'config.ts: defaults': 'memo: config/default.yaml, which ships with the program',
  'config.ts: made': 'memo: the schema, made at the first use',
  'terms/count.ts: kinds': 'memo: what a character is',
  'shell/secret-files.ts: last': 'memo: the files that the last command prints',
  'redact/key-names.ts: judged': 'memo: what a name says about its value, bounded',
  'redact/detect.ts: words': 'a table, filled while the file loads',
  'redact/detect.ts: handlers': 'a table, filled while the file loads',
  'embed/worker.ts: model': 'entry of a child process',
  'jobs/reading/read-part.ts: home': 'of a thread: the rules of the last home',
  'jobs/reading/read-part.ts: open': 'of a thread: the log of the last part',
  'store/store.ts: running': 'what a call runs inside: Node visits each of these with each promise',
  'store/duckdb.ts: open': 'the lock of a database file is the process, not one of its stores',
};
const KEEPS = new Set([
  'WeakMap',
  'WeakSet',
  'AsyncLocalStorage',
  'EventEmitter',
  'Worker',
  'Tinypool',
]);
const CHANGES = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
]);

/**
 * Names at the top of a file that hold something across calls: any `let`, what only remembers, and
 * tables that functions change.
 */
function moduleState({ name, text }: Pick<Source, 'name' | 'text'>): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const tables = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: variable, initializer } of statement.declarationList.declarations) {
      const isMade = initializer !== undefined && ts.isNewExpression(initializer);
      if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0)
        found.add(variable.getText());
      else if (isMade && KEEPS.has(initializer.expression.getText())) found.add(variable.getText());
      else tables.add(variable.getText());
    }
  }
  const visit = (node: ts.Node, isCalled: boolean): void => {
    const into = isCalled ? changedBy(node) : null;
    if (into !== null && tables.has(into)) found.add(into);
    if (
      ts.isPropertyDeclaration(node) &&
      node.getText().startsWith('static') &&
      !/\breadonly\b/.test(node.getText())
    )
      found.add(node.name.getText());
    ts.forEachChild(node, (child) => visit(child, isCalled || ts.isFunctionLike(node)));
  };
  visit(file, false);
  return [...found].map((each) => `${name}: ${each}`);
}

/**
 * The name of what an expression changes in place: `table.set(…)`, `table.key = …`, `table[0] = …`.
 */
function changedBy(node: ts.Node): string | null {
  const target =
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    CHANGES.has(node.expression.name.text)
      ? node.expression
      : ts.isBinaryExpression(node) &&
          node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
          node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
        ? node.left
        : null;
  // A sticky pattern is told where to look before each use.
  if (target?.getText().endsWith('.lastIndex') === true) return null;
  return target !== null &&
    (ts.isPropertyAccessExpression(target) || ts.isElementAccessExpression(target))
    ? target.expression.getText()
    : null;
}

describe('the architecture', () => {
  test('every module has a layer', () => {
    expect(
      [...new Set(sources.map((source) => source.module))].filter(
        (name) => LAYER[name] === undefined,
      ),
    ).toEqual([]);
  });

  test('imports point down; modules of one layer do not know each other', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter((path) => path.startsWith('.'))
        .flatMap((path) => {
          const to = moduleOf(source, path);
          if (to === source.module) return [];
          const [from, target] = [LAYER[source.module]!, LAYER[to] ?? Infinity];
          const allowed = target < from || BETWEEN_INTERFACES.includes(`${source.name} ${path}`);
          return allowed
            ? []
            : [`${source.name} (layer ${from}) imports ${path} (${to}, layer ${target})`];
        }),
    );
    expect(wrong).toEqual([]);
  });

  test('no import goes in a circle, of types neither', () => {
    expect(circlesIn(new Map(sources.map((source) => [source.name, targetsOf(source)])))).toEqual(
      [],
    );
    expect(circlesIn(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'] })))).toEqual([
      'b -> c -> b',
    ]);
  });

  test.each(Object.entries(IMPORTERS))('%s is imported only by %s', (dependency, allowed) => {
    const importers = sources.filter((source) =>
      source.imports.some((path) => path === dependency || path.startsWith(`${dependency}/`)),
    );
    expect(
      importers
        .map((source) => source.name)
        .filter(
          (name) =>
            !allowed.some(
              (place) => name === place || (place.endsWith('/') && name.startsWith(place)),
            ),
        ),
    ).toEqual([]);
  });

  test('the page knows the shapes of answers and its own files alone', () => {
    const own = sources.filter(({ name }) => name.startsWith('web/page/'));
    expect(own.length).toBeGreaterThan(0);
    expect(
      own.flatMap(({ name, imports }) =>
        imports
          .map((path) =>
            path.startsWith('.')
              ? relative(src, normalize(join(src, dirname(name), path))).replaceAll('\\', '/')
              : path,
          )
          .filter((path) => !PAGE_KNOWS.test(path))
          .map((path) => `${name}: ${path}`),
      ),
    ).toEqual([]);
    expect(
      own.flatMap((source) =>
        linesWith(
          source,
          /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|localStorage/,
        ),
      ),
    ).toEqual([]);
  });

  test('process.env is read in config.ts alone, and by the hook program, which imports nothing of ours', () => {
    const others = sources.filter(
      ({ name }) => name !== 'config.ts' && name !== 'hooks/program.ts',
    );
    expect(others.flatMap((source) => linesWith(source, /process\.env\b/))).toEqual([]);
  });

  test('real time is read in clock.ts alone', () => {
    const clock = /new Date\(\s*\)|\bDate\.now\(|performance\.now\(|process\.hrtime/;
    expect(
      sources
        .filter((source) => source.name !== 'clock.ts')
        .flatMap((source) => linesWith(source, clock)),
    ).toEqual([]);
  });

  test('the pure layer does no input or output and uses no randomness', () => {
    const impure =
      /from\s+['"](?:node:)?(?:fs|net|http|https|child_process|os|worker_threads|dgram|dns)(?:\/promises)?['"]|Math\.random\(|randomUUID|randomBytes/;
    expect(
      sources
        .filter((source) => LAYER[source.module] === 1)
        .flatMap((source) => linesWith(source, impure)),
    ).toEqual([]);
  });

  test('every statement for our database lives in store/', () => {
    // Statements for a foreign SQLite store are constants of that agent's adapter; database.ts puts
    // its own function around them.
    const statement =
      /[`'"]\s*(?:SELECT\s.+\sFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|MACRO|SCHEMA)|ALTER\s+TABLE|CHECKPOINT[`'"]|ATTACH\s)/;
    expect(
      sources
        .filter(
          ({ module, name }) =>
            !['store', 'agents'].includes(module) && name !== 'watchers/database.ts',
        )
        .flatMap((source) => linesWith(source, statement)),
    ).toEqual([]);
  });

  test('no file is longer than 500 lines', () => {
    expect(
      sources
        .filter((source) => source.lines > 500)
        .map((source) => `${source.name}: ${source.lines} lines`),
    ).toEqual([]);
  });

  test('no function is longer than 80 lines', () => {
    const long = sources.filter(({ lines }) => lines > 80);
    expect(long.flatMap((source) => functionsOver(80, source))).toEqual([]);
  });

  test('no folder holds more than 30 files', () => {
    const counts = new Map<string, number>();
    for (const { name } of sources) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
  });

  test('state has an owner: no module remembers anything between calls, but for what is named here', () => {
    expect(sources.flatMap(moduleState).sort()).toEqual(Object.keys(MODULE_STATE).sort());
    const text = `let a = 1; const b = new WeakMap(), c = new Map(), d = [], e = new Map(), f = { g: 1 }; e.set(1, 2);
      export function h() { c.set(1, 2); d[0] = 1; f.g += 1; const i = []; i.push(1); }`;
    expect(moduleState({ name: 'x', text })).toEqual(['x: a', 'x: b', 'x: c', 'x: d', 'x: f']);
  });
});
