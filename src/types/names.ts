/**
 * A field inside the program, `saidBy`, is `said_by` outside: in files, in answers, and in the
 * database.
 */

/** `said_by` for `saidBy`. */
export type OutsideName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${OutsideName<Rest>}`
  : Name;

export type Outside<T> = { [Name in keyof T & string as OutsideName<Name>]: T[Name] };

/** The column or JSON field of a field: `last_n` for `lastN`. */
export function columnOf<Name extends string>(field: Name): OutsideName<Name> {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as OutsideName<Name>;
}

/** The field of a column or JSON field: `lastN` for `last_n`. */
function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * An object under the names that its fields have outside, or those of its fields that are wanted,
 * in their order.
 */
export function outside<T extends object, Name extends keyof T & string = keyof T & string>(
  value: T,
  names: readonly Name[] = Object.keys(value) as Name[],
): Outside<Pick<T, Name>> {
  return Object.fromEntries(names.map((name) => [columnOf(name), value[name]])) as Outside<
    Pick<T, Name>
  >;
}

/** The way back; a field that is undefined is left out. */
export function inside<T extends object>(value: Outside<T>): T {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [fieldOf(name), field])) as T;
}

/** A field as a column; its name is that of `columnOf`. */
export interface Column<Value = unknown> {
  type: 'VARCHAR' | 'VARCHAR[]' | 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP';
  /** What stands where something older has no such value; absent: nothing can be without it. */
  unknown?: Value;
  /** Kept as the text of its JSON. */
  isJson?: true;
  /** Where it is unknown, the field is missing. */
  isOptional?: true;
}
