/** Once per run: compiles dist/ (workers and the CLI run as compiled JS) and gives every test a home that is not the person's. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export default function setup(): () => void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { status } = spawnSync(process.execPath, ['bundle.js'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('dist/ could not be built: the tests would run an older program');
  const home = mkdtempSync(join(tmpdir(), 'dripstone-test-home-'));
  process.env['DRIPSTONE_TEST_HOME'] = home;
  return () => rmSync(home, { recursive: true, force: true });
}
