/**
 * `kill -9` of `dripstone run` at random moments while agents write on and a reader looks at what
 * is published.
 */
import { existsSync, readFileSync, watch } from 'node:fs';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { seeded, type Random } from '../redact/made-up.js';
import { createAuthor, type Author } from './author.js';
import { type Difference, NOTHING, compare, storedTexts, tierTexts } from './stored.js';
import { type Running, type Stage, setStage } from '../stage.js';

interface KillFigures {
  rounds: number;
  killed: number;
  /** Kills by the job that ran; `start` when none did. */
  during: Record<string, number>;
  logs: number;
  messages: number;
  /** Published files that were read while the program ran, and those that were not whole. */
  reads: number;
  torn: string[];
  /** Doubled texts at any look between the rounds. */
  doubledMeanwhile: string[];
  difference: Difference;
  /**
   * Kills aimed at a publication: while its temporary file was written, when a file had just
   * appeared, or a tier, whose row comes after it.
   */
  aimed: { writing: number; published: number; tier: number };
  /** Kills that left a tier on disk of which the database knew nothing, or an older state. */
  tierWithoutRow: number;
  /**
   * The same oracle over the tiers after the last run: every entry of these past days stands in
   * one.
   */
  tiers: Difference;
  /** Temporary files that are left after the last, whole run. */
  temps: string[];
  seconds: { longestOpen: number };
}

const NIGHT = 'run --only ingest,extract,context,rollup,decay,crystallize';
const JOBS = ['run --only ingest', 'run --only ingest,extract,rollup', 'run --only ingest', NIGHT];
/**
 * Things that agents do while one run lasts, at most: on a slow machine the logs would outgrow the
 * test.
 */
const STEPS = 12;
const STEP_MS = 40;

/** Why a published file is not whole, or null. */
function tornBy(path: string): string | null {
  try {
    if (path.endsWith('.jsonl.gz'))
      for (const line of gunzipSync(readFileSync(path)).toString().split('\n'))
        void (line === '' || JSON.parse(line));
    else if (path.endsWith('crystal.json')) JSON.parse(readFileSync(path, 'utf8'));
    else if (path.endsWith('.md') && !readFileSync(path, 'utf8').endsWith('\n'))
      return `${path}: no end`;
    return null;
  } catch (error) {
    // Moved between the listing and the reading: the next look finds it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? null
      : `${path}: ${(error as Error).message}`;
  }
}

const PUBLISHED = /(?:\.md|crystal\.json|\.jsonl\.gz)$/;
function isTemp(path: string): boolean {
  return /\/\.[^/]+\.tmp$/.test(path);
}

/** Agents write and a reader reads until the program has ended. */
async function liveOn(
  person: Stage,
  author: Author,
  random: Random,
  { ended }: Running,
  figures: KillFigures,
): Promise<void> {
  let over = false;
  void ended.then(() => (over = true));
  for (let steps = 0; !over; steps++) {
    if (steps < STEPS) author.step();
    const published = person
      .files('projects')
      .filter((path) => PUBLISHED.test(path) && !isTemp(path));
    for (let i = 0; i < Math.min(8, published.length); i++, figures.reads++) {
      const torn = tornBy(published[Math.floor(random() * published.length)]!);
      if (torn !== null) figures.torn.push(torn);
    }
    await pause(STEP_MS);
  }
}

type Aim = keyof KillFigures['aimed'] | 'time';
const AIMS: readonly Aim[] = ['writing', 'published', 'tier', 'tier', 'time'];
const AIMED_AT: Record<keyof KillFigures['aimed'], (path: string) => boolean> = {
  writing: isTemp,
  published: (path) => PUBLISHED.test(path) && !isTemp(path),
  tier: (path) => path.endsWith('.jsonl.gz'),
};

/**
 * Kills at the n-th sight of a temporary file, or of a published one; inotify tells within a
 * millisecond. Returns what stops the watching.
 */
function killAtFile(
  person: Stage,
  aim: Exclude<Aim, 'time'>,
  nth: number,
  { child }: Running,
  figures: KillFigures,
): () => void {
  const folder = `${person.stone}/projects`;
  if (!existsSync(folder)) return () => {};
  let seen = 0;
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name === null || !AIMED_AT[aim](`/${name}`) || ++seen !== nth) return;
    if (child.kill('SIGKILL')) figures.aimed[aim]++;
  });
  watcher.on('error', () => {}); // a folder that vanished under it
  return () => watcher.close();
}

async function countStrayTiers(person: Stage, figures: KillFigures): Promise<void> {
  const rows = await person
    .ask((db) => db.all<{ path: string; sha256: string }>('SELECT path, sha256 FROM own.tiers'))
    .catch(() => []);
  const known = new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  const stray = person
    .files('projects')
    .filter(
      (path) =>
        path.endsWith('.jsonl.gz') &&
        !path.includes('.empty') &&
        known.get(path) !== createHash('sha256').update(readFileSync(path)).digest('hex'),
    );
  if (stray.length > 0) figures.tierWithoutRow++;
}

async function countKill(person: Stage, figures: KillFigures): Promise<void> {
  if (!existsSync(`${person.stone}/memory.duckdb`))
    return void (figures.during['first start'] = (figures.during['first start'] ?? 0) + 1);
  const rows = await person
    .ask((db) => db.all<{ job: string }>(`SELECT job FROM job_runs WHERE outcome = 'running'`))
    .catch(() => []);
  const job = rows[0]?.job ?? 'start or end';
  figures.during[job] = (figures.during[job] ?? 0) + 1;
}

async function playRound(
  person: Stage,
  author: Author,
  random: Random,
  round: number,
  span: number,
  figures: KillFigures,
): Promise<void> {
  author.step();
  const args = JOBS[round % JOBS.length]!.split(' ');
  const standing = author.standing();
  const running = person.start(args);
  const aim: Aim = args.at(-1)!.includes('rollup')
    ? AIMS[Math.floor(random() * AIMS.length)]!
    : 'time';
  const timer =
    aim === 'time'
      ? setTimeout(() => running.child.kill('SIGKILL'), 50 + random() * span)
      : undefined;
  const stop =
    aim === 'time'
      ? () => {}
      : killAtFile(person, aim, 1 + Math.floor(random() * 6), running, figures);
  await liveOn(person, author, random, running, figures);
  clearTimeout(timer);
  stop();
  const { signal, code, err } = await running.ended;
  if (signal === 'SIGKILL') figures.killed++;
  else if (code !== 0)
    throw new Error(`round ${round}: \`dripstone ${args.join(' ')}\` ended with ${code}: ${err}`);
  if (signal !== 'SIGKILL') return author.safe(standing);
  await countKill(person, figures);
  await countStrayTiers(person, figures);
}

/** @param report called after each round of the long version */
export async function killRounds(
  rounds: number,
  seed: number,
  report?: (round: number, figures: KillFigures) => void,
): Promise<KillFigures> {
  const random = seeded(seed);
  const person = setStage({ isLive: true });
  const author = createAuthor(person, random, true);
  const figures: KillFigures = {
    rounds,
    killed: 0,
    during: {},
    logs: 0,
    messages: 0,
    reads: 0,
    torn: [],
    doubledMeanwhile: [],
    difference: NOTHING,
    aimed: { writing: 0, published: 0, tier: 0 },
    tierWithoutRow: 0,
    tiers: NOTHING,
    temps: [],
    seconds: { longestOpen: 0 },
  };
  for (let i = 0; i < 10; i++) author.step();
  // How long a whole run takes here decides when the kills fall.
  const begun = performance.now();
  await person.start(['run', '--only', 'ingest,extract']).ended;
  const span = performance.now() - begun;
  for (let round = 0; round < rounds; round++) {
    await playRound(person, author, random, round, span, figures);
    const opening = performance.now();
    figures.doubledMeanwhile.push(...compare(author.written, await storedTexts(person)).doubled);
    figures.seconds.longestOpen = Math.max(
      figures.seconds.longestOpen,
      (performance.now() - opening) / 1000,
    );
    report?.(round, figures);
  }
  author.finish();
  const last = await person.start(NIGHT.split(' ')).ended;
  if (last.code !== 0) throw new Error(`the last run ended with ${last.code}: ${last.err}`);
  figures.difference = compare(author.written, await storedTexts(person), author.gone);
  figures.tiers = compare(author.written, tierTexts(person), author.gone);
  figures.temps = person.files().filter(isTemp);
  figures.logs = author.logs();
  figures.messages = author.messages();
  return figures;
}
