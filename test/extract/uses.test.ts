import { describe, expect, test } from 'vitest';
import { extractSession } from '../../src/extract/index.js';
import { MadeSession } from './made-session.js';

function texts(session: MadeSession): string[] {
  return extractSession(session.input()).candidates.map((c) => c.text);
}

describe('what is no use of a command', () => {
  test.each([
    'command -v vitest',
    'which vitest',
    'type vitest',
    'vitest --version',
    'npx vitest --version',
    'node -v',
    'cargo test --no-run',
    'pytest --collect-only -q',
    'go test ./... -list .',
    'jest --listTests',
    'pnpm test --help',
  ])('`%s`', (command) => {
    expect(texts(new MadeSession().shell(command, 'v3.2.1'))).toEqual([]);
  });

  test('asking a program what it is does not replace another one', () => {
    const session = new MadeSession()
      .fails('pytest', 'pytest: command not found', 'pytest: command not found')
      .shell('uv run pytest --version', 'pytest 8.1');
    expect(texts(session).filter((t) => t.startsWith('Use '))).toEqual([]);
  });
});

describe('a runner that fetches a tool', () => {
  test('is told whole, with what runs behind the dashes', () => {
    const session = new MadeSession()
      .fails('golangci-lint run', 'golangci-lint: command not found', 'golangci-lint: command not found')
      .shell('mise x golangci-lint -- golangci-lint run', '0 issues.');
    expect(texts(session)).toContain(
      'Use `mise x golangci-lint -- golangci-lint` instead of `golangci-lint`: `golangci-lint` by itself is not found.',
    );
    expect(texts(session)).toContain('Lint: `mise x golangci-lint -- golangci-lint run`');
    expect(texts(new MadeSession().shell('mise x go@1.24 -- go test ./...', 'ok  shop 0.2s'))).toContain(
      'Test: `mise x go@1.24 -- go test ./...`',
    );
  });
});

describe('names of single tests', () => {
  test.each([
    ['npm test -- cart', 'Test: `npm test -- NAME`'],
    ['npx jest checkoutTotals', 'Test: `npx jest NAME`'],
    ['cargo test adds_two_items', 'Test: `cargo test NAME`'],
    ['npx vitest run', 'Test: `npx vitest run`'],
    ['mise run test:unit', 'Test: `mise run test:unit`'],
    ['pytest -n auto', 'Test: `pytest -n auto`'],
    ['python manage.py test shop.tests.CartTest', 'Test: `python manage.py test NAME`'],
    ['go test ./... -run TestCart', 'Test: `go test ./... -run NAME`'],
  ])('`%s` is told as %s', (command, text) => {
    expect(texts(new MadeSession().shell(command, '3 passed'))).toContain(text);
  });
});

describe('a slow command', () => {
  const slow = (...minutes: number[]): string[] => {
    const session = new MadeSession();
    for (const [i, wait] of minutes.entries()) {
      session.shell('npm test', '3 passed');
      const [call, result] = session.entries.slice(-2);
      Object.assign(call!, { time: new Date(Date.UTC(2026, 10, 20, i)).toISOString() });
      Object.assign(result!, { time: new Date(Date.UTC(2026, 10, 20, i, wait)).toISOString() });
    }
    return texts(session).filter((t) => t.includes('slow'));
  };

  test('is told by the median of three runs, so that waiting for a permission is none', () => {
    expect(slow(4, 5, 4)).toEqual(['`npm test` is slow (about 4 minutes): run it in the background or with a long timeout.']);
    expect(slow(30)).toEqual([]);
    expect(slow(30, 20)).toEqual([]);
    expect(slow(30, 1, 1)).toEqual([]);
  });
});
