/**
 * How processor time grows with the size of the work: true on any machine, where a limit in
 * milliseconds is true on one.
 */

const TRIES = 3;
/** Below this a measurement says nothing: the counter's steps, a garbage collection. */
const LEAST_MS = 3;

/**
 * The processor time of a large piece of work over that of a small one: the least of up to three
 * tries, since a busy machine makes one slow and a wrong loop every one.
 * @param work does it once, for a size
 * @param enough a growth at which no further try is needed
 */
export async function growthOf(
  work: (size: number) => unknown,
  small: number,
  large: number,
  enough: number,
): Promise<number> {
  const spend = async (size: number): Promise<number> => {
    const started = process.cpuUsage();
    await work(size);
    const { user, system } = process.cpuUsage(started);
    return Math.max(LEAST_MS, (user + system) / 1000);
  };
  await work(small);
  let [less, more] = [Infinity, Infinity];
  for (let tries = 0; tries < TRIES && !(more / less < enough); tries++)
    [less, more] = [Math.min(less, await spend(small)), Math.min(more, await spend(large))];
  return more / less;
}
