/**
 * Versions of the program in a folder of their own, from each layout that a package manager makes.
 */
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  copyVersion,
  currentVersion,
  keepVersion,
  programFolder,
  removeProgram,
} from '../../src/supervisor/versions.js';
import { put as putFile, testFolder } from '../folder.js';

let root: string;
beforeEach(() => void (root = testFolder()));

function put(path: string, text: string): void {
  putFile(join(root, path), text);
}
function putPackage(
  folder: string,
  name: string,
  dependencies: Record<string, string> = {},
  optionalDependencies = {},
): void {
  put(
    `${folder}/package.json`,
    JSON.stringify({ name, version: '1.2.3', dependencies, optionalDependencies }),
  );
  put(`${folder}/index.js`, name);
}
const copy = (from: string) => copyVersion(join(root, from), join(root, 'program'), 4);
const copied = () => readdirSync(join(root, 'program', copy('app').id, 'node_modules')).sort();

/** `other-machine` is for another one and was not installed. */
function putProgram(at: string, store: string): void {
  putPackage(at, 'dripstone', { native: '1' });
  put(`${at}/dist/cli.js`, 'cli');
  put(`${at}/dist/cli.js.map`, 'map');
  put(`${at}/src/cli.ts`, 'source');
  put(`${at}/src/facts/index.ts`, 'source');
  put(`${at}/src/facts/works.sql`, 'query');
  putPackage(
    `${store}/native`,
    'native',
    { deep: '1' },
    { 'native-machine': '1', 'other-machine': '1' },
  );
}

test('beside each other, as npm puts them; nothing but the package and what it needs is copied', () => {
  putProgram('app', 'app/node_modules');
  for (const name of ['deep', 'native-machine', 'unasked'])
    putPackage(`app/node_modules/${name}`, name);
  expect(copied()).toEqual(['deep', 'native', 'native-machine']);
  const folder = join(root, 'program', copy('app').id);
  expect(readdirSync(folder).sort()).toEqual([
    'dist',
    'installed.json',
    'node_modules',
    'package.json',
    'src',
  ]);
  expect(readdirSync(join(folder, 'src/facts'))).toEqual(['works.sql']);
  expect(existsSync(join(folder, 'dist/cli.js.map'))).toBe(false);
});

test('by links into a store, as pnpm does', () => {
  putProgram('store/app/node_modules/dripstone', 'store/native/node_modules');
  symlinkSync(
    join(root, 'store/native/node_modules/native'),
    join(root, 'store/app/node_modules/native'),
  );
  for (const name of ['deep', 'native-machine'])
    putPackage(`store/native/node_modules/${name}`, name);
  symlinkSync(join(root, 'store/app/node_modules/dripstone'), join(root, 'app'));
  expect(copied()).toEqual(['deep', 'native', 'native-machine']);
  expect(
    readFileSync(join(root, 'program', copy('app').id, 'node_modules/native/index.js'), 'utf8'),
  ).toBe('native');
});

test('the same files are one version, another byte is another; a half copied one is copied again; only the one that runs is kept', () => {
  putProgram('app', 'app/node_modules');
  putPackage('app/node_modules/deep', 'deep');
  const first = copy('app');
  expect(copy('app')).toEqual(first);
  rmSync(join(root, 'program', first.id, 'installed.json'));
  expect(copy('app')).toEqual(first);
  keepVersion(join(root, 'program'), first);
  put('app/dist/cli.js', 'clj');
  const second = copy('app');
  expect(second.id).not.toBe(first.id);
  expect(currentVersion(join(root, 'program'))?.id).toBe(first.id);
  keepVersion(join(root, 'program'), second);
  expect(readdirSync(join(root, 'program')).sort()).toEqual([second.id, 'current.json'].sort());
  expect(currentVersion(join(root, 'program'))).toMatchObject({ id: second.id, store: 4 });
  expect([
    removeProgram(join(root, 'program'), root),
    removeProgram(join(root, 'program'), root),
  ]).toEqual([true, false]);
});

test('where programs of a person lie', () => {
  expect(programFolder('linux', '/home/ann', {})).toBe('/home/ann/.local/share/dripstone/program');
  expect(programFolder('linux', '/home/ann', { XDG_DATA_HOME: '/data' })).toBe(
    '/data/dripstone/program',
  );
  expect(programFolder('darwin', '/Users/ann', {})).toBe(
    '/Users/ann/Library/Application Support/dripstone/program',
  );
});
