import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentsTable } from './agents-table.js';

test('docs/agents.md lists every agent that is read; `make format` writes the table', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')).toContain(
    `\n${agentsTable()}\n`,
  );
});
