/**
 * Breaks each promise of the program in a copy of the repository and demands that a test fails
 * there: `tsx test/sabotage/sabotage.ts [WORDS OF PROMISES…]`. First the same tests must pass in
 * the copy as it is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SABOTAGES, sabotaged, type Sabotage } from './apply.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Copies in which a sabotage each is tried at once. */
const AT_ONCE = 2;

/** What a run of tests came to; `text` is what it printed. */
interface Tested {
  passed: number;
  failed: number;
  text: string;
}

/** A copy of what git knows or would add, with the modules of the original. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'dripstone-sabotage-'));
  const { stdout, status } = spawnSync('git', ['ls-files', '-zco', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error('git does not list the files of the repository');
  for (const file of new Set(stdout.split('\0').filter(Boolean)))
    cpSync(join(ROOT, file), join(copy, file), { force: true, errorOnExist: false });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function runTests(copy: string, tests: readonly string[], more: string[]): Promise<Tested> {
  const report = join(copy, 'sabotage-report.json');
  rmSync(report, { force: true });
  const files = tests.map((file) => `test/${file}`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, ...more];
  const child = spawn(
    process.execPath,
    [...args, '--reporter=json', '--reporter=dot', `--outputFile.json=${report}`],
    { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += part.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  try {
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(
      readFileSync(report, 'utf8'),
    ) as { numPassedTests: number; numFailedTests: number };
    return { passed, failed, text };
  } catch {
    return { passed: 0, failed: 0, text };
  }
}

/** Why the tests of a sabotage do not guard its promise; null when one of them failed. */
async function problemOf(copy: string, sabotage: Sabotage): Promise<string | null> {
  const { file, text } = sabotaged(copy, sabotage);
  const before = readFileSync(join(copy, file));
  writeFileSync(join(copy, file), text);
  try {
    const {
      failed,
      passed,
      text: printed,
    } = await runTests(copy, sabotage.tests, ['--bail=1', '--maxWorkers=1']);
    if (failed > 0) return null;
    return passed > 0
      ? `no test failed in ${sabotage.tests.join(', ')}`
      : `no test ran; the change may not be a program any more:\n${printed.slice(-3000)}`;
  } finally {
    writeFileSync(join(copy, file), before);
  }
}

async function main(words: readonly string[]): Promise<number> {
  const rows = SABOTAGES.filter(
    ({ promise }) => words.length === 0 || words.some((word) => promise.includes(word)),
  );
  for (const row of rows) sabotaged(ROOT, row);
  const copies = Array.from({ length: AT_ONCE }, copyRepository);
  let failures = 0;
  try {
    const tests = [...new Set(rows.flatMap((row) => row.tests))];
    const sound = await runTests(copies[0]!, tests, ['--maxWorkers=2']);
    if (sound.failed > 0 || sound.passed === 0) {
      process.stderr.write(`without a sabotage tests fail:\n${sound.text.slice(-6000)}\n`);
      return 1;
    }
    const waiting = [...rows];
    const work = async (copy: string): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        const begun = performance.now();
        const problem = await problemOf(copy, row);
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        if (problem !== null) failures++;
        process.stderr.write(
          `${problem === null ? 'noticed' : 'NOT NOTICED'} ${seconds} s  ${row.promise}${problem === null ? '' : `\n  ${problem}`}\n`,
        );
      }
    };
    await Promise.all(copies.map(work));
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
  process.stderr.write(`${rows.length - failures} of ${rows.length} sabotages were noticed\n`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
