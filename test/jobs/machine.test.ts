/** What the machine may be like: another Node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNode, LEAST_NODE } from '../../src/jobs/upkeep/checks.js';

test.each([
  ['18.20.4', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.0.0', true],
  ['24.1.0', true],
])('Node %s: %s', (version, ok) => {
  expect(checkNode(version).ok).toBe(ok);
  if (!ok)
    expect(checkNode(version)).toMatchObject({
      text: `${version} is too old`,
      cure: 'install Node 20.19 or newer',
    });
});

test('the package names the same Node', () => {
  const { engines } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${LEAST_NODE.join('.')}`);
});
