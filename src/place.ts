/**
 * Where the program's own files lie. Compiled, this code is right in dist/: in the file of the
 * same name, or in a piece that a bundle was cut into. So nothing else may ask where it is.
 */
import { fileURLToPath } from 'node:url';

/** Tests run from source; a thread or a process of its own needs the compiled file. */
const DIST = new URL(import.meta.url.endsWith('.ts') ? '../dist/' : './', import.meta.url);

/** A compiled file by its place in dist/, e.g. `jobs/compute-thread.js`. */
export function compiledFile(name: string): string {
  return fileURLToPath(new URL(name, DIST));
}

/** A file that is shipped beside dist/, e.g. `config/default.yaml`. */
export function shippedFile(name: string): string {
  return fileURLToPath(new URL(`../${name}`, DIST));
}
