import { describe, expect, test } from 'vitest';
import { commandsOf } from './door.js';
import { MadeSession } from './made-session.js';

function texts(session: MadeSession): string[] {
  return commandsOf(session.input())
    .filter((c) => c.evidence.supports)
    .map((c) => c.text);
}

describe('commands that work', () => {
  test('one success of a test command is enough; probes are nothing', () => {
    const session = new MadeSession()
      .shell('ls -la && cat package.json', '{}')
      .shell('cd /home/ana/shop && npm test 2>&1 | tail -20', 'Tests: 12 passed, 12 total');
    const [only, ...rest] = commandsOf(session.input());
    expect(rest).toEqual([]);
    expect(only).toMatchObject({
      kind: 'command',
      text: 'Test: `npm test`',
      alone: true,
      importance: 4,
      saidBy: 'observed',
      evidence: { trust: 0.6, day: '2026-11-20' },
    });
    expect(only?.tags).toContain('class:test');
  });

  test('a pipe does not hide a failure', () => {
    expect(texts(new MadeSession().shell('npm test | tail -5', 'Tests: 2 failed, 3 passed'))).toEqual([]);
    expect(texts(new MadeSession().shell('npm run lint || true', 'error TS2322: no'))).toEqual([]);
    expect(texts(new MadeSession().shell('make build; echo done', 'make: *** [build] Error 1\ndone'))).toEqual([]);
    expect(texts(new MadeSession().shell('npm run lint; echo done', 'All checks passed\ndone'))).toEqual([
      'Lint: `npm run lint`',
    ]);
  });

  test('silence behind a cutting pipe is success, unless something was picked out, thrown away or nobody knows the end', () => {
    expect(texts(new MadeSession().shell('cd web && npx tsc --noEmit 2>&1 | head -50', ''))).toEqual([
      'Typecheck: `cd web && npx tsc --noEmit`',
    ]);
    expect(texts(new MadeSession().shell('npx tsc --noEmit 2>&1 | grep error', ''))).toEqual([]);
    expect(texts(new MadeSession().shell('npx tsc --noEmit 2>/dev/null | head -50', ''))).toEqual([]);
    expect(texts(new MadeSession().shell('npx tsc --noEmit | head -50', '', { outcome: null, exit: null }))).toEqual([]);
  });

  test('looking at pull requests is no command of the project, opening them in its own way is', () => {
    expect(
      texts(new MadeSession().shell('gh pr view 12 --comments', 'a comment').shell('gh pr list --state all', 'none')),
    ).toEqual([]);
    expect(texts(new MadeSession().shell('GH_REPO=ana/shop gh pr view 12', 'a title'))).toEqual([
      'Pull request: `GH_REPO=ana/shop gh pr view N`',
    ]);
  });

  test('says what the runner expands to', () => {
    expect(texts(new MadeSession().shell('npm test', '\n> shop@1.0.0 test\n> vitest run\n\n 3 passed'))).toEqual([
      'Test: `npm test` (runs `vitest run`)',
    ]);
    expect(texts(new MadeSession().shell('mise run lint', '[lint] $ ruff check .\nAll checks passed'))).toEqual([
      'Lint: `mise run lint` (runs `ruff check .`)',
    ]);
  });

  test('a background start, an interruption and a refusal prove nothing', () => {
    expect(texts(new MadeSession().shell('npm run build', '', { outcome: null, exit: null }))).toEqual([]);
    expect(texts(new MadeSession().shell('npm run build', '', { outcome: 'rejected', exit: null }))).toEqual([]);
    expect(texts(new MadeSession().shell('npm run dev &', ''))).toEqual([]);
  });

  test('copied entries are never evidence', () => {
    const session = new MadeSession().shell('npm test', '3 passed');
    for (const entry of session.entries) entry.copied = true;
    expect(texts(session)).toEqual([]);
  });

  test('a script that is gone speaks against the command', () => {
    const session = new MadeSession().fails('npm run check', 'npm error Missing script: "check"');
    expect(commandsOf(session.input())).toMatchObject([
      { kind: 'command', key: 'check:npm run check', evidence: { supports: false } },
    ]);
  });

  test('other steps need a second session', () => {
    expect(commandsOf(new MadeSession().shell('npm ci', 'added 3 packages').input())[0]?.alone).toBe(false);
    expect(commandsOf(new MadeSession().shell('acme lint', 'ok').input())[0]?.alone).toBe(false);
    // One file looked at with a tool, twice or not, is a probe.
    expect(
      commandsOf(
        new MadeSession()
          .shell('npx prettier --check a.ts', 'All checks passed')
          .shell('npx prettier --check b.ts', 'All checks passed')
          .input(),
      )[0]?.alone,
    ).toBe(false);
  });

  test('the own entry point for setting up or generating is enough at once', () => {
    expect(commandsOf(new MadeSession().shell('make prepare', 'hooks installed').input())[0]).toMatchObject({
      text: 'Install: `make prepare`',
      alone: true,
    });
    expect(commandsOf(new MadeSession().shell('npm run generate', 'done').input())[0]).toMatchObject({
      text: 'Generate: `npm run generate`',
      alone: true,
    });
  });
});

describe('replaced commands', () => {
  const replaced = (session: MadeSession): string[] =>
    commandsOf(session.input())
      .filter((c) => c.kind === 'correction')
      .map((c) => c.text);

  test.each([
    [
      'pytest -q',
      'bash: pytest: command not found',
      'uv run pytest -q',
      'Use `uv run pytest` instead of `pytest`: `pytest` by itself is not found.',
    ],
    [
      'python -m py_compile a.py',
      '(eval):1: command not found: python',
      'uv run python -m py_compile a.py',
      'Use `uv run python` instead of `python`: `python` by itself is not found.',
    ],
    [
      'make gen-doc',
      "make: *** No rule to make target 'gen-doc'.  Stop.",
      'make gen-docs',
      'Use `make gen-docs` instead of `make gen-doc`: the other name does not exist.',
    ],
    [
      'python -m pytest',
      '/usr/bin/python: No module named pytest',
      '.venv/bin/python -m pytest',
      'Use `.venv/bin/python` instead of `python`: without it `pytest` is not found.',
    ],
    [
      'npm run typecheck',
      'npm error Missing script: "typecheck"',
      'npm run type-check',
      'Use `npm run type-check` instead of `npm run typecheck`: the other name does not exist.',
    ],
    [
      'acme pkg rm theme',
      "error: unrecognized subcommand 'rm'",
      'acme pkg delete theme',
      'Use `acme pkg delete` instead of `acme pkg rm`: there is no `rm`.',
    ],
    [
      'acme build --fast',
      "error: unexpected argument '--fast' found\nunknown option --fast",
      'acme build',
      'Use `acme build` instead of `acme build --fast`: `--fast` is not accepted.',
    ],
  ])('%s', (failing, output, working, text) => {
    expect(replaced(new MadeSession().fails(failing, output).shell('ls').shell(working, 'done'))).toEqual([text]);
  });

  test('not when the form works elsewhere, not after long, not by another program', () => {
    expect(
      replaced(
        new MadeSession()
          .shell('pytest -q', '1 passed')
          .fails('pytest -q', 'pytest: command not found')
          .shell('uv run pytest -q', '1 passed'),
      ),
    ).toEqual([]);
    const late = new MadeSession().fails('pytest -q', 'pytest: command not found');
    for (let i = 0; i < 8; i += 1) late.shell('ls');
    expect(replaced(late.shell('uv run pytest -q', '1 passed'))).toEqual([]);
    expect(replaced(new MadeSession().fails('pytest -q', 'pytest: command not found').shell('pip install pytest', 'ok'))).toEqual(
      [],
    );
    expect(replaced(new MadeSession().fails('pytest -q', '1 failed').shell('uv run pytest -q', '1 passed'))).toEqual([]);
  });

  test('carries subject and value for contradictions', () => {
    const [found] = commandsOf(
      new MadeSession().fails('pytest', 'pytest: command not found').shell('uv run pytest', '1 passed').input(),
    ).filter((c) => c.kind === 'correction');
    expect(found).toMatchObject({ subject: 'instead of pytest', value: 'uv run pytest', alone: true });
    expect(found?.mentions).toContain('uv run pytest');
  });
});

describe('needed parts', () => {
  const needs = (session: MadeSession): string[] =>
    commandsOf(session.input())
      .filter((c) => c.key.startsWith('needs:'))
      .map((c) => c.text);

  test('one option or environment value more makes it work', () => {
    expect(
      needs(new MadeSession().fails('npm ci', 'npm error code ERESOLVE').shell('npm ci --legacy-peer-deps', 'added 3')),
    ).toEqual(['`npm ci` fails here without `--legacy-peer-deps`: use `npm ci --legacy-peer-deps`.']);
    expect(
      needs(
        new MadeSession()
          .fails('npm run build', 'Error: digital envelope')
          .shell('NODE_OPTIONS=--openssl-legacy-provider npm run build', 'ok'),
      ),
    ).toHaveLength(1);
  });

  test('not after an edit, not for talk, not when it also works without', () => {
    expect(needs(new MadeSession().fails('npm test', '1 failed').edit('a.ts').shell('npm test --coverage', '3 passed'))).toEqual(
      [],
    );
    expect(needs(new MadeSession().fails('npm test', '1 failed').shell('npm test --verbose', '3 passed'))).toEqual([]);
    expect(needs(new MadeSession().fails('npm ci', 'x').shell('npm ci --legacy-peer-deps', 'ok').shell('npm ci', 'ok'))).toEqual(
      [],
    );
  });
});

describe('habits and costs', () => {
  test('commit style counts when most subjects share it', () => {
    const session = new MadeSession()
      .shell('git add a && git commit -m "feat: cart"', '')
      .shell(`git commit -m "$(cat <<'EOF'\nfix(cart): tax\n\nbody\nEOF\n)"`, '')
      .shell('git commit -m "oops"', '');
    const style = commandsOf(session.input()).find((c) => c.key === 'habit:conventional-commits');
    expect(style).toMatchObject({ alone: false, evidence: { supports: true } });
    const other = commandsOf(new MadeSession().shell('git commit -m "Add cart"', '').input()).find(
      (c) => c.key === 'habit:conventional-commits',
    );
    expect(other?.evidence.supports).toBe(false);
  });

  test.each([
    ['v1.2.0: cart', 'habit:version-commits'],
    ['SHOP-12: cart', 'habit:ticket-commits'],
    ['✨ cart', 'habit:emoji-commits'],
  ])('%s', (subject, key) => {
    const keys = commandsOf(new MadeSession().shell(`git commit -m "${subject}"`, '').input())
      .filter((c) => c.evidence.supports)
      .map((c) => c.key);
    expect(keys).toEqual([key]);
  });

  test('a check between the last edit and the commit is a habit', () => {
    const session = new MadeSession().edit('a.ts').shell('make check', 'ok').shell('git commit -m "feat: a"', '');
    expect(commandsOf(session.input()).map((c) => c.key)).toContain('habit:before-commit:make check');
  });

  test('a check that rewrites files is named', () => {
    const session = new MadeSession().shell('npm run lint', '> shop@1.0.0 lint\n> eslint . --fix\n');
    expect(texts(session)).toContain(
      '`npm run lint` is not read-only: it runs `eslint . --fix` and rewrites files; look at `git diff` after it.',
    );
  });

  test('release steps show when the tag was pushed', () => {
    const session = new MadeSession()
      .shell('sh scripts/bump-version.sh', 'v1.2.3')
      .shell('git tag v1.2.3 && git push origin main && git push origin v1.2.3', '');
    expect(texts(session)).toContain(
      'Release steps: `sh scripts/bump-version.sh`, commit, `git tag vX.Y.Z`, push the branch and `git push origin vX.Y.Z`.',
    );
    expect(texts(new MadeSession().shell('git tag v1.2.3', '')).some((t) => t.startsWith('Release steps'))).toBe(false);
  });

  test('a time-out is worth a warning', () => {
    const session = new MadeSession().fails('make e2e', 'Command timed out after 2m 0s');
    expect(texts(session)).toContain(
      '`make e2e` is slow (it ran into a tool timeout): run it in the background or with a long timeout.',
    );
  });
});

describe('the sandbox', () => {
  const stuck = (session: MadeSession): string[] =>
    commandsOf(session.input())
      .filter((c) => c.tags.includes('sandbox'))
      .map((c) => c.text);
  const outside = (session: MadeSession, command: string): MadeSession => {
    session.shell(command, '3 passed');
    session.entries.at(-2)!.marks = ['unsandboxed'];
    return session;
  };

  test('what it forbids and what then works outside of it is told', () => {
    const told = "`npm run e2e` fails inside the agent's sandbox: ask to run it outside.";
    expect(
      stuck(
        outside(new MadeSession().fails('npm run e2e', 'Error: listen EPERM: operation not permitted 127.0.0.1'), 'npm run e2e'),
      ),
    ).toEqual([told]);
    expect(stuck(outside(new MadeSession().fails('npm run e2e', '1 failed'), 'npm run e2e'))).toEqual([]);
    expect(stuck(new MadeSession().fails('npm run e2e', 'listen EPERM').shell('npm run e2e', '3 passed'))).toEqual([]);
    expect(
      stuck(outside(new MadeSession().shell('npm run e2e', '3 passed').fails('npm run e2e', 'listen EPERM'), 'npm run e2e')),
    ).toEqual([]);
  });

  test('an environment value that a later call adds is told also when what it asks for differs', () => {
    const session = new MadeSession()
      .fails('gh pr view 12 --json title', 'no git remotes found')
      .shell('GH_REPO=ana/shop gh pr view 12 --json commits', '{}');
    expect(texts(session)).toContain(
      '`gh pr view N` fails here without `GH_REPO=ana/shop`: use `GH_REPO=ana/shop gh pr view N`.',
    );
  });
});

describe('checks that are run together', () => {
  const chains = (session: MadeSession): [string, boolean][] =>
    commandsOf(session.input())
      .filter((c) => c.tags.includes('order'))
      .map((c) => [c.text, c.alone]);

  test('their order is a habit when two sessions agree', () => {
    const session = new MadeSession().shell('npm run format && npm run lint && npm test 2>&1 | tail -5', '3 passed');
    expect(chains(session)).toEqual([
      ['Run together after a change, in this order: `npm run format && npm run lint && npm test`.', false],
    ]);
  });

  test('not single files, not with other steps between, not when one failed, not joined by a semicolon', () => {
    expect(chains(new MadeSession().shell('npm run lint && npx vitest run a.test.ts', '3 passed'))).toEqual([]);
    expect(chains(new MadeSession().shell('npm run lint; npm test', '3 passed'))).toEqual([]);
    expect(chains(new MadeSession().fails('npm run lint && npm test', '1 failed'))).toEqual([]);
  });
});
