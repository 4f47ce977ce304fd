/**
 * How many random cases a law is tried with.
 * @param few in the suite
 * @param many with `make fuzz`, which sets DRIPSTONE_FUZZ
 */
export function runs(few: number, many: number): number {
  return process.env['DRIPSTONE_FUZZ'] === undefined ? few : many;
}
