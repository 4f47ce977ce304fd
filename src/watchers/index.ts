/**
 * The interface of the module that finds and follows logs. Leaves out `watch.ts`, because importing
 * it loads chokidar and only the daemon watches.
 */
export { filesBelow, searchBytesApart } from './byte-search.js';
export { readBeside } from './beside.js';
export { openDatabaseLog, rowSource } from './database.js';
export { discoverLogs, type Discovery, type FoundLog, type SearchedPlace } from './discover.js';
export { isSameTime, needsReading, STILL_MS, type SeenLog } from './guard.js';
export { createIgnoredPath } from './ignore-rules.js';
export { ChangedLog, openLog, UnreadableLog, type LogBytes } from './log-file.js';
export { parseLine, type ParsedLine } from './records.js';
export { type Surroundings } from './roots.js';
export { type Line } from './split-lines.js';
export { tailLog, type Piece, type LogPosition, type Tail, type TailOptions } from './tail.js';
export { compressedSource, documentSource, isCompressed, tailRecords } from './whole.js';
