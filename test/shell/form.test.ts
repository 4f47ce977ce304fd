import { describe, expect, test } from 'vitest';
import { formOf } from '../../src/shell/index.js';
import { placeIn, rootsOf, splitShell } from '../../src/shell/index.js';

const roots = ['/home/ana/shop'];
function form(command: string, folder: string | null = '') {
  const steps = splitShell(command);
  return formOf(steps[steps.length - 1] ?? (steps[0] as never), folder, roots);
}

describe('formOf', () => {
  test.each([
    ['npm test -- --silent', 'npm test'],
    ['npx vitest run test/cart.test.ts', 'npx vitest run FILE'],
    ['pytest tests/test_a.py::TestA::test_b -v --tb=short', 'pytest FILE'],
    ['pytest -k "adds tax" tests/', 'pytest -k NAME tests/'],
    ['go test ./internal/cart/... -run TestAdd -count=1 -v', 'go test ./PACKAGE -run NAME'],
    ['go test ./...', 'go test ./...'],
    ['CI=1 NO_COLOR=1 npm run build', 'npm run build'],
    ['GOOS=linux go build ./...', 'GOOS=linux go build ./...'],
    ['API_TOKEN=abc npm run deploy', 'npm run deploy'],
    ['/home/ana/shop/scripts/test.sh', 'scripts/test.sh'],
    ['/usr/local/bin/uv run pytest', 'uv run pytest'],
    ['make -j8 all', 'make all'],
    ['gh pr view 123 --comments', 'gh pr view N --comments'],
    ['eslint /home/ana/shop/src/a.ts /home/ana/shop/src/b.ts', 'eslint FILE'],
  ])('%s -> %s', (command, expected) => {
    expect(form(command)?.text).toBe(expected);
  });

  test('keeps the folder only where it matters', () => {
    expect(form('npm test', 'web')?.text).toBe('cd web && npm test');
    expect(form('mise run test', 'web')?.text).toBe('mise run test');
  });

  test('never shows what belongs to one session', () => {
    expect(form('pytest /tmp/x/test_a.py')?.temporary).toBe(true);
    expect(form('npm test', null)?.temporary).toBe(true);
    expect(form('node scripts/run.mjs "a long prompt"')?.temporary).toBe(true);
    expect(form('npm run build --prefix /home/ben/other')?.temporary).toBe(true);
    expect(form('npm install left-pad')?.temporary).toBe(true);
    expect(form('pip install requests')?.temporary).toBe(true);
    for (const plain of [
      'npm test',
      'npm ci',
      'pip install -r requirements.txt',
      'pip install -e .',
      'go mod tidy',
      'uv sync --extra dev',
      'bundle install',
      'pnpm install --frozen-lockfile',
    ]) {
      expect(form(plain)?.temporary, plain).toBe(false);
    }
  });
});

describe('placeIn', () => {
  test('a worktree is its project', () => {
    const shop = rootsOf(['/home/ana/shop', '/home/ana/shop/web']);
    expect(shop).toEqual(['/home/ana/shop']);
    expect(placeIn(shop, '/home/ana/shop/.claude/worktrees/fix-a/src/a.ts')).toBe('src/a.ts');
    expect(placeIn(shop, '/home/ana/shop/./web/../api')).toBe('api');
    expect(placeIn(shop, '/home/ana/shopping/a.ts')).toBeNull();
    expect(placeIn(shop, '../x')).toBeNull();
  });

  test.each([
    String.raw`C:\Work\loom\src\warp.ts`,
    String.raw`\\?\C:\Work\loom\src\warp.ts`,
    'c:/work/loom/src/warp.ts',
    '/c/work/loom/src/warp.ts',
    '/mnt/c/work/loom/src/warp.ts',
  ])('%s lies in a project on a drive', (path) => {
    const roots = rootsOf([String.raw`C:\work\loom`, String.raw`C:\work\loom\web`]);
    expect(roots).toEqual(['c:/work/loom']);
    expect(placeIn(roots, path)).toBe('src/warp.ts');
    expect(placeIn(roots, String.raw`C:\work\loomy`)).toBeNull();
  });
});
