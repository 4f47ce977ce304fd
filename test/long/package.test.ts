/**
 * The package from the tarball: what it carries, and that it works on a bare machine with the
 * scripts of packages switched on.
 */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samples } from '../stage.js';
import { BareMachine, hasRegistry, npmFile, pack, scriptsOf, type Packed } from './packed.js';

/** A goal: what a stranger downloads first. */
const MOST_BYTES = 40_000_000;

let machine: BareMachine;
let packed: Packed;
beforeAll(() => {
  machine = new BareMachine();
  packed = pack(machine.root);
});
afterAll(() => machine.remove());

test('it carries program, model, runtime and licences, nothing else, and stays below its size', () => {
  const allowed =
    /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/LICENSES\.txt|dist\/(?:.*\/)?[\w-]+\.c?js|dist\/web\/(?:index\.html|page\.css)|dist\/native\/\w+-\w+\/[\w.]+|config\/\w+\.(?:yaml|json)|docs\/[\w-]+\.md|src\/facts\/\w+\.sql|models\/(?:README\.md|[\w-]+\/(?:README\.md|LICENSE|weights\.bin|(?:onnx\/)?[\w-]+\.(?:json|onnx)))|test\/samples\/home\/.*\.jsonl|packaging\/(?:\.agents|\.claude-plugin|claude-code-plugin|codex-plugin)\/[\w./-]+\.(?:json|md))$/;
  expect(packed.files.filter((path) => !allowed.test(path))).toEqual([]);
  expect(packed.files).toEqual(
    expect.arrayContaining([
      'dist/cli.js',
      'dist/LICENSES.txt',
      'dist/web/index.html',
      'dist/web/page.css',
      'dist/web/page.js',
      `dist/native/${process.platform}-${process.arch}/onnxruntime_binding.node`,
      'models/all-MiniLM-L6-v2/LICENSE',
      'models/all-MiniLM-L6-v2/onnx/model_quantized.onnx',
      'src/facts/works.sql',
    ]),
  );
  expect(packed.bytes).toBeLessThan(MOST_BYTES);
  // A part that is loaded on demand fails where it is wanted, and nowhere else.
  const parts = packed.files.filter((path) => /^dist\/[\w/-]+\.js$/.test(path));
  const wanted = parts.flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /(?:\bimport\(|\bfrom ?|\bimport ?)"(\.[^"\n]+\.js)"/g,
      ),
    ].map(([, to]) => join(dirname(path), to!)),
  );
  expect(wanted.length).toBeGreaterThan(parts.length);
  expect([...new Set(wanted)].filter((path) => !packed.files.includes(path))).toEqual([]);
});

test('what is bundled is named with its licence, and only native parts are left to the registry', () => {
  const licences = readFileSync('dist/LICENSES.txt', 'utf8');
  const named = [...licences.matchAll(/^(\S+) \d\S* \([\w-]+(?:\.\d)?(?: OR [\w-]+)?\)$/gm)].map(
    (match) => match[1],
  );
  const bundled = [
    '@duckdb/node-api',
    '@huggingface/transformers',
    'onnxruntime-node',
    'preact',
    'yaml',
    'zod',
  ];
  expect(bundled.filter((name) => !named.includes(name))).toEqual([]);
  expect(licences.includes('Copyright (c) Microsoft Corporation')).toBe(true);
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(Object.keys(dependencies)).toEqual([
    '@duckdb/node-bindings',
    '@photostructure/sqlite',
    'tinypool',
  ]);
});

/** Reads the shipped samples as a person's logs; the model must have worked. */
function readsSamples(program: string): void {
  cpSync(samples, machine.home, { recursive: true });
  const read = machine.run(program, 'run', '--json');
  expect(read.err).toBe('');
  expect(JSON.parse(read.out)).toMatchObject({
    files: 12,
    notes: [expect.stringContaining('may become a rule')],
    errors: [],
  });
  expect(
    machine.run(program, 'search', 'how are prices rounded', '--mode', 'semantic', '--json').out,
  ).toContain('"mode":"semantic"');
  const checked = machine.run(program, 'status', '--check');
  expect(checked.out + checked.err).not.toContain('FAIL');
}

describe.runIf(hasRegistry())('installed from the registry', () => {
  test('npm i -g with scripts on, and offline with scripts off: reads, searches by meaning, and nothing but sqlite has an install script', () => {
    const prefix = join(machine.root, 'npm');
    const done = machine.run(
      process.execPath,
      npmFile(),
      'install',
      '--global',
      '--prefix',
      prefix,
      packed.file,
    );
    expect([done.code, done.err]).toEqual([0, expect.not.stringContaining('EBADENGINE')]);
    readsSamples(join(prefix, 'bin/dripstone'));
    const service = machine.run(join(prefix, 'bin/dripstone'), 'service', 'install');
    expect([service.code, service.out]).toEqual([0, expect.stringContaining('not running now')]);
    const npx = join(dirname(npmFile()), 'npx-cli.js');
    copyFileSync(packed.file, join(machine.home, 'dripstone.tgz'));
    expect(
      machine.run(process.execPath, npx, '--yes', './dripstone.tgz', '--version'),
    ).toMatchObject({ code: 0 });

    const modules = join(prefix, 'lib/node_modules/dripstone/node_modules');
    const names = readdirSync(modules).flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`)
        : name.startsWith('.')
          ? []
          : [name],
    );
    const scripted = names.filter((name) => {
      const { preinstall, install, postinstall } = scriptsOf(join(modules, name));
      return preinstall ?? install ?? postinstall;
    });
    expect(scripted).toEqual(['@photostructure/sqlite']);
    expect(existsSync(join(modules, 'onnxruntime-node'))).toBe(false);
    const sizes = readdirSync(prefix, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    const megabytes = Math.ceil(sizes.reduce((sum, size) => sum + size) / 1e6);
    expect(megabytes, 'README').toBeLessThanOrEqual(180);

    // What the first installation brought is all that a second one needs.
    const again = join(machine.root, 'again');
    const flags = ['--global', '--offline', '--ignore-scripts', '--prefix', again];
    expect(
      machine.run(process.execPath, npmFile(), 'install', ...flags, packed.file),
    ).toMatchObject({ code: 0 });
    expect(
      machine.run(join(again, 'bin/dripstone'), 'search', 'prices', '--mode', 'semantic', '--json')
        .out,
    ).toContain('"mode":"semantic"');
  });
});
