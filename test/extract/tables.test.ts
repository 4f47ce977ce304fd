import { describe, expect, test } from 'vitest';
import { extractConclusions } from '../../src/extract/conclusions.js';
import { tableSentences } from '../../src/extract/sentences-table.js';
import { answered, sessionOf, typed } from './session-of.js';

const table = (...rows: string[]): string => [rows[0], rows[0]!.replace(/[^|]+/g, ' --- '), ...rows.slice(1)].join('\n');
const told = (...rows: string[]): string[] => tableSentences(table(...rows)).map((one) => one.text);

describe('rows of a table as statements', () => {
  test('a problem with its cause and cure', () => {
    expect(told('| Error | Cause | Fix |', '| `ECONNREFUSED` in `make e2e` | The stack is down. | Run `docker compose up -d` |')).toEqual(['`ECONNREFUSED` in `make e2e` means that the stack is down: run `docker compose up -d`']);
    expect(told('| Symptom | Why |', '| `make seed` hangs | Redis waits for `REDIS_URL` |')).toEqual(['`make seed` hangs, because redis waits for `REDIS_URL`']);
  });
  test('a note on what the row names, and one that is a sentence', () => {
    expect(told('| Command | Notes |', '| `make e2e` | Needs the stack of `compose.test.yml` |', '| `make a | b` | Required - CI only reads `ci/main.yml` |')).toEqual(['`make e2e` needs the stack of `compose.test.yml`', 'CI only reads `ci/main.yml`']);
  });
  test.each([
    [['| # | Problem | Fix |', '| 1 | `cart.ts` ignores tax | Add it |']], [['| Step | Status | Notes |', '| `make e2e` | ok | Needs the stack of `compose.test.yml` |']], [['| File | Purpose |', '| `cart.ts` | Holds the cart of a customer |']],
  ])('results, findings and inventories state nothing: %s', (rows) => {
    expect(told(...rows)).toEqual([]);
  });
  test('no table, half a table', () => {
    expect(tableSentences('a | b\n\n| a |\n| --- |')).toEqual([]);
  });
});

test('only last answers and rules; the quote is the row as written', () => {
  const rows = table('| Command | Notes |', '| `make e2e` | Fails with `ECONNREFUSED` unless `docker compose up` has run |');
  const [one] = extractConclusions(sessionOf([typed('why does e2e fail?'), answered(`Here it is:\n\n${rows}\n`, { marks: ['final'] })]));
  expect(one).toMatchObject({ text: '`make e2e` fails with `ECONNREFUSED` unless `docker compose up` has run', evidence: { quote: rows.split('\n')[2] } });
  expect(extractConclusions(sessionOf([typed('go on'), answered(rows), { role: 'tool_call', origin: 'agent', tool: 'Bash', text: 'ls', command: 'ls' }, answered('Done.')]))).toEqual([]);
});
