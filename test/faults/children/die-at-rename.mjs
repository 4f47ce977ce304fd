/**
 * Kills its own process with SIGKILL at one of its renames: `DIE_AT=3` before the third,
 * `DIE_AT=3+` after it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { rename } = fs.promises;
const at = process.env.DIE_AT ?? '';
let renames = 0;
fs.promises.rename = async (from, to) => {
  const isIt = ++renames === Number.parseInt(at, 10);
  if (isIt && !at.endsWith('+')) process.kill(process.pid, 'SIGKILL');
  await rename(from, to);
  if (isIt) process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
