interface Size {
  rows: number;
  bytes?: number;
}

/**
 * Splits items in order into groups within a limit; a single item may exceed it. A group shares
 * statements and commits, but all its rows are in memory. Pure.
 */
export function inGroups<T>(
  items: readonly T[],
  size: (item: T) => Size,
  most: Size & { items?: number },
): T[][] {
  const groups: T[][] = [];
  let [rows, bytes] = [0, 0];
  for (const item of items) {
    const next = size(item);
    const group = groups.at(-1);
    rows += next.rows;
    bytes += next.bytes ?? 0;
    const fits = rows <= most.rows && bytes <= (most.bytes ?? Infinity);
    if (group !== undefined && fits && group.length < (most.items ?? Infinity)) group.push(item);
    else {
      groups.push([item]);
      [rows, bytes] = [next.rows, next.bytes ?? 0];
    }
  }
  return groups;
}
