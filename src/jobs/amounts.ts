/** Amounts as a person reads them. */

/** `1 log`, `2,000 logs`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** `12.5 MiB`. */
export const mib = (bytes: number): string => `${(bytes / 1048576).toFixed(1)} MiB`;
