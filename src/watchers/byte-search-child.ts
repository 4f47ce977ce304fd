/** Started by `searchBytesApart`, which writes the needles where no other user can read them. */
import { text } from 'node:stream/consumers';
import { searchBytes } from './byte-search.js';

const asked = JSON.parse(await text(process.stdin)) as Parameters<typeof searchBytes>;
process.stdout.write(JSON.stringify(await searchBytes(...asked)));
