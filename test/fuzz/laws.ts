/**
 * Each law with many random cases: the test files that say how many. Usage: tsx test/fuzz/laws.ts
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
  .filter((path) => /\bruns\([0-9_]+, [0-9_]+\)/.test(readFileSync(join(root, path), 'utf8')));
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...files],
  { cwd: root, stdio: 'inherit', env: { ...process.env, DRIPSTONE_FUZZ: '1' } },
);
process.exit(status ?? 1);
