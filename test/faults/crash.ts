/**
 * The long version of kill.test.ts: `make crash ARGS="200 7"` (rounds, seed). Exits 1 when anything
 * was lost, doubled or torn.
 */
import { killRounds } from './kill-rounds.js';

const [rounds = 200, seed = 7] = process.argv.slice(2).map(Number);
const begun = performance.now();
const figures = await killRounds(rounds, seed, (round, { killed, reads }) => {
  if (round % 10 === 9)
    process.stderr.write(
      `round ${round + 1} of ${rounds}: ${killed} killed, ${reads} files read\n`,
    );
});
const { difference, doubledMeanwhile, tiers, torn, temps, ...rest } = figures;
const bad = {
  lost: difference.lost.length,
  doubled: difference.doubled.length + doubledMeanwhile.length,
  extra: difference.extra.length,
  tiers: tiers.lost.length + tiers.doubled.length + tiers.extra.length,
  torn: torn.length,
  temps: temps.length,
};
console.log(
  JSON.stringify({
    seed,
    ...rest,
    ...bad,
    minutes: Math.round((performance.now() - begun) / 6000) / 10,
  }),
);
if (Object.values(bad).some((n) => n > 0)) {
  console.log(
    JSON.stringify({ difference, doubledMeanwhile, tiers, torn, temps }, null, 1).slice(0, 4000),
  );
  process.exitCode = 1;
}
