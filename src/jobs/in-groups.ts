interface Size {
  rows: number;
  bytes?: number;
}

/**
 * Items in order, parted where a group would have more than it may; one item alone may have more.
 * What costs the same for many as for one is done for a group, whose rows wait in memory together.
 * Pure.
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
