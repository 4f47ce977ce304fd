/** The version of the package that runs. */
import { readFileSync } from 'node:fs';

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
