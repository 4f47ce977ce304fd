/**
 * Each sentence of README.md and docs/cli.md names the tests that prove it, in proofs.json. A new sentence needs its proof there,
 * a changed one its new words.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentsTable } from './agents-table.js';
import { statementsIn } from './statements.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** By page, then by sentence: `test/file.test.ts: name of the test`. */
const pages = JSON.parse(read('test/docs/proofs.json')) as Record<string, Record<string, string[]>>;
const table = new Set(agentsTable().split('\n'));

test('a page is cut into sentences, rows and lines; code, links and what is generated are none', () => {
  const page =
    '# A\n\nOne `a. B` is. Two: 0.5 s, see [it](a.md). *Three* (and four.) Five;\nsix.\n\n| x | y |\n| --- | --- |\n| 1 | z |\n\n    typed\n\n```\nNone. At all.\n```\n- Seven.\n- Eight';
  expect(statementsIn(page).map(({ text }) => text)).toEqual([
    'One `a. B` is.',
    'Two: 0.5 s, see [it](a.md).',
    '*Three* (and four.)',
    'Five; six.',
    '1 | z',
    'typed',
    'Seven.',
    'Eight',
  ]);
});

describe.each(Object.entries(pages))('%s', (page, proofs) => {
  const said = [...new Set(statementsIn(read(page), (line) => table.has(line)).map(({ text }) => text))];

  test('each sentence has its proof, and no proof is of a sentence that is gone', () => {
    expect(said.filter((text) => proofs[text] === undefined)).toEqual([]);
    expect(Object.keys(proofs).filter((text) => !said.includes(text))).toEqual([]);
  });

  test('each test that is named exists', () => {
    const gone = Object.values(proofs)
      .flat()
      .filter((proof) => {
        const [path, name] = [proof.slice(0, proof.indexOf(': ')), proof.slice(proof.indexOf(': ') + 2)];
        const source = existsSync(join(root, path)) ? read(path).replaceAll(/\\(['"`])/g, '$1') : '';
        return !["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
      });
    expect(gone).toEqual([]);
  });
});
