/** Once per run: compiles dist/ (workers and the CLI run as compiled JS) and gives every test a home that is not the person's. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export default function setup(): () => void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  // Type errors are the type check's to tell; here only the emitted code counts.
  spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'ignore' });
  const home = mkdtempSync(join(tmpdir(), 'dripstone-test-home-'));
  process.env['DRIPSTONE_TEST_HOME'] = home;
  return () => rmSync(home, { recursive: true, force: true });
}
