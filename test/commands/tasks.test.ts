/**
 * What `make` does, `npm run` does where there is no make; and no script runs by itself when
 * somebody installs the package.
 */
import { existsSync, readFileSync } from 'node:fs';
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

test('scripts are words that cmd.exe reads as sh does, and name files that exist', () => {
  for (const [name, script] of Object.entries(scripts)) {
    expect(script, name).not.toMatch(
      /'[^']*\*|\$|;\s|(?:^|&&\s*)(?:[A-Z_]+=|rm |cp |mkdir |bash |sh )/,
    );
    const files = [
      ...script.matchAll(/(?:node|tsx) ((?:bench|packaging|test)\/\S+|bundle\.js)/g),
    ].map(([, file]) => file!);
    expect(
      files.filter((file) => !existsSync(file)),
      name,
    ).toEqual([]);
  }
});

test('nothing runs by itself', () => {
  const byItself =
    /^(?:pre|post)?(?:install|pack|publish|prepare|uninstall|version)$|^prepublishOnly$|^dependencies$/;
  expect(Object.keys(scripts).filter((name) => byItself.test(name))).toEqual([]);
});
