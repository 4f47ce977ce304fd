/** Passes the lines of one log through its adapter and collects a batch. No I/O. */
import { isOwnCall } from '../../asked/index.js';
import type {
  Adapter,
  BadLine,
  Checkpoint,
  LogName,
  RawEntry,
  SessionFacts,
  Step,
  Usage,
} from '../../types.js';
import type { ParsedLine } from '../../watchers/index.js';

/** A raw entry with its place in the log. */
export interface PlacedRawEntry {
  raw: RawEntry;
  /** The time of the entry, if the raw entry has none. */
  time?: string | null;
  session: string;
  line: number;
  /** Index among the raw entries of its line. */
  block: number;
}

/** The entries since the last `cut`. */
export interface Gathered {
  rawEntries: PlacedRawEntry[];
  sessions: SessionFacts[];
  usage: (Usage & { session: string })[];
  bad: BadLine[];
}

/**
 * A batch is full at this many lines, bytes of log or characters of text: small batches need more
 * commits, large messages more copying.
 */
export const FULL = { lines: 2000, bytes: 4 * 1024 * 1024, characters: 1024 * 1024 };
/** Limit on bad lines with details in a batch; the count goes on. */
const TOLD = 100;

function emptyBatch(): Gathered {
  return { rawEntries: [], sessions: [], usage: [], bad: [] };
}

/** The contents of a checkpoint's `state`, as JSON. */
interface FoldState {
  /**
   * Another person may have written the log. The first field, since every scan reads it: see
   * `wasForeign`.
   */
  foreign?: true;
  adapter: unknown;
  /** Folder of the present session. */
  cwd: string | null;
  /** The latest known time of that session. */
  time?: string;
  /** The preparer's state. */
  equals: unknown;
  /** The session that is dripstone's own call to a model. */
  own?: string;
}

/** Number of unknown record types that are counted separately; the rest is `other`. */
const TYPES = 50;

interface FoldedLog {
  adapter: Adapter;
  name: LogName;
  path: string;
  /** Another person may have typed its prompts. */
  foreign: boolean;
  /**
   * Its last change, for sessions without any time; null if that means nothing, as for databases.
   */
  changed?: string | null;
  /** IANA name of the machine's time zone. */
  zone?: string;
  /** Sessions that have logs of their own: their texts are skipped here. */
  elsewhere?: readonly string[];
}

export class Fold {
  /** The preparer's part of the saved state at the beginning. */
  equals: unknown;
  /** Lines from excluded folders. */
  excluded = 0;
  private gathered = emptyBatch();
  private size = { lines: 0, bytes: 0, characters: 0 };
  private readonly unknown: Map<string, number>;
  private readonly present: Present;
  private readonly elsewhere: ReadonlySet<string>;
  private readonly utcOf: (told: string) => string;
  private state: unknown;
  private badLines: number;

  /**
   * @param saved the checkpoint to continue from, or null to start
   * @param isExcluded whether a folder is never read
   */
  constructor(
    private readonly log: FoldedLog,
    saved: Checkpoint | null,
    isExcluded: (folder: string) => boolean,
    private readonly full = FULL,
  ) {
    const before = restore(saved);
    const known = {
      session: saved?.session ?? null,
      cwd: before?.cwd ?? null,
      time: before?.time ?? null,
      own: before?.own ?? null,
    };
    this.equals = before?.equals ?? null;
    this.unknown = new Map(Object.entries(saved?.unknown_types ?? {}));
    this.present = new Present(known, isExcluded);
    this.elsewhere = new Set(log.elsewhere);
    this.utcOf = createZone(log.zone ?? 'UTC');
    this.state = before === null ? log.adapter.start(log.name) : before.adapter;
    this.badLines = saved?.bad_lines ?? 0;
  }

  /** Takes one line. */
  take(parsed: ParsedLine, at: { line: number; offset: number; bytes: number }): void {
    const { gathered, present } = this;
    this.size.lines += 1;
    this.size.bytes += at.bytes;
    if (parsed.bad !== null) this.blame({ ...at, reason: parsed.bad });
    let block = 0;
    for (const value of parsed.values) {
      const step = this.step(value, at);
      if (step === null) continue;
      if (step.unknown !== undefined) count(this.unknown, step.unknown);
      const facts = step.session;
      if (facts && present.enter(facts)) gathered.sessions.push(facts);
      if (step.at) present.time = this.utcOf(step.at);
      for (const raw of step.rawEntries) {
        const { session, time } = this.placeOf(raw.time);
        this.place(raw, { session, time, line: at.line, block: block++ });
      }
      for (const usage of step.usage ?? []) {
        const placed = this.placeOf(usage.time);
        if (!present.leavesOut(placed.session, null)) gathered.usage.push({ ...usage, ...placed });
      }
      if (present.isLeftOut()) this.excluded += 1;
    }
  }

  /** Records something in the log as bad that has no line of its own. */
  blame({ line, offset, reason }: { line: number; offset: number; reason: string }): void {
    this.badLines += 1;
    const { bad } = this.gathered;
    if (bad.length < TOLD) bad.push({ path: this.log.path, line, offset, reason });
  }

  /** Whether enough was collected for a batch. */
  isFull(): boolean {
    const { size, full } = this;
    return (
      size.lines >= full.lines || size.bytes >= full.bytes || size.characters >= full.characters
    );
  }

  /** No raw entry was collected. */
  isEmpty(): boolean {
    return this.gathered.rawEntries.length === 0;
  }

  /** Returns what was collected and starts again. */
  cut(): Gathered {
    const cut = this.gathered;
    this.gathered = emptyBatch();
    this.size = { lines: 0, bytes: 0, characters: 0 };
    return cut;
  }

  /** The fold's part of the checkpoint. */
  save(): Pick<Checkpoint, 'bad_lines' | 'unknown_types' | 'session'> & { state: FoldState } {
    const { session, cwd, own, time } = this.present;
    return {
      unknown_types: Object.fromEntries([...this.unknown].sort(([a], [b]) => (a < b ? -1 : 1))),
      bad_lines: this.badLines,
      session,
      state: {
        ...(this.log.foreign && { foreign: true }),
        adapter: this.state,
        cwd,
        equals: null,
        ...(own === null ? {} : { own }),
        ...(time === null ? {} : { time }),
      },
    };
  }

  /** Whether the folder of the present session is known. */
  knowsFolder(): boolean {
    return this.present.cwd !== null;
  }

  /** The present session, and the given or latest known time. */
  private placeOf(told: string | null): { session: string; time: string | null } {
    const { present, log } = this;
    if (told !== null) present.time = told;
    return {
      session: present.session ?? nameOf(log.name),
      time: present.time ?? log.changed ?? null,
    };
  }

  /** One record through the adapter; null when the adapter cannot read it. */
  private step(value: unknown, at: { line: number; offset: number }): Step<unknown> | null {
    try {
      const step = this.log.adapter.step(this.state, { value, line: at.line });
      this.state = step.state;
      return step;
    } catch (error) {
      // The message may quote the record, which is not redacted yet.
      this.blame({ ...at, reason: `the adapter cannot read it (${(error as Error).name})` });
      return null;
    }
  }

  /** Adds a raw entry, or leaves it out. */
  private place(raw: RawEntry, at: Omit<PlacedRawEntry, 'raw'>): void {
    const { gathered, present } = this;
    if (raw.role === 'user' && isOwnCall(raw.text)) {
      // Entries that were collected before its prompt are dropped, too.
      present.own = at.session;
      const isOthers = ({ session }: { session: string }): boolean => session !== at.session;
      gathered.rawEntries = gathered.rawEntries.filter(isOthers);
      gathered.sessions = gathered.sessions.filter(isOthers);
      gathered.usage = gathered.usage.filter(isOthers);
    }
    if (present.leavesOut(at.session, raw.cwd)) this.excluded += 1;
    else if (!this.elsewhere.has(at.session)) {
      this.size.characters += raw.text.length;
      gathered.rawEntries.push({ raw: this.log.foreign ? asForeign(raw) : raw, ...at });
    }
  }
}

/** Another person's log, for example one that came with a clone: this person typed none of it. */
function asForeign(raw: RawEntry): RawEntry {
  return raw.origin === 'user' ? { ...raw, origin: 'external' } : raw;
}

/**
 * Whether a log was read as another person's. It does not parse the state, since a scan checks
 * many.
 */
export function wasForeign({ state }: Pick<Checkpoint, 'state'>): boolean {
  return state.startsWith('{"foreign":true');
}

function restore(saved: Checkpoint | null): FoldState | null {
  return saved === null || saved.state === '' ? null : (JSON.parse(saved.state) as FoldState);
}

/** Type names come from outside: only plain ones are kept. */
function count(types: Map<string, number>, name: string): void {
  const plain = /^[\w./:-]{1,60}$/.test(name) ? name : 'other';
  const key = types.has(plain) || types.size < TYPES ? plain : 'other';
  types.set(key, (types.get(key) ?? 0) + 1);
}

/** A log that never names its session gets the file's name. */
function nameOf(name: LogName): string {
  return name.relative
    .split('/')
    .at(-1)!
    .replace(/\.(?:jsonl?(?:\.zst)?|md|txt)$/, '');
}

/** The session that a log is in at the moment, and whether anything of it may be kept. */
class Present {
  session: string | null;
  /** Its folder, once it is known. */
  cwd: string | null;
  /** Its latest known time. */
  time: string | null;
  /** The session that is dripstone's own call to a model. */
  own: string | null;
  private isShut: boolean;

  constructor(
    known: Pick<Present, 'session' | 'cwd' | 'time' | 'own'>,
    private readonly isExcluded: (folder: string) => boolean,
  ) {
    ({ session: this.session, cwd: this.cwd, time: this.time, own: this.own } = known);
    this.isShut = this.cwd !== null && isExcluded(this.cwd);
  }

  /** Takes facts about a session. Returns whether they may be kept. */
  enter(facts: SessionFacts): boolean {
    const folder = facts.cwd ?? facts.original_cwd ?? null;
    const isOther = facts.session !== this.session;
    if (isOther) [this.session, this.time] = [facts.session, null];
    if (isOther || (this.cwd === null && folder !== null)) {
      this.cwd = folder;
      this.isShut = folder !== null && this.isExcluded(folder);
    }
    if (facts.original_cwd && this.isExcluded(facts.original_cwd)) this.isShut = true;
    return !this.isLeftOut();
  }

  /** Whether nothing of the present session may be kept. */
  isLeftOut(): boolean {
    return this.isShut || (this.own !== null && this.own === this.session);
  }

  /** Whether a session's text from a folder must not be kept. */
  leavesOut(session: string, folder: string | null): boolean {
    return this.isShut || session === this.own || (folder !== null && this.isExcluded(folder));
  }
}

// Local times without a zone

const FIELDS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;
const DAY_MS = 86_400_000;

/**
 * Makes a function that converts a local time to UTC; a time with a zone stays. If the clock was
 * set back, the earlier of both moments counts; in a skipped hour the clock counts as not yet
 * changed.
 * @param zone IANA name
 */
function createZone(zone: string): (told: string) => string {
  let format: Intl.DateTimeFormat | null = null;
  /** How far the zone's clock is ahead of UTC at a moment, in ms. */
  const ahead = (moment: number): number => {
    // Making a formatter takes longer than reading a short log, and few logs need one.
    format ??= new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone: zone, hourCycle: 'h23' });
    const part = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    );
    const shown = Date.UTC(
      part.year!,
      part.month! - 1,
      part.day!,
      part.hour!,
      part.minute!,
      part.second!,
    );
    return shown - Math.floor(moment / 1000) * 1000;
  };
  return (told) => {
    if (told.endsWith('Z')) return told;
    const clock = Date.parse(`${told}Z`);
    const [before, after] = [ahead(clock - DAY_MS), ahead(clock + DAY_MS)];
    const moments = [before, after]
      .filter((offset) => ahead(clock - offset) === offset)
      .map((offset) => clock - offset);
    return new Date(moments.length === 0 ? clock - before : Math.min(...moments)).toISOString();
  };
}
