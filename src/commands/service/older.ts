/**
 * After an update of the package alone: as long as the service's copy of the program is older and the store is of its version,
 * that copy answers. What worked before the update goes on, and nothing is done to the store that the service could not read.
 */
import { packageVersion, userHomeOf } from '../../config.js';
import type { ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import { currentVersion, programFolder, versionIn } from '../../supervisor/versions.js';
import type { Io } from '../command.js';

/** They replace the older version, or need no store. */
const OWN = new Set(['start', 'service', 'completion']);

/** @returns the exit code of the service's copy; null when this program is to do it */
export async function askOlderCopy(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  if (OWN.has(argv[0] ?? '') || io.runProgram === undefined) return null;
  const copy = currentVersion(programFolder(process.platform, userHomeOf(io.env), io.env));
  if (copy === null || versionIn(copy.id) === packageVersion() || copy.cli === compiledFile('cli.js')) return null;
  const text = await (await import('./held-store.js')).whatHoldsBack(io);
  if (text === null) return null;
  io.err(`${text}; until then ${versionIn(copy.id)} answers\n`);
  return (await io.runProgram(process.execPath, [copy.cli, ...argv])) as ExitCode;
}
