/** The process that `searchBytesApart` starts: needles come on standard input, since everybody may read a command line. */
import { text } from 'node:stream/consumers';
import { searchBytes } from './byte-search.js';

const { folder, needles, elsewhere } = JSON.parse(await text(process.stdin)) as {
  folder: string;
  needles: string[];
  elsewhere: string[];
};
process.stdout.write(JSON.stringify(await searchBytes(folder, needles, elsewhere)));
