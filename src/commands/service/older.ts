/**
 * After an update of the package alone: while the service's copy of the program is older and the
 * store has its version, that copy runs the commands. So everything keeps working, and the store
 * stays readable for the service.
 */
import { packageVersion, userHomeOf } from '../../config.js';
import { AppError, type ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import { currentVersion, programFolder, versionIn } from '../../supervisor/versions.js';
import type { Io } from '../command.js';

/** Commands that replace the older version, or need no store. */
const OWN = new Set(['start', 'service', 'completion']);

/** @returns the exit code of the service's copy; null if this program runs the command */
export async function askOlderCopy(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  if (OWN.has(argv[0] ?? '') || io.runProgram === undefined) return null;
  const copy = currentVersion(programFolder(process.platform, userHomeOf(io.env), io.env));
  if (
    copy === null ||
    versionIn(copy.id) === packageVersion() ||
    copy.cli === compiledFile('cli.js')
  )
    return null;
  const text = await whatHoldsBack(io);
  if (text === null) return null;
  io.err(`${text}; until then ${versionIn(copy.id)} answers\n`);
  return (await io.runProgram(process.execPath, [copy.cli, ...argv])) as ExitCode;
}

/**
 * Why this program may not migrate the store, with what to type; null if it may. Other errors are
 * left to the command.
 */
async function whatHoldsBack(io: Io): Promise<string | null> {
  // Most of the program, which a command without a service's copy need not load.
  const { createApp } = await import('../../app.js');
  try {
    await using app = await createApp({
      ...io,
      access: 'read',
      storeOptional: true,
      configOptional: true,
    });
    if (app.storeExists) await app.store.read(() => Promise.resolve());
  } catch (error) {
    if (error instanceof AppError && error.code === 'STORE_OF_OLDER') return error.hint;
  }
  return null;
}
