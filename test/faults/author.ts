/**
 * Agents at work: appends to Claude Code's and Codex' logs and to the inbox in every awkward way,
 * and remembers what was written whole.
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { seeded, type Random } from '../redact/made-up.js';
import { linesOf } from './author-lines.js';
import { type Stage, setStage } from '../stage.js';

interface Open {
  agent: 'claude' | 'codex' | 'inbox';
  path: string;
  session: string;
  turns: number;
  /** What stands whole in it. */
  texts: string[];
  /** The half of a line that has not been written yet, and what it will mean. */
  rest: { bytes: Buffer; texts: string[] } | null;
}

export interface Author {
  /** Text -> how often it must be stored. */
  written: Map<string, number>;
  /** Texts that went with their log before a run had read them for sure: they may be missing. */
  gone: Set<string>;
  /** What stands in the logs now. */
  standing(): string[];
  /** A run that ended well had begun when these texts stood in the logs. */
  safe(texts: readonly string[]): void;
  messages(): number;
  logs(): number;
  /** One random thing that agents do. */
  step(): void;
  /** Writes the missing halves. */
  finish(): void;
  /** So many steps, and nothing left half. */
  work(steps: number): void;
}

const WORDS =
  'harbour lantern copper meadow violet saddle ribbon thunder pepper walnut anchor cobalt timber orchid gravel marble'.split(
    ' ',
  );
const ACTIONS = [
  'append',
  'append',
  'append',
  'burst',
  'half',
  'half',
  'open',
  'fork',
  'archive',
  'replace',
] as const;
const DESTROYING = ['truncate', 'rewrite', 'rotate', 'remove'] as const;

export function createAuthor(person: Stage, random: Random, destroys = false): Author {
  const logs: Open[] = [];
  const written = new Map<string, number>();
  const gone = new Set<string>();
  const isSafe = new Set<string>();
  let count = 0;
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const hex = (n: number): string =>
    Array.from({ length: n }, () => '0123456789abcdef'[below(16)]).join('');
  const uuid = (kind: number): string =>
    `${hex(8)}-${hex(4)}-${kind}${hex(3)}-8${hex(3)}-${hex(12)}`;
  // Three past days, so that tiers are due; the order inside a log does not matter.
  const time = (): string =>
    `2025-11-0${3 + below(3)}T${String(8 + below(10)).padStart(2, '0')}:${10 + below(49)}:${10 + below(49)}.${100 + below(899)}Z`;
  const say = (): string =>
    `note ${++count} ${Array.from({ length: 4 + below(12) }, () => oneOf(WORDS)).join(' ')}${below(8) === 0 ? ' é漢🦀\u2028x' : ''}`;
  const mean = (log: Open, texts: string[]): void => {
    texts.forEach((text) => written.set(text, (written.get(text) ?? 0) + 1));
    log.texts.push(...texts);
  };
  /** A copy of a text may be left in a fork, or none. */
  const lose = (log: Open): void =>
    log.texts.splice(0).forEach((text) => isSafe.has(text) || gone.add(text));

  const LINES = linesOf({ below, uuid, time, say });

  const finishOne = (log: Open): void => {
    if (log.rest === null) return;
    appendFileSync(log.path, log.rest.bytes);
    mean(log, log.rest.texts);
    log.rest = null;
  };
  const append = (log: Open, times: number): void => {
    finishOne(log);
    const all = Array.from({ length: times }, () => LINES[log.agent](log));
    appendFileSync(log.path, all.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(''));
    mean(
      log,
      all.flatMap(({ texts }) => texts),
    );
  };
  /**
   * Cut anywhere, also inside a character. The records before the cut are whole: they are told by
   * their own append.
   */
  const half = (log: Open): void => {
    finishOne(log);
    const { lines, texts } =
      log.agent === 'claude' ? first(LINES.claude(log)) : LINES[log.agent](log);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const head = Buffer.byteLength(
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const cut =
      log.agent === 'inbox'
        ? 1 + below(Buffer.byteLength(lines[0]!))
        : head > 0
          ? 1 + below(head)
          : 1 + below(bytes.length - 1);
    appendFileSync(log.path, bytes.subarray(0, cut));
    log.rest = { bytes: bytes.subarray(cut), texts };
  };
  const first = ({ lines, texts }: { lines: string[]; texts: string[] }) => ({
    lines: lines.slice(0, 1),
    texts: texts.slice(0, 1),
  });

  const codexPath = (session: string): string =>
    join(person.home, '.codex/sessions/2025/11/03', `rollout-2025-11-03T10-00-00-${session}.jsonl`);
  const headOf = (id: string, more: object = {}): string => {
    const told = { originator: 'codex_cli_rs', cli_version: '0.144.2', source: 'cli', ...more };
    const payload = { id, timestamp: time(), cwd: '/home/ana/shop', ...told };
    return `${JSON.stringify({ timestamp: time(), type: 'session_meta', payload })}\n`;
  };

  const open = (): void => {
    const agent = oneOf(['claude', 'claude', 'codex', 'codex', 'inbox'] as const);
    const session = uuid(agent === 'codex' ? 7 : 4);
    const path = {
      codex: codexPath(session),
      claude: join(person.home, '.claude/projects/-home-ana-shop', `${session}.jsonl`),
      inbox: join(person.stone, 'inbox', `${session}.jsonl`),
    }[agent];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, agent === 'codex' ? headOf(session) : '');
    logs.push({ agent, path, session, turns: 0, texts: [], rest: null });
    append(logs.at(-1)!, 1);
  };
  /**
   * Writes a part of a turn, lets something happen to the log, and goes on in the middle of the
   * turn.
   */
  const midTurn = (log: Open, happen: () => void): void => {
    finishOne(log);
    const { lines, texts } = LINES[log.agent](log);
    // Codex tells the question in its first four lines, and the answer in the others; Claude Code a
    // text in each line.
    const at = log.agent === 'codex' ? 4 : log.agent === 'claude' ? 1 + below(3) : 0;
    const cut = log.agent === 'codex' ? 1 : at;
    const write = (some: string[]): void =>
      appendFileSync(log.path, some.map((line) => `${line}\n`).join(''));
    write(lines.slice(0, at));
    mean(log, texts.slice(0, cut));
    happen();
    write(lines.slice(at));
    mean(log, texts.slice(cut));
  };
  const ACT: Record<(typeof ACTIONS)[number] | (typeof DESTROYING)[number], (log: Open) => void> = {
    /** The same file, from its first byte. */
    truncate: (log) =>
      midTurn(log, () => {
        lose(log);
        writeFileSync(log.path, '');
      }),
    /** The first lines stay, the rest is other. */
    rewrite(log) {
      finishOne(log);
      const kept = log.agent === 'codex' ? readFileSync(log.path, 'utf8').split('\n', 3) : [];
      lose(log);
      writeFileSync(log.path, kept.map((line) => `${line}\n`).join(''));
      append(log, 3);
    },
    /** The old content lives on under another name. */
    rotate: (log) =>
      midTurn(log, () => {
        const name = `${basename(log.path, '.jsonl')}-${below(1e6)}.jsonl`;
        const to =
          log.agent === 'codex'
            ? join(person.home, '.codex/archived_sessions', name)
            : join(dirname(log.path), name);
        mkdirSync(dirname(to), { recursive: true });
        renameSync(log.path, to);
        log.texts = [];
      }),
    remove(log) {
      finishOne(log);
      lose(log);
      rmSync(log.path);
      logs.splice(logs.indexOf(log), 1);
      open();
    },
    append: (log) => append(log, 1 + below(4)),
    burst: (log) => append(log, 20 + below(60)),
    half,
    open: () => (logs.length < 12 ? open() : undefined),
    /**
     * A resumed session: its history copied under another session id, then new lines. Codex puts a
     * head of its own before it.
     */
    fork(log) {
      if (log.agent === 'inbox' || logs.length >= 16) return append(log, 1);
      finishOne(log);
      const session = uuid(log.agent === 'codex' ? 7 : 4);
      const path =
        log.agent === 'codex' ? codexPath(session) : join(dirname(log.path), `${session}.jsonl`);
      const copied = readFileSync(log.path, 'utf8');
      if (log.agent === 'claude') writeFileSync(path, copied.replaceAll(log.session, session));
      else writeFileSync(path, headOf(session, { forked_from_id: log.session }) + copied);
      logs.push({ ...log, path, session, texts: [...log.texts], rest: null });
      append(logs.at(-1)!, 1);
    },
    archive(log) {
      if (log.agent !== 'codex' || log.path.includes('archived')) return append(log, 1);
      const path = join(person.home, '.codex/archived_sessions', basename(log.path));
      mkdirSync(dirname(path), { recursive: true });
      renameSync(log.path, path);
      log.path = path;
    },
    /** The same bytes as another file: an editor or a backup did it. */
    replace(log) {
      copyFileSync(log.path, `${log.path}.new`);
      renameSync(`${log.path}.new`, log.path);
    },
  };
  const actions = destroys ? [...ACTIONS, ...DESTROYING] : ACTIONS;
  const step = (): void => (logs.length === 0 ? open() : ACT[oneOf(actions)](oneOf(logs)));
  const finish = (): void => logs.forEach(finishOne);
  open();
  return {
    written,
    gone,
    standing: () => logs.flatMap(({ texts }) => texts),
    safe: (texts) => texts.forEach((text) => isSafe.add(text)),
    messages: () => [...written.values()].reduce((sum, n) => sum + n, 0),
    logs: () => logs.filter(({ path }) => existsSync(path)).length,
    step,
    finish,
    work(steps) {
      for (let i = 0; i < steps; i++) step();
      finish();
    },
  };
}

/** A person whose agents have done so many things. */
export function personAtWork(
  seed: number,
  steps: number,
  stone?: string,
): { person: Stage; author: Author } {
  const person = setStage({ isLive: true, ...(stone !== undefined && { stone }) });
  const author = createAuthor(person, seeded(seed));
  author.work(steps);
  return { person, author };
}
