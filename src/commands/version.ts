/** The version of the package that runs. */
import { readFileSync } from 'node:fs';
import { shippedFile } from '../place.js';

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(shippedFile('package.json'), 'utf8')) as { version: string }).version;
