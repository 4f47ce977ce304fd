import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultConfig, homeOf, loadConfig, pathsOf, retiredIn } from '../../src/config.js';
import { compiledFile } from '../../src/place.js';
import type { AppError } from '../../src/errors.js';
import { put, testFolder } from '../folder.js';

function file(text: string): string {
  return put(join(testFolder(), 'config.yaml'), text);
}
function failure(text: string): AppError {
  try {
    loadConfig(file(text));
  } catch (error) {
    return error as AppError;
  }
  throw new Error('the config was accepted');
}

describe('config', () => {
  test('an option of an older version is taken, changes nothing, and is named with the reason', () => {
    const text = 'store: {keep_text_days: 30, lock_wait_ms: 7}\nlog: {level: debug}\n';
    expect(loadConfig(file(text))).toEqual({ ...defaultConfig(), log: { level: 'debug' } });
    expect(retiredIn('config.yaml', text)).toEqual([
      'config.yaml: keep_text_days has no effect any more: texts are kept',
      'config.yaml: lock_wait_ms has no effect any more: it is fixed',
    ]);
    expect(retiredIn('config.yaml', 'log: {level: debug}\n')).toEqual([]);
  });
  test('an option with a new name keeps its meaning', () => {
    const emails = (text: string): boolean => loadConfig(file(text)).redact.emails;
    expect(emails('redact: {mask_emails: false, mask_phones: true}\n')).toBe(false);
    expect(emails('redact: {mask_ibans: false, deadline_ms: 5}\n')).toBe(true);
    expect(retiredIn('config.yaml', 'redact: {mask_emails: false}\n')).toEqual([
      'config.yaml: mask_emails has no effect any more: `redact.emails` has its meaning',
    ]);
  });
  test.each([
    ['exclude: [*secret*]\n', 'line 1: ', 'must be quoted'],
    ['enabled: true\nexclude:\n  - *secret\n', 'line 3: ', 'must be quoted'],
    ['exclude:\n  - **/client-*\n', 'line 2: ', 'must be quoted'],
  ])('a glob without quotes is told with its line, exit 13: %j', (text, line, hint) => {
    expect(failure(text)).toMatchObject({
      code: 'CONFIG_INVALID',
      exitCode: 13,
      message: expect.stringContaining(line) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  test('a file that is no UTF-8 is refused with its line, not read by half', () => {
    const path = file('');
    writeFileSync(
      path,
      Buffer.from('enabled: true\nexclude: ["/home/ana/gr\xf6\xdfe"]\n', 'latin1'),
    );
    expect(() => loadConfig(path)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        exitCode: 13,
        message: expect.stringContaining('line 2: it is not UTF-8') as string,
      }) as Error,
    );
  });

  test('the defaults are what the YAML parser and the schema make of config/default.yaml, in the built program too', () => {
    const text = readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8');
    expect(defaultConfig()).toEqual(parse(text));
    expect(loadConfig(file(text))).toEqual(defaultConfig());
    const home = testFolder();
    const out = execFileSync(process.execPath, [compiledFile('cli.js'), 'config', '--json'], {
      env: { PATH: process.env['PATH'], HOME: home, DRIPSTONE_HOME: join(home, 'stone') },
      encoding: 'utf8',
    });
    const { options } = JSON.parse(out) as { options: { key: string; value: unknown }[] };
    for (const { key, value } of options)
      expect(value).toEqual(
        key
          .split('.')
          .reduce(
            (part: unknown, name) => (part as Record<string, unknown>)[name],
            defaultConfig(),
          ),
      );
    expect(options.length).toBeGreaterThan(20);
  });

  test.each([
    [
      'context:\n  budget_token: 600\n',
      /line 2: unknown key context\.budget_token/,
      'context.budget_tokens',
    ],
    [
      'enabled: true\nschedul:\n  nightly_at: "03:00"\n',
      /line 2: unknown key schedul$/,
      'schedule',
    ],
    ['nightly_at: "03:00"\n', /line 1: unknown key nightly_at/, 'schedule.nightly_at'],
  ])('an unknown key names its line and the nearest valid one: %j', (text, message, near) => {
    const error = failure(text);
    expect(error.exitCode).toBe(13);
    expect(error.message).toMatch(message);
    expect(error.hint).toContain(near);
  });

  test('a config that is a folder is exit 13', () => {
    expect(() => loadConfig(tmpdir())).toThrowError(
      expect.objectContaining({ exitCode: 13 }) as Error,
    );
  });

  test('a config that is a pipe or a device is exit 13, and nothing waits for it', () => {
    const pipe = join(testFolder(), 'config.yaml');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero'])
      expect(() => loadConfig(file)).toThrowError(
        expect.objectContaining({
          exitCode: 13,
          message: expect.stringContaining('not a plain file') as string,
        }) as Error,
      );
  });

  test('DRIPSTONE_HOME moves everything', () => {
    expect(homeOf({ HOME: '/home/ann' })).toBe('/home/ann/.dripstone');
    expect(homeOf({ HOME: '/home/ann', DRIPSTONE_HOME: '/data/stone' })).toBe('/data/stone');
    const inside = Object.values(pathsOf('/data/stone'));
    expect(inside.filter((path) => !path.startsWith('/data/stone'))).toEqual([]);
  });
});
