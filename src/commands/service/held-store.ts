/** Whether the store waits for the update of the service. In a file of its own because it loads most of the program. */
import { createApp } from '../../app.js';
import { AppError } from '../../errors.js';
import type { Io } from '../command.js';

/** Why this program may not migrate the store, with what to type; null if it may. Other errors are left to the command. */
export async function whatHoldsBack(io: Io): Promise<string | null> {
  try {
    await using app = await createApp({ ...io, access: 'read', storeOptional: true, configOptional: true });
    if (app.storeExists) await app.store.read(() => Promise.resolve());
  } catch (error) {
    if (error instanceof AppError && error.code === 'STORE_OF_OLDER') return error.hint;
  }
  return null;
}
