/**
 * Aider's chat history, `.aider.chat.history.md` in the project's folder: a Markdown text that grows at its end.
 *
 * - `# aider chat started at 2026-06-24 10:11:12` begins a run. The time is local without a zone and the only one in the file:
 *   it names the run, and all its entries have it.
 * - Lines by the program end in two spaces: prompts (`#### use tabs `) and notes (`> Applied edit to a.py `). Everything else
 *   is the answer, appended at once. An answer may contain headings, quotes and other histories: inside an open code fence only
 *   the program's closing notes (`> Tokens: …`) end it.
 * - `/ask x` is logged twice, as typed and as `x`; both become one prompt. Other commands are settings, not prompts.
 * - Commands, edits and commits appear in the program's notes, without ids, output or exit status.
 *
 * It is read as a page: reading it as lines would mean keeping part of an answer, which may contain secrets, in the state. Ids
 * consist of role and text within the run, so reading it again gives the same ids.
 */
import type { Adapter, RawEntry, LogRecord, Step, Usage } from '../types.js';
import { rawEntryOf } from './calls.js';
import { isObject, short, text as textOf, whole, zonelessTime, linesOf } from './fields.js';
import { typedEntries } from './typed.js';

type Kind = 'start' | 'prompt' | 'answer' | 'note';

interface Block {
  kind: Kind;
  lines: string[];
}

interface AiderState {
  session: string | null;
  cwd: string | null;
  model: string | null;
  version: string | null;
  /** Prompts and answers since the person last stopped one: whether there is anything to stop. */
  isActive: boolean;
  /** Answers with known token counts. */
  answers: number;
}

export const aider: Adapter<AiderState> = {
  agent: 'aider',
  title: 'Aider',
  places: [
    {
      env: null,
      root: 'repositories',
      under: '',
      globs: ['.aider.chat.history.md', '*/.aider.chat.history.md'],
      named: true,
    },
  ],
  shape: () => 'page',
  unfold,
  start: ({ folder }) => ({
    session: null,
    cwd: short(folder),
    model: null,
    version: null,
    isActive: false,
    answers: 0,
  }),
  step,
};

const START = /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/;
/** The program's notes after which no answer continues. */
const END = /^> (?:Tokens: |\^C|Applied edit to |Commit [\da-f]{7})/;

/** The blocks of a history, each with the start of its run; null when the text is not a history. */
function unfold(content: unknown): unknown[] | null {
  if (typeof content !== 'string') return null;
  const blocks = blocksOf(content.slice(0, content.lastIndexOf('\n') + 1));
  return blocks.some(({ kind }) => kind === 'start' || kind === 'prompt')
    ? withoutEchoes(blocks)
    : null;
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  for (const line of linesOf(text)) {
    const last = blocks.at(-1);
    const kind = kindOf(line, last?.kind ?? null, fence !== null, isOpenNote(last));
    if (kind !== 'answer') fence = null;
    else fence = fenceAfter(line, fence);
    // Each note is a block of its own: another one may follow at any time.
    const isNext = kind === 'start' || (kind === 'note' && !isOpenNote(last));
    if (last === undefined || kind !== last.kind || isNext) {
      if (line.trim() !== '') blocks.push({ kind, lines: [line] });
    } else last.lines.push(line);
  }
  return blocks;
}

/** A note of the program that continues in the next line. */
function isOpenNote(last: Block | undefined): boolean {
  const line = last?.kind === 'note' ? last.lines.at(-1)! : '';
  return line.trim() !== '' && !line.endsWith('  ');
}

function kindOf(line: string, last: Kind | null, isFenced: boolean, isOpen: boolean): Kind {
  if (START.test(line)) return 'start';
  if (isFenced) return END.test(line) && line.endsWith('  ') ? 'note' : 'answer';
  if (/^#### .*  $/.test(line)) return 'prompt';
  if (/^>(?: .*)?  $/.test(line) || isOpen) return 'note';
  if (/^> /.test(line) && last !== 'answer') return 'note';
  return line.trim() === '' && last !== null ? last : 'answer';
}

/**
 * The fence that is open after a line: a shorter one, or one with a language, does not close it.
 */
function fenceAfter(line: string, open: string | null): string | null {
  const found = /^\s{0,3}(`{3,}|~{3,})(.*)$/s.exec(line);
  if (!found) return open;
  if (open === null) return found[1]!;
  return found[1]!.startsWith(open) && found[2]!.trim() === '' ? null : open;
}

/** Commands that carry a prompt, which the log repeats after them. */
const MODES = /^\/(?:ask|code|architect|context|help)\s+([\s\S]+)$/;

function withoutEchoes(blocks: readonly Block[]): unknown[] {
  let isEcho: string | null = null;
  return blocks.flatMap(({ kind, lines }): unknown[] => {
    if (kind !== 'prompt') {
      if (kind !== 'note') isEcho = null;
      return [{ kind, text: lines.join('\n') }];
    }
    // Prompts without an answer between them are one block: a blank line separates them.
    return promptsIn(lines).flatMap((text) => {
      const words = MODES.exec(text)?.[1]?.trim() ?? null;
      const repeats: boolean = text === isEcho;
      isEcho = words;
      return repeats ? [] : [{ kind, text: words ?? text }];
    });
  });
}

function promptsIn(lines: readonly string[]): string[] {
  const prompts: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') prompts.push([]);
    else prompts.at(-1)!.push(line.replace(/^#### /, '').trimEnd());
  }
  return prompts.filter((each) => each.length > 0).map((each) => each.join('\n'));
}

function step(state: AiderState, { value }: LogRecord): Step<AiderState> {
  const kind = isObject(value) ? textOf(value.kind) : null;
  const text = isObject(value) ? (textOf(value.text)?.trim() ?? '') : '';
  if (text === '') return { state, rawEntries: [] };
  if (kind === 'start') return startOf(state, text);
  if (kind === 'note') return noteOf(state, text);
  if (kind !== 'prompt' && kind !== 'answer') return { state, rawEntries: [], unknown: 'record' };
  const rawEntries =
    kind === 'prompt'
      ? promptOf(text)
      : [rawEntryOf({ role: 'assistant', origin: 'agent', text, marks: ['final'] })];
  return {
    state: { ...state, isActive: true },
    rawEntries: rawEntries.map((raw) => placed(raw, state)),
  };
}

function placed(raw: RawEntry, { cwd }: AiderState): RawEntry {
  return { ...raw, cwd, bySession: true };
}

function startOf(before: AiderState, text: string): Step<AiderState> {
  const found = START.exec(text);
  if (!found) return { state: before, rawEntries: [] };
  const state = { ...before, session: `${found[1]}T${found[2]}`, isActive: false, answers: 0 };
  return {
    state,
    rawEntries: [],
    session: { session: state.session, cwd: state.cwd },
    at: zonelessTime(state.session),
  };
}

const SHELL = /^(?:!|\/(?:run|test)\s)\s*([\s\S]+)$/;
/**
 * What the program writes in the person's place: its questions with their answers, and requests
 * from comments in files.
 */
const MADE =
  /\(Y\)es\/\(N\)o|^<blank>$|^I've written your instructions in comments|^The "ai" comments below/;

function promptOf(text: string): RawEntry[] {
  const command = SHELL.exec(text)?.[1]?.trim() ?? null;
  if (command !== null)
    return [
      rawEntryOf({ role: 'tool_call', origin: 'user', text: command, tool: 'shell', command }),
    ];
  if (MADE.test(text)) return [rawEntryOf({ role: 'user', origin: 'injected', text })];
  if (/^\/\w/.test(text))
    return [rawEntryOf({ role: 'user', origin: 'injected', text, marks: ['command'] })];
  return typedEntries({ native: null, time: null }, text);
}

/** The program's notes: what it did, and what it reported. */
function noteOf(before: AiderState, text: string): Step<AiderState> {
  const said = text.replace(/^> ?/gm, '').replace(/(?<! ) +$/gm, '');
  const find = (pattern: RegExp): string | null => short(pattern.exec(said)?.[1]);
  const version = find(/^Aider v(\S+)$/m) ?? before.version;
  const cwd = find(/^Git working dir: (.+)$/m) ?? before.cwd;
  const model = find(/^(?:Main model|Model): (\S+) with /m) ?? before.model;
  const usage = usageIn(said, { ...before, model });
  const isStop = /^\^C/m.test(said) && before.isActive;
  const rawEntries: RawEntry[] = [
    ...(said.trim() === ''
      ? []
      : [rawEntryOf({ role: 'system', origin: 'injected', text: said.trim() })]),
    ...actionsIn(said),
  ];
  const stop = rawEntryOf({
    role: 'system',
    origin: 'injected',
    text: 'The user interrupted the turn.',
    marks: ['interrupt'],
  });
  const state = {
    ...before,
    version,
    cwd,
    model,
    isActive: before.isActive && !isStop,
    answers: before.answers + usage.length,
  };
  const isNews = before.session !== null && (version !== before.version || cwd !== before.cwd);
  return {
    state,
    rawEntries: [...rawEntries, ...(isStop ? [stop] : [])].map((raw) => placed(raw, state)),
    ...(isNews ? { session: { session: before.session!, version, cwd } } : {}),
    ...(usage.length > 0 ? { usage } : {}),
  };
}

function actionsIn(said: string): RawEntry[] {
  return linesOf(said).flatMap((line) => {
    const edited = /^Applied edit to (.+)$/.exec(line)?.[1];
    if (edited !== undefined) {
      return [
        rawEntryOf({
          role: 'tool_call',
          origin: 'agent',
          text: edited,
          tool: 'edit',
          files: [edited],
        }),
      ];
    }
    const command = /^Running (.+)$/.exec(line)?.[1];
    return command === undefined
      ? []
      : [rawEntryOf({ role: 'tool_call', origin: 'agent', text: command, tool: 'shell', command })];
  });
}

const TOKENS = /^Tokens: (.+?)\.?(?: Cost: \$([\d.]+) message\b.*)?$/gm;

/**
 * `Tokens: 5.2k sent, 3k cache write, 2k cache hit, 1.1k received. Cost: $0.02 message, $0.05
 * session.`
 */
function usageIn(said: string, { session, model, answers }: AiderState): Usage[] {
  if (session === null) return [];
  return [...said.matchAll(TOKENS)].map(([, tokens, cost], index) => {
    const count = (name: string): number =>
      countOf(new RegExp(`([\\d.,]+)([kM]?) ${name}`).exec(tokens!));
    const native = `${session}#${answers + index}`;
    const known = {
      native,
      time: null,
      model,
      reasoning: 0,
      cost: cost === undefined ? null : Number(cost.replace(/\.$/, '')),
    };
    const [cacheRead, cacheWrite] = [count('cache hit'), count('cache write')];
    return { ...known, input: count('sent'), cacheRead, cacheWrite, output: count('received') };
  });
}

function countOf(found: RegExpExecArray | null): number {
  if (found === null) return 0;
  const scale = found[2] === 'M' ? 1_000_000 : found[2] === 'k' ? 1000 : 1;
  return whole(Math.round(Number(found[1]!.replaceAll(',', '')) * scale)) ?? 0;
}
