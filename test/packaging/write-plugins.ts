/**
 * Writes the plugin bundles of packaging/ that come from the code. Usage: tsx
 * test/packaging/write-plugins.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packaging, pluginFiles } from './plugins.js';

for (const [name, text] of pluginFiles()) {
  const path = join(packaging, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
