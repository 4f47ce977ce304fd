/**
 * The process that `searchBytesApart` starts. It reads the needles from standard input, because
 * every user of the system can read a command line.
 */
import { text } from 'node:stream/consumers';
import { searchBytes } from './byte-search.js';

const asked = JSON.parse(await text(process.stdin)) as Parameters<typeof searchBytes>;
process.stdout.write(JSON.stringify(await searchBytes(...asked)));
