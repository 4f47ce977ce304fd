/**
 * Search as one types, by keyboard alone: `dripstone search` without a query at a person's
 * terminal.
 */
import { userHomeOf } from '../../config.js';
import { AppError } from '../../errors.js';
import type { Hit } from '../../types.js';
import type { Io, Key, Typed } from '../command.js';
import { type Finding, renderFinder } from './finder-view.js';
import { type Screen, showsColour } from './screen.js';

/** What a query gives. */
export interface Findings {
  hits: Hit[];
  note: string;
}

type Find = (query: string) => Promise<Findings>;

/** So long after the last key a query is asked: people who type fast press a key every 100 ms. */
const QUIET_MS = 60;

/**
 * The other screen of the terminal, without breaking lines by itself, and with what is pasted
 * marked as such. What was typed before that stands echoed on the present line.
 */
const ENTER = '\r\u001b[K\u001b[?1049h\u001b[?7l\u001b[?2004h';
const LEAVE = '\u001b[?2004l\u001b[?7h\u001b[?1049l';

const WELCOME = 'type words to search for';
const NOTHING: Findings = { hits: [], note: WELCOME };

/**
 * Lets a person type a query and choose one of its hits.
 * @param better when the same query would be answered better than before
 * @returns null when they end it without one
 */
export function findAsTyped(io: Io, find: Find, better: Promise<void>): Promise<Hit | null> {
  return new Finder(io, find).run(better);
}

class Finder {
  private finding: Finding = { line: '', at: 0, chosen: 0, ...NOTHING };
  private screen: Screen;
  /** What the shown hits answer. */
  private asked = '';
  /** It is to be asked again. */
  private isStale = false;
  private isSearching = false;
  /** Enter was pressed before the answer came. */
  private isAccepted = false;
  private isPasting = false;
  private isEnded = false;
  private timer: NodeJS.Timeout | undefined;
  private end!: (hit: Hit | null) => void;
  private fail!: (error: unknown) => void;

  constructor(
    private readonly io: Io,
    private readonly find: Find,
  ) {
    this.screen = io.screen ?? { columns: 80, rows: 24 };
  }

  async run(better: Promise<void>): Promise<Hit | null> {
    const { io } = this;
    const ended = new Promise<Hit | null>(
      (resolve, reject) => ([this.end, this.fail] = [resolve, reject]),
    );
    const interrupt = (): void => this.end(null);
    io.signal.addEventListener('abort', interrupt, { once: true });
    if (io.signal.aborted) interrupt();
    const stop = io.typing!((typed) => this.take(typed));
    io.paint!(ENTER);
    void better.then(() => this.searchAgain());
    try {
      this.draw();
      return await ended;
    } finally {
      this.isEnded = true;
      clearTimeout(this.timer);
      io.signal.removeEventListener('abort', interrupt);
      stop();
      io.paint!(LEAVE);
    }
  }

  private get query(): string {
    return this.finding.line.trim();
  }

  private take(typed: Typed): void {
    if (this.isEnded) return;
    if ('columns' in typed) this.screen = typed;
    else if (isEnd(typed, this.finding.line)) return this.end(null);
    else if (typed.name === 'paste-start' || typed.name === 'paste-end')
      this.isPasting = typed.name === 'paste-start';
    else if (isEnter(typed) && !this.isPasting) return this.accept();
    else
      this.press(isEnter(typed) ? { name: 'space', text: ' ', ctrl: false, meta: false } : typed);
    this.draw();
  }

  private press(key: Key): void {
    const { hits, chosen } = this.finding;
    const step = stepOf(key);
    this.isAccepted = false;
    if (step !== 0) this.finding.chosen = Math.max(0, Math.min(hits.length - 1, chosen + step));
    else {
      const before = this.query;
      this.finding = { ...this.finding, ...edited(this.finding, key) };
      if (this.query === before) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.search(), QUIET_MS);
    }
  }

  /** The chosen hit, once the shown hits answer what is typed. */
  private accept(): void {
    const { hits, chosen } = this.finding;
    this.isAccepted = this.query !== this.asked;
    if (this.isAccepted) void this.search();
    else if (hits[chosen] !== undefined) this.end(hits[chosen]);
  }

  /** One query at a time: what is typed meanwhile is asked next, and nothing between. */
  private async search(): Promise<void> {
    if (this.isSearching) return;
    this.isSearching = true;
    try {
      while ((this.query !== this.asked || this.isStale) && !this.isEnded) {
        const query = this.query;
        this.isStale = false;
        const found = query === '' ? NOTHING : await this.find(query).catch(tellError);
        // A better answer to the same query moves nothing under the person's hands.
        const kept =
          query === this.asked
            ? found.hits.findIndex(({ id }) => id === this.finding.hits[this.finding.chosen]?.id)
            : -1;
        this.asked = query;
        // A line that was emptied meanwhile shows no hits of what it held.
        this.finding = {
          ...this.finding,
          ...(this.query === '' ? NOTHING : found),
          chosen: Math.max(0, kept),
        };
        if (!this.isEnded) this.draw();
      }
      if (this.isAccepted) this.accept();
    } catch (error) {
      this.fail(error);
    } finally {
      this.isSearching = false;
    }
  }

  private searchAgain(): void {
    if (this.isEnded || this.query === '') return;
    this.isStale = true;
    void this.search();
  }

  private draw(): void {
    const { env } = this.io;
    const { lines, cursor } = renderFinder(this.finding, this.screen, {
      userHome: userHomeOf(env),
      colour: showsColour(env),
    });
    const rows = lines.map((line) => `\u001b[2K${line}`).join('\r\n');
    // At the end of a full line it would erase that line's last sign.
    const rest = lines.length < this.screen.rows ? '\r\n\u001b[J' : '';
    this.io.paint!(`\u001b[?25l\u001b[H${rows}${rest}\u001b[1;${cursor + 1}H\u001b[?25h`);
  }
}

/** A store that is busy for a moment ends nothing: the next key asks again. */
function tellError(error: unknown): Findings {
  if (!(error instanceof AppError)) throw error;
  return { hits: [], note: error.message };
}

function isEnter({ name }: Key): boolean {
  return name === 'return' || name === 'enter';
}

function isEnd({ name, ctrl }: Key, line: string): boolean {
  return name === 'escape' || (ctrl && (name === 'c' || (name === 'd' && line === '')));
}

const PAGE = 5;

function stepOf({ name, ctrl }: Key): number {
  if (name === 'up' || (ctrl && name === 'p')) return -1;
  if (name === 'down' || (ctrl && name === 'n')) return 1;
  return name === 'pageup' ? -PAGE : name === 'pagedown' ? PAGE : 0;
}

/**
 * The line and its cursor after a key: what shells take for editing, and every sign that can be
 * typed. Pure.
 */
export function edited(
  { line, at }: Pick<Finding, 'line' | 'at'>,
  key: Key,
): Pick<Finding, 'line' | 'at'> {
  const [before, after] = [line.slice(0, at), line.slice(at)];
  const previous = before.replace(/[\s\S]$/u, '');
  const next = at + after.length - after.replace(/^[\s\S]/u, '').length;
  const name = key.ctrl ? `ctrl-${key.name}` : key.name;
  if (name === 'left' || name === 'ctrl-b') return { line, at: previous.length };
  if (name === 'right' || name === 'ctrl-f') return { line, at: next };
  if (name === 'home' || name === 'ctrl-a') return { line, at: 0 };
  if (name === 'end' || name === 'ctrl-e') return { line, at: line.length };
  if (name === 'backspace' || name === 'ctrl-h')
    return { line: previous + after, at: previous.length };
  if (name === 'delete' || name === 'ctrl-d') return { line: before + line.slice(next), at };
  if (name === 'ctrl-u') return { line: after, at: 0 };
  if (name === 'ctrl-k') return { line: before, at };
  const word = before.replace(/\S+\s*$/, '');
  if (name === 'ctrl-w') return { line: word + after, at: word.length };
  const isSign = !key.ctrl && !key.meta && key.text !== '' && !/\p{Cc}/u.test(key.text);
  return isSign ? { line: before + key.text + after, at: at + key.text.length } : { line, at };
}
