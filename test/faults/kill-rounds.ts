/** `kill -9` of `dripstone run` at random moments while agents write on and a reader looks at what is published. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { seeded, type Random } from '../redact/made-up.js';
import { createAuthor, type Author } from './author.js';
import { compare, makePerson, storedTexts, type Difference, type Person, type Running } from './person.js';

export interface KillFigures {
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
  /** Temporary files that are left after the last, whole run. */
  temps: string[];
  seconds: { longestOpen: number };
}

const JOBS = ['run --only ingest', 'run --only ingest,extract,rollup', 'run --only ingest', 'run --only ingest,extract,context,rollup,decay,crystallize'];
/** Things that agents do while one run lasts, at most: on a slow machine the logs would outgrow the test. */
const STEPS = 40;
const STEP_MS = 40;

/** Why a published file is not whole, or null. */
const tornBy = (path: string): string | null => {
  try {
    if (path.endsWith('.jsonl.gz')) for (const line of gunzipSync(readFileSync(path)).toString().split('\n')) void (line === '' || JSON.parse(line));
    else if (path.endsWith('crystal.json')) JSON.parse(readFileSync(path, 'utf8'));
    else if (path.endsWith('.md') && !readFileSync(path, 'utf8').endsWith('\n')) return `${path}: no end`;
    return null;
  } catch (error) {
    // Moved between the listing and the reading: the next look finds it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : `${path}: ${(error as Error).message}`;
  }
};

const PUBLISHED = /(?:\.md|crystal\.json|\.jsonl\.gz)$/;
const isTemp = (path: string): boolean => /\/\.[^/]+\.tmp$/.test(path);

/** Agents write and a reader reads until the program has ended. */
const liveOn = async (person: Person, author: Author, random: Random, { ended }: Running, figures: KillFigures): Promise<void> => {
  let over = false;
  void ended.then(() => (over = true));
  for (let steps = 0; !over; steps++) {
    if (steps < STEPS) author.step();
    const published = person.files('projects').filter((path) => PUBLISHED.test(path) && !isTemp(path));
    for (let i = 0; i < Math.min(8, published.length); i++, figures.reads++) {
      const torn = tornBy(published[Math.floor(random() * published.length)]!);
      if (torn !== null) figures.torn.push(torn);
    }
    await pause(STEP_MS);
  }
};

const countKill = async (person: Person, figures: KillFigures): Promise<void> => {
  if (!existsSync(`${person.stone}/memory.duckdb`)) return void (figures.during['first start'] = (figures.during['first start'] ?? 0) + 1);
  const rows = await person.ask((db) => db.all<{ job: string }>(`SELECT job FROM job_runs WHERE outcome = 'running'`)).catch(() => []);
  const job = rows[0]?.job ?? 'start or end';
  figures.during[job] = (figures.during[job] ?? 0) + 1;
};

const playRound = async (person: Person, author: Author, random: Random, round: number, span: number, figures: KillFigures): Promise<void> => {
  author.step();
  const args = JOBS[round % JOBS.length]!.split(' ');
  const running = person.start(args);
  const timer = setTimeout(() => running.child.kill('SIGKILL'), 50 + random() * span);
  await liveOn(person, author, random, running, figures);
  clearTimeout(timer);
  const { signal, code, err } = await running.ended;
  if (signal === 'SIGKILL') figures.killed++;
  else if (code !== 0) throw new Error(`round ${round}: \`dripstone ${args.join(' ')}\` ended with ${code}: ${err}`);
  if (signal === 'SIGKILL') await countKill(person, figures);
};

/** @param report called after each round of the long version */
export const killRounds = async (rounds: number, seed: number, report?: (round: number, figures: KillFigures) => void): Promise<KillFigures> => {
  const random = seeded(seed);
  const person = makePerson();
  const author = createAuthor(person, random);
  const figures: KillFigures = {
    rounds, killed: 0, during: {}, logs: 0, messages: 0, reads: 0, torn: [], doubledMeanwhile: [], difference: { lost: [], doubled: [], extra: [] }, temps: [], seconds: { longestOpen: 0 },
  };
  try {
    for (let i = 0; i < 10; i++) author.step();
    // How long a whole run takes here decides when the kills fall.
    const begun = performance.now();
    await person.run('run', '--only', 'ingest,extract');
    const span = performance.now() - begun;
    for (let round = 0; round < rounds; round++) {
      await playRound(person, author, random, round, span, figures);
      const opening = performance.now();
      figures.doubledMeanwhile.push(...compare(author.written, await storedTexts(person)).doubled);
      figures.seconds.longestOpen = Math.max(figures.seconds.longestOpen, (performance.now() - opening) / 1000);
      report?.(round, figures);
    }
    author.finish();
    const last = await person.run('run', '--only', 'ingest,extract,context,rollup,decay,crystallize');
    if (last.code !== 0) throw new Error(`the last run ended with ${last.code}: ${last.err}`);
    figures.difference = compare(author.written, await storedTexts(person));
    figures.temps = person.files().filter(isTemp);
    figures.logs = author.logs();
    figures.messages = author.messages();
    return figures;
  } finally {
    person.remove();
  }
};
