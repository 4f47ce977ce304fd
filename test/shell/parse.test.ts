import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitShell } from '../../src/shell/index.js';

function words(text: string): string[] {
  return splitShell(text).map((s) => s.words.join(' '));
}

describe('splitShell', () => {
  test.each([
    ['a && b; c | d', ['a', 'b', 'c', 'd']],
    ['cd web && npm test 2>&1 | tail -20', ['cd web', 'npm test', 'tail -20']],
    ['FOO=1 timeout 60 npm run build', ['npm run build']],
    ['time nice -n 10 make all', ['make all']],
    ['timeout -k 5 60s go test ./...', ['go test ./...']],
    [`bash -lc "cd web && npm test"`, ['cd web', 'npm test']],
    [`git commit -m "one; two && three"`, ['git commit -m one; two && three']],
    [`echo 'a | b' > out.txt`, ['echo a | b']],
    ['make \\\n  all', ['make all']],
    ['npm test # the && rest', ['npm test']],
    ['(cd api && go vet ./...) && make', ['cd api', 'go vet ./...', 'make']],
    ['npm run dev > /tmp/log 2>&1 &', ['npm run dev']],
    ["cat <<'EOF' > a.txt\nrm -rf x && y\nEOF\nmake a", ['cat', 'make a']],
    ['env CI=1 pytest -q', ['pytest -q']],
    [`X=$(echo "it's") && npm test`, ['', 'npm test']],
    ['X=$(echo "a)"); make', ['', 'make']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('keeps what joins the steps', () => {
    expect(splitShell('a && b || true; c | d').map((s) => s.joint)).toEqual([
      '&&',
      '||',
      ';',
      '|',
      '',
    ]);
  });

  test('a commit message in a substitution stays one word', () => {
    const steps = splitShell(
      `git commit -m "$(cat <<'EOF'\nfix: it's done (really)\n\nbody; more\nEOF\n)" && git push`,
    );
    expect(steps).toHaveLength(2);
    expect(steps[0]?.words.slice(0, 3)).toEqual(['git', 'commit', '-m']);
    expect(steps[0]?.dynamic).toBe(true);
  });

  test('loops and conditions are scripts', () => {
    const steps = splitShell('for f in *.ts; do npx tsc $f; done; make lint');
    expect(steps.find((s) => s.words[0] === 'npx')?.scripted).toBe(true);
    expect(steps.find((s) => s.words[0] === 'make')?.scripted).toBe(false);
  });

  test('knows output files from joined streams', () => {
    expect(splitShell('make > out.txt')[0]?.redirected).toBe(true);
    expect(splitShell('make > 2024.log')[0]?.redirected).toBe(true);
    expect(splitShell('make 2>&1')[0]?.redirected).toBe(false);
    expect(splitShell('make > /dev/null 2>&1')[0]?.redirected).toBe(false);
  });

  test('never throws and always ends', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...`ab '"\\$(){}|&;<>\n\`#=-`.split('')),
          maxLength: 80,
        }),
        (text) => {
          expect(Array.isArray(splitShell(text))).toBe(true);
        },
      ),
      { numRuns: 2000, seed: 7 },
    );
  });
});
