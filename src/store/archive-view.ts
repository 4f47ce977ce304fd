/** Columns of a tier line and of the view `entries`, with their DuckDB types, in order. */
export const TIER_COLUMNS: [name: string, type: string][] = [
  ['id', 'VARCHAR'],
  ['rev', 'INTEGER'],
  ['agent', 'VARCHAR'],
  ['session', 'VARCHAR'],
  ['project', 'VARCHAR'],
  ['time', 'TIMESTAMP'],
  ['role', 'VARCHAR'],
  ['origin', 'VARCHAR'],
  ['tool', 'VARCHAR'],
  ['text', 'VARCHAR'],
  ['command', 'VARCHAR'],
  ['exit', 'INTEGER'],
  ['outcome', 'VARCHAR'],
  ['error', 'VARCHAR'],
  ['files', 'VARCHAR[]'],
  ['cwd', 'VARCHAR'],
  ['branch', 'VARCHAR'],
  ['marks', 'VARCHAR[]'],
  ['call', 'VARCHAR'],
  ['seq', 'BIGINT'],
  ['copied', 'BOOLEAN'],
  ['hash', 'VARCHAR'],
  ['path', 'VARCHAR'],
  ['line', 'BIGINT'],
];

/** Longest line of a tier that the view reads; longer ones are skipped. */
const LINE_BYTES = 64 * 2 ** 20;

/**
 * The select of `archive_entries`: reads the archive tiers straight from their files.
 *
 * @param projects folder of the projects' files; an empty tier below it keeps the glob from being empty
 */
export function archiveView(projects: string): string {
  const folder = slashed(projects);
  const glob = quoted(`${asGlob(projects)}/*/archive/*/*.jsonl.gz`);
  const isHere = folder.includes('\\') ? `\n  WHERE starts_with(filename, ${quoted(`${folder}/`)})` : '';
  const columns = TIER_COLUMNS.map(([name, type]) => `"${name}": '${type}'`).join(', ');
  return `
  SELECT ${TIER_COLUMNS.map(([name]) => `"${name}"`).join(', ')}, filename AS tier
  FROM read_json(${glob}, format = 'newline_delimited', compression = 'gzip', ignore_errors = true, filename = true,
    maximum_object_size = ${LINE_BYTES}, columns = {${columns}})${isHere}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const slashed = (folder: string): string => (process.platform === 'win32' ? folder.replaceAll('\\', '/') : folder);

/**
 * A folder as DuckDB's globs spell it: a set of one character stands for itself. A backslash has no such spelling; it becomes any
 * character, and the view compares the names that were found.
 */
export const asGlob = (folder: string): string => slashed(folder).replace(/[[*?]/g, '[$&]').replaceAll('\\', '?');
