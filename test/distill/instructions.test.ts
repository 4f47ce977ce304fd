import { expect, test } from 'vitest';
import { compareWithInstructions, distillProject } from '../../src/distill/index.js';
import { candidate, material } from './build.js';

const FILE = `# Shop
Work in small steps.

- Run \`make db\` before the tests, since migrations are not automatic.
- Never commit generated files to the repository.
- The preview server listens on port 8081 by default.
`;

test.each<[string, 'said' | 'denied' | 'new']>([
  ['Run `make db` before the tests: migrations are not automatic', 'said'],
  ['Never commit generated files', 'said'],
  ['Commit generated files to the repository', 'denied'],
  ['The preview server listens on port 8080 by default', 'denied'],
  ['Refunds go through the queue in `src/refunds`', 'new'],
  ['Prefer small commits', 'new'],
])('%s: %s', (text, expected) => {
  const { lessons } = distillProject(material({ candidates: [candidate({ text, key: text, kind: 'gotcha' })] }));
  const { alreadySaid, contradicted } = compareWithInstructions(lessons, [FILE]);
  expect(contradicted.size > 0 ? 'denied' : alreadySaid.size > 0 ? 'said' : 'new').toBe(expected);
});
