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
import { shortHash } from '../../text/fingerprint.js';
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
 * A batch is full at so many lines, bytes of log or characters of text: smaller ones need more
 * commits, larger ones more copying.
 */
export const FULL = { lines: 2000, bytes: 4 * 1024 * 1024, characters: 1024 * 1024 };
/** Limit on bad lines with details in a batch; all are counted. */
const MOST_BAD_LINES = 100;

function emptyBatch(): Gathered {
  return { rawEntries: [], sessions: [], usage: [], bad: [] };
}

/** The contents of a checkpoint's `state`, as JSON. */
interface FoldState {
  /** Another person may have written the log. First field, because `wasReadAs` reads no other. */
  foreign?: true;
  /** The `excludes` for which the log is read anew when they change. Second field. */
  excludes?: string;
  adapter: unknown;
  /** Folder of the present session. */
  cwd: string | null;
  /** Latest known time of that session. */
  time?: string;
  /** The preparer's state. */
  equals: unknown;
  /** See `Present`. */
  leftOut?: string[];
  /** An earlier form of `leftOut`: the last own call. */
  own?: string;
}

/** Number of sessions that are left out and remembered for a log. */
const MOST_LEFT_OUT = 1000;
/** Number of unknown record types that are counted separately; the others count as `other`. */
const TYPES = 50;

interface FoldedLog {
  adapter: Adapter;
  name: LogName;
  path: string;
  /** Another person may have typed the prompts. */
  foreign: boolean;
  /** `excludesOf` the globs of `isExcluded`. */
  excludes?: string;
  /** Last change of the log, for sessions without times; null for databases. */
  changed?: string | null;
  /** IANA name of the machine's time zone. */
  zone?: string;
  /** Sessions with logs of their own: their texts are skipped here. */
  elsewhere?: readonly string[];
}

export class Fold {
  /** The preparer's part of the saved state. */
  equals: unknown;
  /** Number of lines from excluded folders. */
  excluded = 0;
  private gathered = emptyBatch();
  private size = { lines: 0, bytes: 0, characters: 0 };
  private readonly unknown: Map<string, number>;
  private readonly present: Present;
  private readonly elsewhere: ReadonlySet<string>;
  private readonly utcOf: (written: string) => string;
  private state: unknown;
  private badLines: number;
  private readonly wasCut: boolean;

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
      leftOut: new Set(before?.leftOut ?? (before?.own === undefined ? [] : [before.own])),
    };
    this.equals = before?.equals ?? null;
    this.unknown = new Map(Object.entries(saved?.unknown_types ?? {}));
    this.present = new Present(known, isExcluded);
    this.elsewhere = new Set(log.elsewhere);
    this.utcOf = createZone(log.zone ?? 'UTC');
    this.state = before === null ? log.adapter.start(log.name) : before.adapter;
    this.badLines = saved?.bad_lines ?? 0;
    this.wasCut = before?.excludes !== undefined;
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

  /** Records a bad part of the log that is not a line. */
  blame({ line, offset, reason }: { line: number; offset: number; reason: string }): void {
    this.badLines += 1;
    const { bad } = this.gathered;
    if (bad.length < MOST_BAD_LINES) bad.push({ path: this.log.path, line, offset, reason });
  }

  /** Whether there is enough for a batch. */
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

  /** Returns the collected entries and starts again. */
  cut(): Gathered {
    const cut = this.gathered;
    this.gathered = emptyBatch();
    this.size = { lines: 0, bytes: 0, characters: 0 };
    return cut;
  }

  /** The fold's part of the checkpoint. */
  save(): Pick<Checkpoint, 'bad_lines' | 'unknown_types' | 'session'> & { state: FoldState } {
    const { session, cwd, time } = this.present;
    const leftOut = [...this.present.leftOut].slice(-MOST_LEFT_OUT);
    // Only the first row of a session may name its folder, so databases are always read anew.
    const isCut = this.wasCut || this.excluded > 0 || this.log.changed === null;
    return {
      unknown_types: Object.fromEntries([...this.unknown].sort(([a], [b]) => (a < b ? -1 : 1))),
      bad_lines: this.badLines,
      session,
      state: {
        ...(this.log.foreign && { foreign: true }),
        ...(isCut && { excludes: this.log.excludes ?? '' }),
        adapter: this.state,
        cwd,
        equals: null,
        ...(leftOut.length === 0 ? {} : { leftOut }),
        ...(time === null ? {} : { time }),
      },
    };
  }

  /** Whether the folder of the present session is known. */
  knowsFolder(): boolean {
    return this.present.cwd !== null;
  }

  /** The present session, and the given or latest known time. */
  private placeOf(written: string | null): { session: string; time: string | null } {
    const { present, log } = this;
    if (written !== null) present.time = written;
    return {
      session: present.session ?? nameOf(log.name),
      time: present.time ?? log.changed ?? null,
    };
  }

  /** Passes a record through the adapter; null if the adapter cannot read it. */
  private step(value: unknown, at: { line: number; offset: number }): Step<unknown> | null {
    try {
      const step = this.log.adapter.step(this.state, { value, line: at.line });
      this.state = step.state;
      return step;
    } catch (error) {
      // The message may quote the record, which is not masked yet.
      this.blame({ ...at, reason: `the adapter cannot read it (${(error as Error).name})` });
      return null;
    }
  }

  /** Adds a raw entry, or leaves it out. */
  private place(raw: RawEntry, at: Omit<PlacedRawEntry, 'raw'>): void {
    const { gathered, present } = this;
    if (raw.role === 'user' && isOwnCall(raw.text)) {
      // Drops also entries that came before the prompt.
      present.leftOut.add(at.session);
      const isOthers = ({ session }: { session: string }): boolean => session !== at.session;
      gathered.rawEntries = gathered.rawEntries.filter(isOthers);
      gathered.sessions = gathered.sessions.filter(isOthers);
      gathered.usage = gathered.usage.filter(isOthers);
    }
    if (present.leavesOut(at.session, raw.cwd)) this.excluded += 1;
    else if (!this.elsewhere.has(at.session)) {
      this.size.characters += raw.text.length;
      const own = this.log.foreign ? asForeign(raw) : raw;
      // A database's row is read again, and must not become the second entry with its text.
      const isNameless = raw.native === null && this.log.changed === null;
      const native = `${at.session}:${at.line}:${at.block}`;
      gathered.rawEntries.push({ raw: isNameless ? { ...own, native } : own, ...at });
    }
  }
}

/** For a log of another person, such as one in a clone: this person typed none of it. */
function asForeign(raw: RawEntry): RawEntry {
  return raw.origin === 'user' ? { ...raw, origin: 'external' } : raw;
}

/** Names a list of globs. */
export function excludesOf(globs: readonly string[]): string {
  return shortHash(JSON.stringify(globs));
}

/**
 * Whether a log would be read in the same way: the same person typed it, and what was left out is
 * still excluded. Scans check many, so this parses no state.
 */
export function wasReadAs(
  { state }: Pick<Checkpoint, 'state'>,
  foreign: boolean,
  excludes: string,
) {
  const [, before] = /^\{(?:"foreign":true,)?"excludes":"([^"]*)"/.exec(state) ?? [];
  return state.startsWith('{"foreign":true') === foreign && (before ?? excludes) === excludes;
}

function restore(saved: Checkpoint | null): FoldState | null {
  return saved === null || saved.state === '' ? null : (JSON.parse(saved.state) as FoldState);
}

/** Type names come from logs, so only plain ones are kept. */
function count(types: Map<string, number>, name: string): void {
  const plain = /^[\w./:-]{1,60}$/.test(name) ? name : 'other';
  const key = types.has(plain) || types.size < TYPES ? plain : 'other';
  types.set(key, (types.get(key) ?? 0) + 1);
}

/** The file's name, for a log without a session name. */
function nameOf(name: LogName): string {
  return name.relative
    .split('/')
    .at(-1)!
    .replace(/\.(?:jsonl?(?:\.zst)?|md|txt)$/, '');
}

/** The present session of a log, and whether its content may be kept. */
class Present {
  session: string | null;
  /** Its folder, if known. */
  cwd: string | null;
  /** Its latest known time. */
  time: string | null;
  /**
   * Sessions of excluded folders, since not every record names its folder, and dripstone's own calls
   * to a model.
   */
  readonly leftOut: Set<string>;

  constructor(
    known: Pick<Present, 'session' | 'cwd' | 'time' | 'leftOut'>,
    private readonly isExcluded: (folder: string) => boolean,
  ) {
    ({ session: this.session, cwd: this.cwd, time: this.time, leftOut: this.leftOut } = known);
    if (this.session !== null) this.leaveOutIf(this.session, this.cwd);
  }

  /** Takes facts about a session; returns whether they may be kept. */
  enter({ session, cwd, original_cwd }: SessionFacts): boolean {
    const folder = cwd ?? original_cwd ?? null;
    const isOther = session !== this.session;
    if (isOther) [this.session, this.time] = [session, null];
    if (isOther || (this.cwd === null && folder !== null)) {
      this.cwd = folder;
      this.leaveOutIf(session, folder);
    }
    this.leaveOutIf(session, original_cwd ?? null);
    return !this.isLeftOut();
  }

  /** Whether nothing of the present session may be kept. */
  isLeftOut(): boolean {
    return this.session !== null && this.leftOut.has(this.session);
  }

  /** Whether a session's text from a folder must not be kept. */
  leavesOut(session: string, folder: string | null): boolean {
    return this.leftOut.has(session) || (folder !== null && this.isExcluded(folder));
  }

  private leaveOutIf(session: string, folder: string | null): void {
    if (folder !== null && this.isExcluded(folder)) this.leftOut.add(session);
  }
}

// Converts local times without a zone.

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
 * Makes a function that converts a local time to UTC; a time with a zone stays. A repeated hour
 * counts as the earlier one; a time in a skipped hour counts as before the change.
 * @param zone IANA name
 */
function createZone(zone: string): (written: string) => string {
  let format: Intl.DateTimeFormat | null = null;
  /** Offset of the zone's clock from UTC at a moment, in ms. */
  const ahead = (moment: number): number => {
    // Made on demand: this takes longer than reading a short log, and few logs need it.
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
  return (written) => {
    if (written.endsWith('Z')) return written;
    const clock = Date.parse(`${written}Z`);
    const [before, after] = [ahead(clock - DAY_MS), ahead(clock + DAY_MS)];
    const moments = [before, after]
      .filter((offset) => ahead(clock - offset) === offset)
      .map((offset) => clock - offset);
    return new Date(moments.length === 0 ? clock - before : Math.min(...moments)).toISOString();
  };
}
