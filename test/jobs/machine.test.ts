/** What the machine may be like: another Node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNode, LEAST_NODE } from '../../src/jobs/upkeep/found-in-home.js';

test.each([
  ['18.20.4', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.0.0', true],
  ['24.1.0', true],
])('Node %s: %s', (version, ok) => {
  expect(checkNode(version)).toEqual(
    ok ? { ok, text: version } : { text: `${version} is too old` },
  );
});

test('the package names the same Node', () => {
  const { engines } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${LEAST_NODE.join('.')}`);
});
