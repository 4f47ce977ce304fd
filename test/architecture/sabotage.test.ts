import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { SABOTAGES, sabotaged } from '../sabotage/apply.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(SABOTAGES.map((row) => [row.promise, row] as const))(
  'a place of the source keeps the promise, and tests guard it: %s',
  (_, row) => {
    transformSync(sabotaged(root, row).text, { loader: 'ts' });
    expect(row.tests.filter((file) => !existsSync(join(root, 'test', file)))).toEqual([]);
  },
);
