import { describe, expect, test } from 'vitest';
import { extractSession } from '../../src/extract/index.js';
import type { Candidate } from '../../src/types.js';
import { MadeSession } from './made-session.js';

function found(session: MadeSession): Candidate[] {
  return extractSession(session.input()).candidates.filter(
    (c) => c.tags.includes('changed') || c.tags.includes('needs') || c.tags.includes('replaced'),
  );
}
function texts(session: MadeSession): string[] {
  return found(session).map((c) => c.text);
}
function cured(from: string, error: string, to: string, output = 'done'): MadeSession {
  return new MadeSession().fails(from, error, error).agent('Once more.').shell(to, output);
}

describe('a failure cured by a changed command', () => {
  test.each([
    [
      'docker compose exec web pytest',
      'the input device is not a TTY',
      'docker compose exec -T web pytest',
      '`docker compose exec` fails here with `the input device is not a TTY`: `docker compose exec -T` works.',
    ],
    [
      'gh pr view 12 --json merged_at',
      'Unknown JSON field: "merged_at"',
      'gh pr view 12 --json mergedAt',
      '`gh pr view --json merged_at` fails here with `Unknown JSON field: "merged_at"`: `gh pr view --json mergedAt` works.',
    ],
    [
      'npm install',
      'npm error ERESOLVE could not resolve',
      'pnpm install',
      '`npm install` fails here with `npm error ERESOLVE could not resolve`: `pnpm install` works.',
    ],
    [
      'shopctl migrate --parallel',
      'deadlock detected on table orders',
      'shopctl migrate',
      '`shopctl migrate --parallel` fails here with `deadlock detected on table orders`: `shopctl migrate` works.',
    ],
    [
      'shopctl seed',
      'refusing to run in region unset',
      'REGION=eu shopctl seed',
      '`shopctl seed` fails here with `refusing to run in region unset`: `REGION=eu shopctl seed` works.',
    ],
  ])('%s', (from, error, to, text) => {
    expect(texts(cured(from, error, to))).toEqual([text]);
  });

  test('ranks behind the commands that work', () => {
    const all = extractSession(
      cured(
        'docker compose exec web pytest',
        'the input device is not a TTY',
        'docker compose exec -T web pytest',
        '3 passed',
      ).input(),
    ).candidates;
    const [changed, working] = [all.find((c) => c.tags.includes('changed')), all.find((c) => c.kind === 'command')];
    expect(changed!.importance).toBeLessThan(working!.importance);
    expect(changed!.worth).toBeLessThan(working!.worth);
    expect(changed?.alone).toBe(true);
  });

  test.each([
    ['which shopctl', 'shopctl not found anywhere', 'which -a shopctl'],
    ['ls missing', 'ls: missing: no such file', 'ls -a missing'],
    ['grep -r total src', 'nothing was found at all', 'grep -ri total src'],
    ['shopctl --version', 'unknown state of the shop', 'shopctl -V'],
    ['shopctl lint', 'total is never used in cart', 'shopctl lint --fix'],
    ['git commit -m x', 'hook declined the commit', 'git commit -m x --no-verify'],
    ['shopctl push', 'remote has other commits', 'shopctl push --force'],
    ['shopctl test', 'TypeError: total is undefined', 'shopctl test --skip-slow'],
    ['shopctl show orders', 'no orders in this shop', 'shopctl show carts'],
    ['pip install .', 'externally managed environment', 'pip install . --break-system-packages'],
    ['shopctl pull', 'certificate is not trusted here', 'SHOP_TLS_VERIFY=0 shopctl pull'],
  ])('a probe, another question or a way past a check is none: %s', (from, error, to) => {
    expect(texts(cured(from, error, to))).toEqual([]);
  });

  test('nor is it one when something else happened in between, or when it works as it was', () => {
    const [from, error, to] = ['shopctl migrate --parallel', 'deadlock detected on table orders', 'shopctl migrate'] as const;
    const start = (): MadeSession => new MadeSession().fails(from, error, error);
    expect(texts(start().edit('db.ts').shell(to, 'done'))).toEqual([]);
    expect(texts(start().user('I stopped the other one').shell(to, 'done'))).toEqual([]);
    expect(texts(start().shell('npm run db:reset', 'ok').shell(to, 'done'))).toEqual([]);
    expect(texts(start().shell(to, 'done').shell(from, 'done'))).toEqual([]);
    expect(texts(start().fails(to, error, error))).toEqual([]);
  });
});
