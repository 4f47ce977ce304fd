// Takes the home's lock or says why not; keeps it until it is told to let go.
import { once } from 'node:events';
import { acquireLock } from '../../../dist/store/index.js';

const [path, as, waitMs] = process.argv.slice(2);
const clock = { now: () => new Date(), mono: () => performance.now() };
try {
  const lock = await acquireLock({ path, clock, as, waitMs: Number(waitMs ?? 0) });
  console.log('locked');
  await once(process.stdin, 'data');
  lock.release();
  console.log('released');
} catch (error) {
  console.log(`refused ${JSON.stringify({ code: error.code, exitCode: error.exitCode, message: error.message })}`);
}
process.exit(0);
