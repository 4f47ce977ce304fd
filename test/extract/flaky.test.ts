import { describe, expect, test } from 'vitest';
import { extractSession } from '../../src/extract/index.js';
import type { Candidate } from '../../src/types.js';
import { MadeSession } from './made-session.js';

function all(session: MadeSession): Candidate[] {
  return extractSession(session.input()).candidates;
}
function flaky(session: MadeSession): Candidate[] {
  return all(session).filter((c) => c.tags.includes('flaky'));
}
const ERROR = 'TypeError: cart total is undefined in checkout.test.ts';
const REFUSED = 'Error: connect ECONNREFUSED <n>';

/** A test that failed, something in between, and the same test green: twice. */
function twice(between: (session: MadeSession) => MadeSession): MadeSession {
  const session = new MadeSession();
  for (let n = 0; n < 2; n += 1) between(session.fails('npm test', ERROR, ERROR)).shell('npm test', '3 passed');
  return session;
}

describe('a flaky test', () => {
  test('is known after two flips with nothing in between that could matter', () => {
    expect(flaky(twice((s) => s.agent('Again.').shell('cat src/cart.ts', 'x').shell('git status --short', '')))).toEqual([
      expect.objectContaining({
        alone: true,
        text: `\`npm test\` is flaky or order-dependent: it failed with \`${ERROR}\` and passed unchanged; run it again before looking for a cause.`,
      }),
    ]);
  });

  test('is not known after one flip: a second session must see it too', () => {
    expect(flaky(new MadeSession().fails('npm test', ERROR, ERROR).shell('npm test', '3 passed')).map((c) => c.alone)).toEqual([
      false,
    ]);
  });

  test.each([
    'docker compose up -d',
    'docker-compose up -d db',
    'brew services start postgresql',
    'systemctl start redis',
    'npm run dev &',
    'npm install',
    'make db',
    './scripts/seed.sh',
    'kill 4711',
    'echo x > .env',
    'rm -rf dist',
    'node server.js > log.txt 2>&1 &',
    'unknown-tool --go',
    'sed -i s/a/b/ src/cart.ts',
    'git stash',
    'export A=1',
  ])('is not what `%s` cured', (command) => {
    expect(flaky(twice((s) => s.shell(command, '')))).toEqual([]);
  });

  test('is not what an edit, a person or another tool cured', () => {
    expect(flaky(twice((s) => s.edit('src/cart.ts')))).toEqual([]);
    expect(flaky(twice((s) => s.user('I started the database')))).toEqual([]);
    expect(flaky(twice((s) => s.add({ role: 'tool_call', origin: 'agent', tool: 'mcp__db__migrate', text: '{}' })))).toEqual([]);
  });
});

describe('a service that was started', () => {
  test.each(['docker compose up -d', 'docker-compose up -d db', 'brew services start postgresql', 'systemctl start postgresql'])(
    '`%s` is the cure',
    (command) => {
      const session = new MadeSession()
        .fails('npm test', 'connect ECONNREFUSED 127.0.0.1:5432', REFUSED)
        .shell(command, 'started')
        .shell('npm test', '3 passed');
      expect(
        all(session)
          .filter((c) => c.tags.includes('cure'))
          .map((c) => c.text),
      ).toEqual([`\`npm test\` fails with \`Error: connect ECONNREFUSED\` until \`${command}\` has run.`]);
    },
  );
});
