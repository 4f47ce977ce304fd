/**
 * `make soak ARGS="30 7 1000"` (days, seed, MB): a simulated month, then a store of so many MB of
 * text (0: none) that is learnt in one run. Even seeds begin before the clocks go forward, odd ones
 * before they go back. Exits 1 when anything was lost, doubled, missed or grew.
 */
import { judgeLarge, soakLarge } from './soak-large.js';
import { soakMonth, type Sample, type SoakFigures } from './soak-month.js';

const [days = 30, seed = 7, mb = 1000] = process.argv.slice(2).map(Number);
process.env['TZ'] = 'Europe/Berlin';
const start = seed % 2 === 0 ? '2026-03-16T08:00:00+01:00' : '2026-10-12T08:00:00+02:00';
const begun = performance.now();

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

/**
 * The last process lives for two fifths of the month: its first and its last days must not differ.
 */
function grown(samples: readonly Sample[], pick: (sample: Sample) => number): [number, number] {
  const calm = samples.slice(Math.floor(samples.length * 0.6) + 1);
  const part = Math.max(1, Math.floor(calm.length / 3));
  return [median(calm.slice(0, part).map(pick)), median(calm.slice(-part).map(pick))];
}

function judge(figures: SoakFigures): string[] {
  const { difference, doubledMeanwhile, tiers, missed, repeated, leftovers, samples } = figures;
  const counts = {
    lost: difference.lost.length,
    doubled: difference.doubled.length + doubledMeanwhile.length,
    extra: difference.extra.length,
    tiersLost: tiers.lost.length,
    tiersDoubled: tiers.doubled.length,
    missed: missed.length,
    repeated: repeated.length,
    leftovers: leftovers.length,
  };
  const rss = grown(samples, (sample) => sample.rss);
  const disk = grown(samples, (sample) => sample.bytesPerMessage);
  console.log(
    JSON.stringify({
      ...counts,
      rssMib: rss.map(mib),
      bytesPerMessage: disk,
      logMib: mib(figures.logBytes),
    }),
  );
  return [
    ...Object.entries(counts)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${name}: ${n}`),
    ...(rss[1] > rss[0] * 1.15 + 2 ** 23 ? ['RSS grew'] : []),
    ...(disk[1] > disk[0] * 1.15 ? ['the database grew faster than what it holds'] : []),
    ...(figures.logBytes > 4 * 2 ** 20 ? ['the log is not rotated'] : []),
    ...(figures.stopCode !== 0 || figures.stopMs > 5000
      ? [`stopping took ${figures.stopMs} ms and gave ${figures.stopCode}`]
      : []),
  ];
}

async function month(): Promise<boolean> {
  const figures = await soakMonth(
    days,
    seed,
    start,
    (day, { samples, kills, sleeps, jumps, holds }) => {
      const { day: date, rss, bytesPerMessage } = samples.at(-1)!;
      process.stderr.write(
        `day ${day + 1} ${date}: ${mib(rss)} MiB, ${bytesPerMessage} bytes a message, ${kills} kills, ${sleeps} sleeps, ${jumps} jumps, ${holds} holds\n`,
      );
    },
  );
  const bad = judge(figures);
  const {
    days: _,
    difference,
    doubledMeanwhile,
    tiers,
    samples,
    missed,
    repeated,
    leftovers,
    logBytes: __,
    ...rest
  } = figures;
  console.log(
    JSON.stringify({
      days,
      seed,
      ...rest,
      minutes: Math.round((performance.now() - begun) / 6000) / 10,
    }),
  );
  if (bad.length > 0) {
    console.log(bad.join('\n'));
    console.log(
      JSON.stringify(
        { difference, doubledMeanwhile, tiers, missed, repeated, leftovers, samples },
        null,
        1,
      ).slice(0, 6000),
    );
  }
  return bad.length === 0;
}

async function large(): Promise<boolean> {
  const figures = await soakLarge(mb);
  const bad = judgeLarge(figures);
  console.log(JSON.stringify(figures));
  if (bad.length > 0) console.log(bad.join('\n'));
  return bad.length === 0;
}

const whole = [days === 0 || (await month()), mb === 0 || (await large())];
if (whole.includes(false)) process.exitCode = 1;
