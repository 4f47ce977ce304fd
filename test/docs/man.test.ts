import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadCommands } from '../../src/commands/index.js';
import { manPath, manual, renderMan } from './man.js';

test('the man page is what docs/cli.md says; `make format` writes it', async () => {
  const page = readFileSync(manPath, 'utf8');
  expect(page).toBe(manual());
  for (const { name } of await loadCommands()) expect(page).toContain(`.SH DRIPSTONE ${name.toUpperCase()}\n`);
});

test('a line that begins with a dot is text, code is bold, and a table is a list of terms', () => {
  expect(renderMan('## x\n.dot `a-b`\n| code | meaning |\n| --- | --- |\n| 0 | done |\n')).toContain(
    '.SH X\n\\&.dot \\fBa\\-b\\fP\n.TP\ncode\nmeaning\n.TP\n0\ndone',
  );
});
