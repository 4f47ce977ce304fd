/** The sabotages of rows.json, and the place of the source that each of them changes. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import rows from './rows.json' with { type: 'json' };

/**
 * A change of one place of the source that breaks a promise of the program, and the tests of which
 * one must fail then.
 */
export interface Sabotage {
  /** The promise that the change breaks. */
  promise: string;
  /** A folder or a file below src. */
  place: string;
  /** Text that is exactly once in the place, whatever its white space. */
  find: string;
  replace: string;
  /** Test files below test. */
  tests: readonly string[];
  /** A part of the name of the test that is run; without it all of the files are. */
  named?: string;
}

export const SABOTAGES: readonly Sabotage[] = rows;

/** A file of the source after a sabotage. */
interface Sabotaged {
  file: string;
  text: string;
}

/**
 * The one file in which a sabotage finds its text, with the text replaced.
 * @throws when the text is nowhere below the place, or more than once
 */
export function sabotaged(root: string, { promise, place, find, replace }: Sabotage): Sabotaged {
  const pattern = patternOf(find);
  const found = filesIn(root, `src/${place}`).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map((match) => ({ file, match })),
  );
  const [only, ...more] = found;
  if (only === undefined || more.length > 0)
    throw new Error(
      `test/sabotage/rows.json, "${promise}": src/${place} contains \`${find}\` ${found.length} times, not once. ` +
        'Give the row the text that keeps this promise now',
    );
  const { input, index, 0: text } = only.match;
  return {
    file: only.file,
    text: `${input.slice(0, index)}${replace}${input.slice(index + text.length)}`,
  };
}

/** The formatter moves white space, and adds a comma before a bracket on a line of its own. */
function patternOf(find: string): RegExp {
  const parts = [...find.replaceAll(/\s+/g, '')].map(
    (char) => `${/[)\]}]/.test(char) ? ',?\\s*' : ''}${char.replace(/[^\w]/, '\\$&')}`,
  );
  return new RegExp(parts.join('\\s*'), 'g');
}

function filesIn(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesIn(root, `${path}/${name}`));
}
