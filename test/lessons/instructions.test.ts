import { expect, test } from 'vitest';
import { compareWithInstructions, distillProject } from '../../src/lessons/index.js';
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
  const { lessons } = distillProject(
    material({ candidates: [candidate({ text, key: text, kind: 'gotcha' })] }),
  );
  const { alreadySaid, contradicted } = compareWithInstructions(lessons, [FILE]);
  expect(contradicted.size > 0 ? 'denied' : alreadySaid.size > 0 ? 'said' : 'new').toBe(expected);
});

test.each<[lesson: string, file: string, denied: boolean]>([
  ['Use pnpm, not npm', 'Use npm here.', true],
  ['Use `pnpm` instead of `npm` in this repository', '- Use `npm` for installing packages', true],
  ['Never use npm', 'Always use npm.', true],
  ['Use npm for every install', 'Use pnpm, not npm.', true],
  ['Always use tabs, never spaces', 'Use 2 spaces.', true],
  ['Write commit messages in English, not German', 'Commit messages are in German.', true],
  ["Don't push to main", 'Push to main after the review.', true],
  ['Bind the server to 0.0.0.0 rather than localhost', 'Bind the server to localhost.', true],
  ['Use pnpm, not npm', 'Use pnpm here; npm is for publishing.', false],
  ['Use pnpm, not npm', 'The package is on npm since 2020.', false],
  ['Use pnpm, not npm', 'Never use npm.', false],
  ['Use vitest, not jest, for unit tests', 'Use jest for the browser.', false],
  ['Write commit messages in English, not German', 'The manual is in German.', false],
  ["Don't push to main", 'Push often.', false],
  ['Tests never wait for the network', 'Tests wait for the clock.', false],
])('%s | %s', (text, file, denied) => {
  const { lessons } = distillProject(
    material({ candidates: [candidate({ text, key: text, kind: 'preference' })] }),
  );
  expect(compareWithInstructions(lessons, [file]).contradicted.size > 0).toBe(denied);
});
