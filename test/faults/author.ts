/**
 * Agents at work: appends to Claude Code's and Codex' logs and to the inbox in every awkward way, and remembers what was written
 * whole.
 */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { seeded, type Random } from '../redact/made-up.js';
import { makePerson, type Person } from './person.js';

interface Open {
  agent: 'claude' | 'codex' | 'inbox';
  path: string;
  session: string;
  turns: number;
  /** When it was written to last. */
  touched: string;
  /** The half of a line that has not been written yet, and what it will mean. */
  rest: { bytes: Buffer; texts: string[] } | null;
}

export interface Author {
  /** Text -> how often it must be stored. */
  written: Map<string, number>;
  messages(): number;
  logs(): number;
  /** One random thing that agents do. */
  step(): void;
  /** Writes the missing halves. */
  finish(): void;
  /** So many steps, and nothing left half. */
  work(steps: number): void;
  /** Agents delete logs that were not written to since `before` (ISO). @returns how many */
  clean(before: string): number;
}

export interface Habits {
  /** What an agent's clock says. */
  time?: () => string;
  /**
   * Sessions end: only so many of the newest logs are written to, and new ones come for ever. Else twelve logs are all there are.
   */
  active?: number;
}

const WORDS =
  'harbour lantern copper meadow violet saddle ribbon thunder pepper walnut anchor cobalt timber orchid gravel marble'.split(' ');
const ACTIONS = ['append', 'append', 'append', 'burst', 'half', 'half', 'open', 'fork', 'archive', 'replace'] as const;

export function createAuthor(person: Person, random: Random, habits: Habits = {}): Author {
  const most = habits.active === undefined ? 12 : Number.POSITIVE_INFINITY;
  const logs: Open[] = [];
  const written = new Map<string, number>();
  let count = 0;
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const hex = (n: number): string => Array.from({ length: n }, () => '0123456789abcdef'[below(16)]).join('');
  const uuid = (kind: number): string => `${hex(8)}-${hex(4)}-${kind}${hex(3)}-8${hex(3)}-${hex(12)}`;
  // Three past days, so that tiers are due; the order inside a log does not matter.
  const time =
    habits.time ??
    ((): string =>
      `2025-11-0${3 + below(3)}T${String(8 + below(10)).padStart(2, '0')}:${10 + below(49)}:${10 + below(49)}.${100 + below(899)}Z`);
  const say = (): string =>
    `note ${++count} ${Array.from({ length: 4 + below(12) }, () => oneOf(WORDS)).join(' ')}${below(8) === 0 ? ' é漢🦀\u2028x' : ''}`;
  const mean = (texts: string[]): void => texts.forEach((text) => written.set(text, (written.get(text) ?? 0) + 1));

  const claudeLines = (log: Open): { lines: string[]; texts: string[] } => {
    const base = {
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ana/shop',
      sessionId: log.session,
      version: '2.1.233',
      gitBranch: 'main',
      entrypoint: 'cli',
    };
    const id = uuid(4);
    const [ask, answer, command] = [say(), say(), `echo ${say()}`];
    const record = (more: object): string =>
      JSON.stringify({ parentUuid: null, ...base, uuid: uuid(4), timestamp: time(), ...more });
    const call = (content: object[]) => ({
      type: 'assistant',
      message: { id: `msg_${id}`, role: 'assistant', model: 'm', content },
    });
    return {
      texts: [ask, answer, command, `out ${command}`],
      lines: [
        record({ type: 'user', message: { role: 'user', content: ask }, promptSource: 'typed', origin: { kind: 'human' } }),
        record(call([{ type: 'text', text: answer }])),
        record(call([{ type: 'tool_use', id: `t_${id}`, name: 'Bash', input: { command } }])),
        record({
          type: 'user',
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: `t_${id}`, content: `out ${command}`, is_error: false }],
          },
          toolUseResult: { stdout: `out ${command}`, stderr: '', interrupted: false },
        }),
      ],
    };
  };
  const codexLines = (log: Open): { lines: string[]; texts: string[] } => {
    const turn = uuid(7);
    const [ask, answer] = [say(), say()];
    const record = (type: string, payload: object): string => JSON.stringify({ timestamp: time(), type, payload });
    const passed = { internal_chat_message_metadata_passthrough: { turn_id: turn } };
    log.turns++;
    return {
      texts: [ask, answer],
      lines: [
        record('event_msg', { type: 'task_started', turn_id: turn }),
        record('turn_context', { turn_id: turn, cwd: '/home/ana/shop', model: 'm' }),
        record('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: ask }], ...passed }),
        record('event_msg', { type: 'user_message', message: ask, images: [] }),
        record('event_msg', { type: 'agent_message', message: answer }),
        record('response_item', {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: answer }],
          ...passed,
        }),
        record('event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: answer }),
      ],
    };
  };
  /** Some lines stand there twice, to the byte: two entries, and two after every new reading. */
  const inboxLines = (log: Open): { lines: string[]; texts: string[] } => {
    const text = say();
    const line = JSON.stringify({ agent: 'aider', session: log.session, role: 'user', text, at: time(), cwd: '/home/ana/shop' });
    return below(3) === 0 ? { lines: [line, line], texts: [text, text] } : { lines: [line], texts: [text] };
  };
  const LINES = { claude: claudeLines, codex: codexLines, inbox: inboxLines };

  const finishOne = (log: Open): void => {
    if (log.rest === null) return;
    appendFileSync(log.path, log.rest.bytes);
    log.touched = time();
    mean(log.rest.texts);
    log.rest = null;
  };
  const append = (log: Open, times: number): void => {
    finishOne(log);
    const all = Array.from({ length: times }, () => LINES[log.agent](log));
    appendFileSync(log.path, all.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(''));
    mean(all.flatMap(({ texts }) => texts));
    log.touched = time();
  };
  /** Cut anywhere, also inside a character. The records before the cut are whole: they are told by their own append. */
  const half = (log: Open): void => {
    finishOne(log);
    const { lines, texts } = log.agent === 'claude' ? first(claudeLines(log)) : LINES[log.agent](log);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const head = Buffer.byteLength(
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const cut =
      log.agent === 'inbox' ? 1 + below(Buffer.byteLength(lines[0]!)) : head > 0 ? 1 + below(head) : 1 + below(bytes.length - 1);
    appendFileSync(log.path, bytes.subarray(0, cut));
    log.rest = { bytes: bytes.subarray(cut), texts };
    log.touched = time();
  };
  const first = ({ lines, texts }: { lines: string[]; texts: string[] }) => ({
    lines: lines.slice(0, 1),
    texts: texts.slice(0, 1),
  });

  const open = (): void => {
    const agent = oneOf(['claude', 'claude', 'codex', 'codex', 'inbox'] as const);
    const session = uuid(agent === 'codex' ? 7 : 4);
    const path = {
      claude: join(person.home, '.claude/projects/-home-ana-shop', `${session}.jsonl`),
      codex: join(person.home, '.codex/sessions/2025/11/03', `rollout-2025-11-03T10-00-00-${session}.jsonl`),
      inbox: join(person.stone, 'inbox', `${session}.jsonl`),
    }[agent];
    mkdirSync(dirname(path), { recursive: true });
    const meta = {
      timestamp: time(),
      type: 'session_meta',
      payload: {
        id: session,
        timestamp: time(),
        cwd: '/home/ana/shop',
        originator: 'codex_cli_rs',
        cli_version: '0.144.2',
        source: 'cli',
      },
    };
    writeFileSync(path, agent === 'codex' ? `${JSON.stringify(meta)}\n` : '');
    logs.push({ agent, path, session, turns: 0, touched: time(), rest: null });
    append(logs.at(-1)!, 1);
  };
  const ACT: Record<(typeof ACTIONS)[number], (log: Open) => void> = {
    append: (log) => append(log, 1 + below(4)),
    burst: (log) => append(log, 20 + below(60)),
    half,
    open: () => (logs.length < most ? open() : undefined),
    /** A resumed session: its history copied under another session id, then new lines. */
    fork(log) {
      if (log.agent !== 'claude' || logs.length >= most + 4) return append(log, 1);
      finishOne(log);
      const session = uuid(4);
      const path = join(dirname(log.path), `${session}.jsonl`);
      writeFileSync(path, readFileSync(log.path, 'utf8').replaceAll(log.session, session));
      logs.push({ ...log, path, session, rest: null });
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
  const step = (): void => (logs.length === 0 ? open() : ACT[oneOf(ACTIONS)](oneOf(logs.slice(-(habits.active ?? logs.length)))));
  const finish = (): void => logs.forEach(finishOne);
  open();
  return {
    written,
    messages: () => [...written.values()].reduce((sum, n) => sum + n, 0),
    logs: () => logs.filter(({ path }) => existsSync(path)).length,
    step,
    clean(before) {
      const old = logs.filter((log) => log.rest === null && log.touched < before);
      for (const log of old) rmSync(log.path, { force: true });
      logs.splice(0, logs.length, ...logs.filter((log) => !old.includes(log)));
      return old.length;
    },
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
  where: Parameters<typeof makePerson>[0] = {},
): { person: Person; author: Author } {
  const person = makePerson(where);
  const author = createAuthor(person, seeded(seed));
  author.work(steps);
  return { person, author };
}
