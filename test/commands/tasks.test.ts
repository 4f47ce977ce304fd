/**
 * What `make` does, `npm run` does where there is no make; and no script runs by itself when
 * somebody installs the package.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const targets = [...readFileSync('Makefile', 'utf8').matchAll(/^([a-z][a-z-]*):.* ## (.*)$/gm)].map(
  ([, name]) => name!,
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};
/** `npm run` alone lists; a script called `install` would run when the package is installed. */
const CALLED: Record<string, string> = {
  help: '',
  install: 'service:install',
  uninstall: 'service:uninstall',
};

test('every target of the Makefile is a script', () => {
  expect(targets).toEqual(expect.arrayContaining(['install', 'run', 'check', 'clean']));
  expect(
    targets.map((name) => CALLED[name] ?? name).filter((name) => name !== '' && !(name in scripts)),
  ).toEqual([]);
});

test('nothing runs by itself', () => {
  const byItself =
    /^(?:pre|post)?(?:install|pack|publish|prepare|uninstall|version)$|^prepublishOnly$|^dependencies$/;
  expect(Object.keys(scripts).filter((name) => byItself.test(name))).toEqual([]);
});
