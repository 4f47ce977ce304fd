/**
 * A search is a new process each time, and loading programs takes most of it: what it loads before
 * it is known to be needed is held here.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * Files and packages that a file loads at once, and those behind them; types and `await import`
 * load nothing.
 */
function loadedBy(files: readonly string[], seen = new Set<string>()): Set<string> {
  for (const file of files) {
    if (seen.has(relative(src, file))) continue;
    seen.add(relative(src, file));
    const wanted = [
      ...readFileSync(file, 'utf8').matchAll(
        /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)';/gm,
      ),
    ].map((match) => match[1]!);
    for (const name of wanted.filter((each) => !each.startsWith('.') && !each.startsWith('node:')))
      seen.add(name);
    loadedBy(
      wanted
        .filter((name) => name.startsWith('.'))
        .map((name) => join(dirname(file), name.replace(/\.js$/, '.ts'))),
      seen,
    );
  }
  return seen;
}

test.each(['search', 'context'])(
  '`%s` loads no package at once, no other command and not the rules of distilling',
  (command) => {
    const loaded = loadedBy([join(src, 'cli.ts'), join(src, `commands/${command}.ts`)]);
    expect(loaded).toContain('store/index.ts');
    expect([...loaded].filter((name) => !name.endsWith('.ts'))).toEqual([]);
    expect(
      [...loaded].filter((name) =>
        /^(?:commands\/(?:run|status|start)|distill\/index|extract\/|redact\/|jobs\/(?:degraded|job-run))/.test(
          name,
        ),
      ),
    ).toEqual([]);
  },
);
