/** Lines and bytes of the parts of the repository; `tsx test/architecture/count.ts` lowers budgets.json to them. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Size {
  lines: number;
  bytes: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUDGETS = fileURLToPath(new URL('budgets.json', import.meta.url));

/** Lines moved out of src into one of these count as if they had stayed there. */
const BESIDE = [
  'bench',
  'config',
  'packaging',
  '.ci',
  'Makefile',
  'bundle.js',
  'eslint.config.js',
  'vitest.config.ts',
];

/** A folder of src is a part, so are the files at the top of src, the tests' code, and what stands beside. */
export function sizes(): Record<string, Size> {
  const src = readdirSync(join(ROOT, 'src'), { withFileTypes: true });
  const folders = src.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const top = src.filter((entry) => entry.isFile()).map(({ name }) => `src/${name}`);
  return Object.fromEntries([
    ...folders.sort().map((name) => [`src/${name}`, sizeOf(filesIn(`src/${name}`))] as const),
    ['src/*', sizeOf(top)] as const,
    ['test', sizeOf(filesIn('test').filter((file) => /\.(?:ts|tsx)$/.test(file)))] as const,
    ['beside', sizeOf(BESIDE.flatMap(filesIn))] as const,
  ]);
}

function filesIn(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path)).flatMap((name) => filesIn(`${path}/${name}`));
}

function sizeOf(files: readonly string[]): Size {
  const texts = files.map((file) => readFileSync(join(ROOT, file)));
  return {
    lines: texts.reduce((sum, text) => sum + text.toString('latin1').split('\n').length - 1, 0),
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
  };
}

/** The budgets of budgets.json, or those of docs/decisions/budgets.md where these are higher. */
export function readBudgets(): Record<string, Size> {
  const budgets = JSON.parse(readFileSync(BUDGETS, 'utf8')) as Record<string, Size>;
  const raised = readFileSync(join(ROOT, 'docs/decisions/budgets.md'), 'utf8');
  const rows = raised.matchAll(/^\| *(\S+)[ |]+(\d+)[ |]+(\d+)[ |]+[^ |].{19}/gm);
  for (const [, part, lines, bytes] of rows) {
    const known = budgets[part!] ?? { lines: 0, bytes: 0 };
    budgets[part!] = {
      lines: Math.max(known.lines, Number(lines)),
      bytes: Math.max(known.bytes, Number(bytes)),
    };
  }
  return budgets;
}

/** The budgets that hold from now on: a part that shrank may not grow again. Pure. */
export function lowered(
  budgets: Readonly<Record<string, Size>>,
  now: Readonly<Record<string, Size>>,
): Record<string, Size> {
  return Object.fromEntries(
    Object.entries(now).map(([part, size]) => {
      const { lines, bytes } = budgets[part] ?? size;
      return [part, { lines: Math.min(lines, size.lines), bytes: Math.min(bytes, size.bytes) }];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = Object.entries(lowered(readBudgets(), sizes()));
  const text = rows.map(([part, size]) => `  ${JSON.stringify(part)}: ${JSON.stringify(size)}`);
  writeFileSync(BUDGETS, `{\n${text.join(',\n')}\n}\n`);
}
