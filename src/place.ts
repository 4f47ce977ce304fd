/**
 * Paths of the program's own files. Compiled code is in dist/, in a file of the same name or in a
 * shared part of the bundle, so only this module may use its own path.
 */
import { fileURLToPath } from 'node:url';

/** Tests run from source, but a thread or child process needs the compiled file. */
const DIST = new URL(import.meta.url.endsWith('.ts') ? '../dist/' : './', import.meta.url);

/** Path of a compiled file by its name in dist/, e.g. `jobs/compute-thread.js`. */
export function compiledFile(name: string): string {
  return fileURLToPath(new URL(name, DIST));
}

/** Path of a file that is shipped beside dist/, e.g. `config/default.yaml`. */
export function shippedFile(name: string): string {
  return fileURLToPath(new URL(`../${name}`, DIST));
}
