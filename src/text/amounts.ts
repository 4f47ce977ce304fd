/** Amounts as texts for people. */

/** `2,000` for a whole number. The built-in `toLocaleString` is slow at its first call. */
export function withCommas(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 log`, `2,000 logs`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${withCommas(n)} ${n === 1 ? one : many}`;
}

/** `12.5 MiB`. */
export function mib(bytes: number): string {
  return `${(bytes / 1048576).toFixed(1)} MiB`;
}

/** `0.3 s`, `42 s`, `12 min`. */
export function seconds(count: number): string {
  return count < 10
    ? `${count.toFixed(1)} s`
    : count < 90
      ? `${Math.round(count)} s`
      : `${Math.round(count / 60)} min`;
}
