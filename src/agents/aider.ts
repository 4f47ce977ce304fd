/**
 * Aider's chat history, `.aider.chat.history.md` in the project's folder: a Markdown text that grows at its end.
 *
 * - `# aider chat started at 2026-06-24 10:11:12` begins a run. The time is local, without a zone, and the only one in the
 *   file. All entries of the run have it.
 * - Lines by the program end in two spaces: prompts (`#### use tabs `) and notes (`> Applied edit to a.py `). Everything else
 *   is the answer, appended at once. An answer may contain headings, quotes and other histories: inside an open code fence only
 *   the program's closing notes (`> Tokens: …`) end it.
 * - `/ask x` is logged twice, as typed and as `x`; both become one prompt. Other commands are settings, not prompts.
 * - Commands, edits and commits appear in the program's notes, without ids, output or exit status.
 *
 * It is read as a page, since reading lines would keep parts of answers, which may contain secrets, in the state. Ids
 * consist of role and text within the run, so reading it again gives the same ids.
 */
import { agent, type Event } from './engine.js';
import { linesOf, short, text as textOf, whole, zonelessTime } from '../text/fields.js';
import { fenceAfter } from '../text/code.js';

type Kind = 'start' | 'prompt' | 'answer' | 'note';

interface Block {
  kind: Kind;
  lines: string[];
}

interface More {
  model: string | null;
  /** Whether a prompt or answer came after the last stop, so that there is one to stop. */
  isActive: boolean;
  /** Answers with known token counts. */
  answers: number;
}

const HISTORY = '.aider.chat.history.md';

export const aider = agent<More>({
  agent: 'aider',
  title: 'Aider',
  places: [
    { env: null, root: 'repositories', under: '', globs: [HISTORY, `*/${HISTORY}`], named: true },
  ],
  shape: () => 'page',
  unfold,
  ownTools: 'shell edit',
  tags: null,
  begin: ({ folder }) => ({ cwd: short(folder) }),
  more: { model: null, isActive: false, answers: 0 },
  read(block, { facts, more }) {
    const text = textOf(block.text)?.trim() ?? '';
    const found = START.exec(text);
    switch (text === '' ? null : block.kind) {
      case 'start': {
        const session = found && `${found[1]}T${found[2]}`;
        if (session === null) return [];
        return {
          events: [
            { is: 'session', session, cwd: facts.cwd ?? null },
            { is: 'time', at: zonelessTime(session) },
          ],
          more: { ...more, isActive: false, answers: 0 },
        };
      }
      case 'note':
        return noteEvents(text, facts.session, more);
      case 'prompt':
        return { events: [promptEvent(text)], more: { ...more, isActive: true } };
      case 'answer':
        return { events: answerEvents(text), more: { ...more, isActive: true } };
      default:
        return text === '' ? [] : [{ is: 'unknown', type: 'record' }];
    }
  },
});

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
    // Each note is a separate block, since another note may follow at any time.
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

/** Commands with a prompt, which the log repeats after them. */
const MODES = /^\/(?:ask|code|architect|context|help)\s+([\s\S]+)$/;

function withoutEchoes(blocks: readonly Block[]): unknown[] {
  let isEcho: string | null = null;
  return blocks.flatMap(({ kind, lines }): unknown[] => {
    if (kind !== 'prompt') {
      if (kind !== 'note') isEcho = null;
      return [{ kind, text: lines.join('\n') }];
    }
    // A block contains all prompts without an answer between them, separated by blank lines.
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

const SHELL = /^(?:!|\/(?:run|test)\s)\s*([\s\S]+)$/;
/**
 * Prompts that the program writes: its questions with the answers, and requests from comments in
 * files.
 */
const MADE =
  /\(Y\)es\/\(N\)o|^<blank>$|^I've written your instructions in comments|^The "ai" comments below/;

function promptEvent(text: string): Event {
  const command = SHELL.exec(text)?.[1]?.trim() ?? null;
  if (command !== null)
    return { is: 'call', call: null, tool: 'shell', input: { command }, by: 'user' };
  if (MADE.test(text)) return { is: 'prompt', text, by: 'injected' };
  return /^\/\w/.test(text)
    ? { is: 'prompt', text, by: 'injected', mark: 'command' }
    : { is: 'prompt', text };
}

/** A model's thoughts in a tag; a stopped answer may end inside the tag. */
const THOUGHT = /<(thinking-content-[\da-f]{32})>([\s\S]*?)(?:<\/\1>|$)/g;

function answerEvents(text: string): Event[] {
  const thoughts = [...text.matchAll(THOUGHT)].map(({ 2: thought = '' }) => thought.trim());
  const withoutThought = text.replace(THOUGHT, '').trim();
  return [
    ...thoughts.map((thought): Event => ({ is: 'thought', text: thought })),
    ...(withoutThought === ''
      ? []
      : [{ is: 'answer', text: withoutThought, final: true } as const]),
  ];
}

/** The events of the program's notes. */
function noteEvents(text: string, session: string, before: More): { events: Event[]; more: More } {
  const note = text.replace(/^> ?/gm, '').replace(/(?<! ) +$/gm, '');
  const find = (pattern: RegExp): string | null => short(pattern.exec(note)?.[1]);
  const model = find(/^(?:Main model|Model): (\S+) with /m) ?? before.model;
  const [version, cwd] = [find(/^Aider v(\S+)$/m), find(/^Git working dir: (.+)$/m)];
  const usage = usageEvents(note, session, { ...before, model });
  const isStop = /^\^C/m.test(note) && before.isActive;
  return {
    events: [
      { is: 'session', version, cwd },
      { is: 'notice', text: note },
      ...linesOf(note).flatMap(actionEvents),
      ...(isStop ? [{ is: 'notice', mark: 'interrupt' } as const] : []),
      ...usage,
    ],
    more: { model, isActive: before.isActive && !isStop, answers: before.answers + usage.length },
  };
}

function actionEvents(line: string): Event[] {
  const [, verb, what] = /^(Applied edit to|Running) (.+)$/.exec(line) ?? [];
  if (verb === undefined) return [];
  return verb === 'Running'
    ? [{ is: 'call', call: null, tool: 'shell', input: { command: what } }]
    : [{ is: 'call', call: null, tool: 'edit', input: { path: what } }];
}

const TOKENS = /^Tokens: (.+?)\.?(?: Cost: \$([\d.]+) message\b.*)?$/gm;

/**
 * `Tokens: 5.2k sent, 3k cache write, 2k cache hit, 1.1k received. Cost: $0.02 message, $0.05
 * session.`
 */
function usageEvents(note: string, session: string, { model, answers }: More): Event[] {
  if (session === '') return [];
  return [...note.matchAll(TOKENS)].map(([, tokens = '', cost = ''], at): Event => {
    const tokensOf = (name: string): number =>
      countOf(new RegExp(`([\\d.,]+)([kM]?) ${name}`).exec(tokens));
    return {
      ...{ is: 'usage', native: `${session}#${answers + at}`, model, input: tokensOf('sent') },
      ...{ cacheRead: tokensOf('cache hit'), cacheWrite: tokensOf('cache write') },
      ...{ output: tokensOf('received'), cost: Number(cost.replace(/\.$/, '')) },
    };
  });
}

function countOf(found: RegExpExecArray | null): number {
  if (found === null) return 0;
  const scale = found[2] === 'M' ? 1_000_000 : found[2] === 'k' ? 1000 : 1;
  return whole(Math.round(Number(found[1]!.replaceAll(',', '')) * scale)) ?? 0;
}
