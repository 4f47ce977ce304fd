/**
 * Before each test file: HOME is a temporary folder, and nothing of the person's settings is seen.
 * Refuses to run otherwise.
 */
import { tmpdir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { afterAll } from 'vitest';
import { endFile } from './folder.js';

const home = process.env['DRIPSTONE_TEST_HOME'];
if (
  !home ||
  !resolve(home).startsWith(resolve(tmpdir())) ||
  resolve(home) === resolve(userInfo().homedir)
) {
  throw new Error(
    `tests may only run with a home below ${tmpdir()}, not ${home ?? '(none)'}; start them with \`make test\``,
  );
}
process.env['HOME'] = home;
process.env['USERPROFILE'] = home;
for (const name of [
  'DRIPSTONE_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
])
  delete process.env[name];

afterAll(endFile);
