/**
 * A month of a daemon's life in minutes: agents at work by day, nights, weekends, sleep, clocks
 * that jump, kills, a person at the database.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seeded, type Random } from '../redact/made-up.js';
import { FEW_ARENAS } from '../../src/supervisor/program.js';
import { createAuthor, type Author } from './author.js';
import {
  compare,
  makePerson,
  sizeOf,
  storedTexts,
  type Difference,
  type Person,
} from './person.js';
import { tierTexts } from './tier-texts.js';

const DAEMON = fileURLToPath(new URL('./children/daemon.mjs', import.meta.url));
const HOLD = fileURLToPath(new URL('./children/hold.mjs', import.meta.url));
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** The time that does not exist in spring and exists twice in autumn. */
const NIGHT = '02:30';
const KEPT_DAYS = 30;

export interface Sample {
  day: string;
  rss: number;
  /** Of the database file per stored message. */
  bytesPerMessage: number;
}

export interface SoakFigures {
  days: number;
  messages: number;
  kills: number;
  sleeps: number;
  jumps: number;
  holds: number;
  logsDeleted: number;
  nights: number;
  /** Nights that had begun and were not done, and those done more than once. */
  missed: string[];
  repeated: string[];
  difference: Difference;
  doubledMeanwhile: string[];
  /** Every message of a closed day stands in a tier, once. */
  tiers: Difference;
  samples: Sample[];
  logBytes: number;
  leftovers: string[];
  stopMs: number;
  stopCode: number | null;
}

interface Settled {
  now: number;
  rss: number;
  errors: string[];
}

/** The daemon as a child, restarted after each kill, and the clock that it lives by. */
class Life {
  private child: ChildProcess | null = null;
  rss = 0;
  constructor(
    private readonly person: Person,
    private wall: number,
  ) {}

  async start(): Promise<void> {
    // As the service starts it.
    const child = fork(DAEMON, [String(this.wall)], {
      env: { ...this.person.env, ...FEW_ARENAS, TZ: process.env['TZ'] ?? '' },
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    await once(child, 'message');
  }

  now = (): Date => new Date(this.wall);

  /** Lets time pass; `mono` is what the machine was awake for. */
  async pass(wall: number, mono = wall): Promise<void> {
    this.wall += wall;
    const answer = once(this.child!, 'message') as Promise<[Settled]>;
    this.child!.send({ wall, mono, beat: Math.max(mono, 1000) });
    const [{ now, rss }] = await answer;
    this.wall = now;
    this.rss = rss;
  }

  /** Time passes, and the process dies somewhere in it. */
  async kill(afterMs: number): Promise<void> {
    this.child!.send({ wall: HOUR, mono: HOUR, beat: HOUR });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const ended = once(this.child!, 'exit');
    this.child!.kill('SIGKILL');
    await ended;
    this.wall += HOUR;
    await this.start();
  }

  async stop(): Promise<{ ms: number; code: number | null }> {
    const begun = performance.now();
    const ended = once(this.child!, 'exit') as Promise<[number | null]>;
    this.child!.kill('SIGTERM');
    const [code] = await ended;
    return { ms: Math.round(performance.now() - begun), code };
  }

  end(): void {
    this.child?.kill('SIGKILL');
  }
}

/**
 * The local date of the newest night that has begun, reckoned by hand: what the daemon must have
 * done.
 */
function nightAt(now: Date): string {
  const [hour, minute] = NIGHT.split(':').map(Number) as [number, number];
  const begun = now.getHours() * 60 + now.getMinutes() >= hour * 60 + minute;
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (begun ? 0 : 1), 12);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

class Month {
  readonly figures: SoakFigures;
  readonly life: Life;
  private readonly author: Author;
  private readonly seen = new Set<string>();
  private last = '';
  private readonly done = new Map<number, string>();

  constructor(
    private readonly person: Person,
    private readonly random: Random,
    days: number,
    start: string,
  ) {
    this.life = new Life(person, Date.parse(start));
    this.author = createAuthor(person, random, {
      time: () => this.life.now().toISOString(),
      active: 6,
    });
    const none: Difference = { lost: [], doubled: [], extra: [] };
    this.figures = {
      days,
      messages: 0,
      kills: 0,
      sleeps: 0,
      jumps: 0,
      holds: 0,
      logsDeleted: 0,
      nights: 0,
      missed: [],
      repeated: [],
      difference: none,
      doubledMeanwhile: [],
      tiers: none,
      samples: [],
      logBytes: 0,
      leftovers: [],
      stopMs: 0,
      stopCode: null,
    };
  }

  private chance = (part: number): boolean => this.random() < part;

  /** A night that had begun at two looks in a row has been noticed. */
  private async pass(wall: number, mono = wall): Promise<void> {
    await this.life.pass(wall, mono);
    const night = nightAt(this.life.now());
    if (night === this.last) this.seen.add(night);
    this.last = night;
  }

  private work(steps: number): void {
    for (let i = 0; i < steps; i++) this.author.step();
  }

  /** @param calm no kills any more, so that one process lives long enough to be measured */
  async day(calm: boolean): Promise<void> {
    const weekday = this.life.now().getDay();
    if (weekday === 0 || weekday === 6) await this.weekend();
    else for (let hour = 8; hour < 20; hour += 3) await this.moment(calm);
    this.figures.logsDeleted += this.author.clean(
      new Date(this.life.now().getTime() - KEPT_DAYS * DAY).toISOString(),
    );
    await this.night();
    await this.look();
  }

  private async moment(calm: boolean): Promise<void> {
    this.work(1 + Math.floor(this.random() * 4));
    if (!calm && this.chance(0.08)) {
      this.figures.kills++;
      await this.life.kill(this.random() * 800);
    } else if (this.chance(0.05)) await this.hold();
    else if (this.chance(0.06)) await this.jump();
    await this.pass(MINUTE);
    this.work(1);
    await this.pass(3 * HOUR - MINUTE);
  }

  private async weekend(): Promise<void> {
    if (!this.chance(0.5)) return this.pass(12 * HOUR);
    this.figures.sleeps++;
    await this.pass(12 * HOUR, 0);
  }

  /** From eight in the evening to eight in the morning, awake or asleep. */
  private async night(): Promise<void> {
    if (this.chance(0.4)) {
      this.figures.sleeps++;
      await this.pass(12 * HOUR, 0);
    } else for (let hour = 0; hour < 12; hour += 3) await this.pass(3 * HOUR);
    await this.pass(MINUTE);
    await this.pass(MINUTE);
  }

  /** The clock is wrong for an hour, by hours or days, either way. */
  private async jump(): Promise<void> {
    this.figures.jumps++;
    const by = [-3 * HOUR, 5 * HOUR, -2 * DAY, 3 * DAY][Math.floor(this.random() * 4)]!;
    await this.pass(by, 0);
    this.work(1);
    await this.pass(MINUTE);
    await this.pass(HOUR);
    await this.pass(-by, 0);
    await this.pass(MINUTE);
  }

  /** A person's shell on the database for ten minutes, while agents go on. */
  private async hold(): Promise<void> {
    this.figures.holds++;
    await this.pass(10_000);
    const child = spawn(
      process.execPath,
      [HOLD, join(this.person.stone, 'memory.duckdb'), 'read-write'],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    for (let minute = 0; minute < 10; minute++) {
      this.work(1);
      await this.life.pass(MINUTE);
    }
    child.stdin.write('go\n');
    await once(child, 'exit');
    for (let i = 0; i < 3; i++) await this.pass(MINUTE);
  }

  private async look(): Promise<void> {
    const stored = await storedTexts(this.person);
    this.figures.doubledMeanwhile.push(...compare(this.author.written, stored).doubled);
    const runs = await this.person.ask((db) =>
      db.all<{ id: number; job: string; period: string }>(
        `SELECT id, job, period FROM own.job_runs WHERE outcome IN ('ok', 'partial') AND period IS NOT NULL`,
      ),
    );
    for (const { id, job, period } of runs) this.done.set(id, `${job} ${period}`);
    const messages = [...stored.values()].reduce((sum, n) => sum + n, 0);
    this.figures.samples.push({
      day: this.life.now().toISOString().slice(0, 10),
      rss: this.life.rss,
      bytesPerMessage: Math.round(sizeOf(join(this.person.stone, 'memory.duckdb')) / messages),
    });
  }

  async end(): Promise<void> {
    const { figures, person, author } = this;
    author.finish();
    // Two more nights: every day is closed, half a line that stood still has been taken.
    for (let i = 0; i < 8; i++) await this.pass(6 * HOUR);
    await this.look();
    const { ms, code } = await this.life.stop();
    Object.assign(figures, { stopMs: ms, stopCode: code, messages: author.messages() });
    figures.difference = compare(author.written, await storedTexts(person));
    figures.tiers = compare(author.written, tierTexts(person));
    const all = [...this.done.values()];
    figures.nights = this.seen.size;
    for (const night of this.seen) {
      for (const job of ['rollup', 'decay', 'crystallize']) {
        const times = all.filter((each) => each === `${job} ${night}`).length;
        if (times === 0) figures.missed.push(`${job} ${night}`);
        if (times > 1) figures.repeated.push(`${job} ${night}`);
      }
    }
    figures.logBytes = person.files('logs').reduce((sum, path) => sum + sizeOf(path), 0);
    figures.leftovers = person
      .files()
      .filter((path) => /\.tmp$|\/nudges\/|daemon\.json$/.test(path));
  }
}

/**
 * @param start ISO time of the first morning
 * @param report called after each day
 */
export async function soakMonth(
  days: number,
  seed: number,
  start: string,
  report?: (day: number, figures: SoakFigures) => void,
): Promise<SoakFigures> {
  const person = makePerson({ config: `schedule: {nightly_at: "${NIGHT}"}\n` });
  const month = new Month(person, seeded(seed), days, start);
  try {
    await month.life.start();
    for (let day = 0; day < days; day++) {
      await month.day(day >= days * 0.6);
      report?.(day, month.figures);
    }
    await month.end();
    return month.figures;
  } finally {
    month.life.end();
    person.remove();
  }
}
