/**
 * "Code mode": the agent writes a JavaScript script that calls tools. We parse it, but never run
 * it.
 */
import { parse, type Node } from 'acorn';

/** A command that a script runs, or a process that it polls. */
export interface ScriptRun {
  /** Null for a poll, and for a command that the script computes. */
  command: string | null;
  /** The literal start of a computed command, which may fetch or name a secret file. */
  begins: string | null;
  cwd: string | null;
  isPoll: boolean;
  /** The process of a poll; null if the script itself started it. */
  process: string | null;
}

/** The runs of each printed text of a script: none for a fixed text, null for a text of any run. */
export type Printed = (number[] | null)[];

/** The runs and polls of a script, in order, and the texts that it prints. */
export interface Script {
  runs: ScriptRun[];
  patches: boolean;
  /** A command may have run never or several times. */
  isMaybe: boolean;
  /** Null if the script prints a run without its name. */
  printed: Printed | null;
}

/** A node whose fields are read by name, since other versions have other fields. */
type Tree = Node & Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string';
const tree = (value: unknown): Tree => (isTree(value) ? value : ({ type: '' } as Tree));
const trees = (value: unknown): Tree[] => (Array.isArray(value) ? value.filter(isTree) : []);

const RUNS = /^(?:exec_command|shell_command|shell|write_stdin)$/;
/** Code inside these may not run, or may run more than once. */
const FORKS =
  /^(?:If|Switch|Try|For|ForIn|ForOf|While|DoWhile)Statement$|Function|^(?:Conditional|Logical)Expression$/;
/** More would make the state too large. */
const MOST_PRINTS = 64;

/** Name of the function that is called: `tools.exec_command(…)` is `exec_command`. */
function calleeOf(node: Tree): string {
  if (node.type !== 'CallExpression') return '';
  const callee = tree(node.callee);
  return String(
    callee.type === 'MemberExpression' ? tree(callee.property).name : (callee.name ?? ''),
  );
}

/** A literal text, and whether it is all of the value. */
function literal(node: Tree, source = ''): { text: string; isWhole: boolean } | null {
  if (node.type === 'Literal' && typeof node.value === 'string')
    return { text: node.value, isWhole: true };
  if (node.type === 'TemplateLiteral') {
    const first = tree(trees(node.quasis)[0]).value as { cooked?: string } | undefined;
    const isWhole = trees(node.expressions).length === 0;
    return {
      text: isWhole ? (first?.cooked ?? '') : source.slice(node.start + 1, node.end - 1),
      isWhole,
    };
  }
  const start = node.type === 'BinaryExpression' ? literal(tree(node.left), source) : null;
  return start && { ...start, isWhole: false };
}

function field(object: Tree, ...names: string[]): Tree {
  const found = trees(object.properties).find((each) => {
    const key = tree(each.key);
    return names.includes(String(key.name ?? key.value));
  });
  return tree(found?.value);
}

function runOf(node: Tree, source: string): ScriptRun {
  const input = tree(trees(node.arguments)[0]);
  const isPoll = calleeOf(node) === 'write_stdin';
  const literalCommand = isPoll ? null : literal(field(input, 'cmd', 'command'), source);
  const folder = literal(field(input, 'workdir', 'cwd'));
  const { value } = field(input, 'session_id');
  return {
    command: literalCommand?.isWhole ? literalCommand.text || null : null,
    begins: literalCommand?.isWhole === false ? literalCommand.text : null,
    cwd: folder?.isWhole ? folder.text : null,
    isPoll,
    process: isPoll && /^(?:number|string)$/.test(typeof value) ? String(value) : null,
  };
}

/** What one reading of a script has found so far. */
class Reading {
  readonly runs: ScriptRun[] = [];
  readonly printed: Printed = [];
  /** Runs by variable name; null for a name with several values. */
  readonly names = new Map<string, number[] | null>();
  private readonly byNode = new Map<Tree, number>();
  patches = false;
  isMaybe = false;
  isPlain = true;
  private mayEnd = false;

  constructor(private readonly source: string) {}

  visit(node: Tree, isForked: boolean): void {
    const callee = calleeOf(node);
    if (!isForked && this.visitLoop(node, callee)) return;
    const forks = isForked || FORKS.test(node.type);
    for (const key in node) {
      const value = node[key];
      if (isTree(value)) this.visit(value, forks);
      else if (Array.isArray(value)) trees(value).forEach((each) => this.visit(each, forks));
    }
    if (RUNS.test(callee) && trees(node.arguments)[0]?.type === 'ObjectExpression') {
      const run = runOf(node, this.source);
      const isMaybe = isForked || this.mayEnd || this.byNode.has(node);
      this.byNode.set(node, this.runs.push(run) - 1);
      this.isPlain &&= !isMaybe;
      this.isMaybe ||= isMaybe && !run.isPoll;
    } else if (callee === 'apply_patch') this.patches = true;
    else if (callee === 'text' || callee === 'image') this.print(node, isForked);
    else if (/^(?:Return|Throw)Statement$/.test(node.type) || callee === 'exit') this.mayEnd = true;
    else if (node.type === 'VariableDeclarator') this.name(tree(node.id), tree(node.init));
    else if (node.type === 'AssignmentExpression') this.name(tree(node.left), tree(node.right));
  }

  /** Reads a loop over runs once for each run. */
  private visitLoop(node: Tree, callee: string): boolean {
    const call = tree(trees(node.arguments)[0]);
    const isOver = callee === 'forEach' && /Function/.test(call.type);
    if (!isOver && node.type !== 'ForOfStatement') return false;
    const list = tree(isOver ? tree(node.callee).object : node.right);
    this.visit(list, false);
    const runs = this.valueOf(list);
    const left = tree(node.left);
    const target = isOver
      ? tree(trees(call.params)[0])
      : tree(tree(trees(left.declarations)[0]).id);
    if (runs === null || typeof target.name !== 'string') {
      this.visit(tree(isOver ? call : node.body), true);
      return true;
    }
    for (const run of runs) {
      this.names.set(target.name, [run]);
      this.visit(tree(isOver ? call.body : node.body), false);
    }
    return true;
  }

  private name(target: Tree, value: Tree): void {
    const runs = this.valueOf(value);
    const [names, each] =
      target.type === 'ArrayPattern'
        ? [trees(target.elements), (n: number) => (runs?.[n] === undefined ? null : [runs[n]])]
        : [[target], () => runs];
    names.forEach(({ name }, n) => {
      if (typeof name !== 'string' || (runs === null && !this.names.has(name))) return;
      this.names.set(name, this.names.has(name) ? null : each(n));
    });
  }

  /** The runs of a value, in order; null for other values. */
  private valueOf(node: Tree): number[] | null {
    if (node.type === 'AwaitExpression') return this.valueOf(tree(node.argument));
    const run = this.byNode.get(node);
    if (run !== undefined) return [run];
    if (node.type === 'Identifier') return this.names.get(String(node.name)) ?? null;
    if (/^(?:all|allSettled|stringify)$/.test(calleeOf(node)))
      return this.valueOf(tree(trees(node.arguments)[0]));
    if (node.type === 'MemberExpression' && typeof tree(node.property).value === 'number') {
      const item = this.valueOf(tree(node.object))?.[Number(tree(node.property).value)];
      return item === undefined ? null : [item];
    }
    if (node.type !== 'ArrayExpression') return null;
    const items = trees(node.elements).map((each) => this.valueOf(each));
    return items.every((each) => each !== null) ? items.flat() : null;
  }

  private print(node: Tree, isForked: boolean): void {
    this.isPlain &&= !isForked && !this.mayEnd && this.printed.length < MOST_PRINTS;
    const value = tree(trees(node.arguments)[0]);
    const whole = this.valueOf(value);
    const named = new Set(this.runsIn(value));
    if (whole !== null) this.printed.push(whole);
    else if (named.size === 1) this.printed.push([...named]);
    else this.printed.push(named.size === 0 && literal(value)?.isWhole ? [] : null);
    this.isPlain &&= whole !== null || named.size < 2;
  }

  private runsIn(node: Tree): number[] {
    const own = this.valueOf(node);
    if (own !== null) return own;
    return Object.values(node).flatMap((value) =>
      isTree(value) ? this.runsIn(value) : trees(value).flatMap((each) => this.runsIn(each)),
    );
  }
}

/** A command in a script that is not JavaScript. */
const COMMAND = /\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\\n\t]|\\["\\/nt])*")/g;

/** Reads a script. A script that is not JavaScript did not run, but names its commands. */
export function readScript(source: string): Script {
  const reading = new Reading(source);
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module' } as const;
    reading.visit(
      parse(source, { ...options, allowReturnOutsideFunction: true }) as unknown as Tree,
      false,
    );
  } catch {
    const runs = [...source.matchAll(COMMAND)].map(([, command]): ScriptRun => ({
      ...{ command: JSON.parse(command!) as string, begins: null, cwd: null },
      ...{ isPoll: false, process: null },
    }));
    return { runs, patches: /\bapply_patch\s*\(/.test(source), isMaybe: true, printed: null };
  }
  const { runs, patches, isMaybe, printed, names } = reading;
  const order = printed.flatMap((of) => of ?? []);
  const isEach = order.length === runs.length && new Set(order).size === runs.length;
  const isSure = reading.isPlain && !isMaybe && isEach && ![...names.values()].includes(null);
  return { runs, patches, isMaybe, printed: isSure ? printed : null };
}
