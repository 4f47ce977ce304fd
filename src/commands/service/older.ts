/**
 * After an update of the package alone: while the service's copy of the program is older and the store has its version, that
 * copy runs the commands. So everything keeps working, and the store stays readable for the service.
 */
import { packageVersion, userHomeOf } from '../../config.js';
import type { ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import { currentVersion, programFolder, versionIn } from '../../supervisor/versions.js';
import type { Io } from '../command.js';

/** Commands that replace the older version, or need no store. */
const OWN = new Set(['start', 'service', 'completion']);

/** @returns the exit code of the service's copy; null if this program runs the command */
export async function askOlderCopy(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  if (OWN.has(argv[0] ?? '') || io.runProgram === undefined) return null;
  const copy = currentVersion(programFolder(process.platform, userHomeOf(io.env), io.env));
  if (copy === null || versionIn(copy.id) === packageVersion() || copy.cli === compiledFile('cli.js')) return null;
  const text = await (await import('./held-store.js')).whatHoldsBack(io);
  if (text === null) return null;
  io.err(`${text}; until then ${versionIn(copy.id)} answers\n`);
  return (await io.runProgram(process.execPath, [copy.cli, ...argv])) as ExitCode;
}
