/**
 * Builds dist/ from src/ as a few files, because loading many files takes most of the time of a
 * short command. Pure JavaScript dependencies are included, so a package needs only native parts
 * from a registry (docs/decisions/package.md). `make check`, not this file, checks types.
 * Usage: node bundle.js [--all-machines]. A release needs `--all-machines`: it adds the model's
 * runtime for every machine that has one.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { parse } from 'yaml';

const root = import.meta.dirname;
const require = createRequire(import.meta.url);
const isRelease = process.argv.includes('--all-machines');

/**
 * Files that are started by path: the program, its threads and child processes. src/place.ts finds
 * them in dist/ under these names.
 */
const ENTRIES = ['cli', 'embed/worker', 'jobs/compute-thread', 'watchers/byte-search-child'];
/** Tests start their own processes with these. */
const TESTED = ['store/index'];

/**
 * Loaded at first use with `createRequire` from files of their own, which are named `#lib/NAME`.
 */
const LAZY = {
  '@huggingface/transformers': 'transformers',
  pino: 'pino',
  yaml: 'yaml',
  zod: 'zod',
};

/**
 * DuckDB's client has many CommonJS files, which the bundler joins only for a plain `require`.
 * Packages of LAZY are loaded from `#lib`. Any form but `createRequire(import.meta.url)('NAME')` or
 * `load('NAME')` fails the build.
 */
const LOADED = { '@duckdb/node-api': () => "require('@duckdb/node-api')" };
for (const [name, out] of Object.entries(LAZY)) LOADED[name] = (by) => `${by}('#lib/${out}')`;
const missed = new Set(Object.keys(LOADED));
const packLoads = {
  name: 'pack-loads',
  setup: (b) => {
    b.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('createRequire')) return undefined;
      const contents = text.replaceAll(
        /\b(createRequire\(import\.meta\.url\)|load)\(\s*'([^']+)',?\s*\)/g,
        (whole, by, name) => {
          missed.delete(name);
          return name in LOADED ? LOADED[name](by) : whole;
        },
      );
      return { loader: 'ts', contents };
    });
    b.onEnd(() => {
      if (missed.size > 0) throw new Error(`bundle.js finds no load of ${[...missed].join(', ')}`);
    });
  },
};

/**
 * Only the text part of transformers: pictures (sharp) are not needed. The runtime's native part is
 * beside the program, because its package has an install script that downloads files.
 */
const packModel = {
  name: 'pack-model',
  setup(b) {
    b.onResolve({ filter: /^sharp$/ }, () => ({ path: 'sharp', namespace: 'none' }));
    b.onLoad({ filter: /.*/, namespace: 'none' }, () => ({
      contents: "module.exports = () => { throw new Error('pictures are not read'); };",
    }));
    replacing(
      b,
      /transformers\.node\.cjs$/,
      'requireFromHere("onnxruntime-node")',
      'require("onnxruntime-node")',
    );
    replacing(
      b,
      /onnxruntime-node[/\\]dist[/\\]binding\.js$/,
      'require(`../bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`)',
      "require(require('node:path').join(__dirname, `../native/${process.platform}-${process.arch}/onnxruntime_binding.node`))",
    );
  },
};

/** One copy of zod for both ways of loading it, without messages in other languages. */
const packShapes = {
  name: 'pack-shapes',
  setup(b) {
    b.onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'lib' }));
    b.onLoad({ filter: /.*/, namespace: 'lib' }, () => ({
      contents: "module.exports = require('#lib/zod');",
    }));
  },
};
const packOneLanguage = {
  name: 'pack-one-language',
  setup: (b) =>
    b.onLoad({ filter: /zod[/\\]v4[/\\]locales[/\\]index\.cjs$/ }, () => ({
      contents: "exports.en = require('./en.cjs').default;",
    })),
};

/** The queue loads its store by name. */
const packQueue = {
  name: 'pack-queue',
  setup: (b) =>
    replacing(
      b,
      /better-queue[/\\]lib[/\\]queue\.js$/,
      "require('better-queue-' + store)",
      "require('better-queue-memory')",
    ),
};

/** Replaces code of a package, and fails if a newer version of the package has other code. */
function replacing(b, filter, what, by) {
  b.onLoad({ filter }, async ({ path }) => {
    const [before, after, ...more] = (await readFile(path, 'utf8')).split(what);
    if (after === undefined || more.length > 0)
      throw new Error(`${path} does not hold \`${what}\` once, as bundle.js expects`);
    return { loader: 'js', contents: `${before}${by}${after}` };
  });
}

const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  metafile: true,
  external: ['#lib/*', ...Object.keys(dependencies).flatMap((name) => [name, `${name}/*`])],
  logLevel: 'warning',
};
/** The queries of src/facts, which are not in a package. */
const queries = {};
for (const name of (await readdir(join(root, 'src/facts'))).sort())
  if (name.endsWith('.sql'))
    queries[name.slice(0, -'.sql'.length)] = await readFile(join(root, 'src/facts', name), 'utf8');
const program = await build({
  ...common,
  // The bundler cannot follow how the other form of this package loads its parts.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  entryPoints: [...ENTRIES, ...TESTED].map((name) => `src/${name}.ts`),
  outdir: 'dist',
  outbase: 'src',
  // Parts are directly in dist/, where src/place.ts expects to be.
  chunkNames: 'part-[hash]',
  splitting: true,
  format: 'esm',
  sourcemap: true,
  // Strings, since an object would become a module that every file loads. Source code reads the
  // files.
  define: {
    DEFAULTS: JSON.stringify(
      JSON.stringify(parse(await readFile(join(root, 'config/default.yaml'), 'utf8'))),
    ),
    FACT_QUERIES: JSON.stringify(JSON.stringify(queries)),
  },
  plugins: [packLoads, packShapes, packQueue],
  // CommonJS packages load their parts with `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
/**
 * The program that agents start: one CommonJS file, because Node starts it sooner than a module.
 */
const hook = await build({
  ...common,
  external: [],
  entryPoints: [{ in: 'src/hooks/program.ts', out: 'hook' }],
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minify: true,
});
const lazy = await build({
  ...common,
  entryPoints: Object.entries(LAZY).map(([name, out]) => ({ in: require.resolve(name), out })),
  outdir: 'dist/lib',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // Some packages contain code for web pages that reads `import.meta`; it is never run.
  logOverride: { 'empty-import-meta': 'silent' },
  minify: true,
  plugins: [packModel, packOneLanguage],
});

/** The page of `dripstone ui`, for a browser. It loads nothing but these three files. */
const page = await build({
  ...common,
  platform: 'browser',
  target: 'es2022',
  external: [],
  entryPoints: ['main.tsx', 'page.css'].map((name) => ({
    in: `src/web/page/${name}`,
    out: 'page',
  })),
  outdir: 'dist/web',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
});
await copyFile(join(root, 'src/web/page/index.html'), join(root, 'dist/web/index.html'));

/** Copies the model's runtime, which is large, so only missing files. */
async function copyRuntime() {
  const runtime = createRequire(require.resolve('@huggingface/transformers')).resolve(
    'onnxruntime-node',
  );
  const bin = join(dirname(runtime), '../bin/napi-v6');
  const wanted = isRelease ? /./ : new RegExp(`^${process.platform}.${process.arch}$`);
  const copied = [];
  for (const entry of await readdir(bin, { recursive: true, withFileTypes: true })) {
    const machine = relative(bin, entry.parentPath).split(sep).join('-');
    // DirectML and its compiler are for graphics processors, which are not used. macOS loads only
    // the library with the short name.
    const isUnused = /^(?:DirectML|dx)|\.\d+\.\d+\.\d+\.dylib$/.test(entry.name);
    if (!entry.isFile() || isUnused || !wanted.test(machine)) continue;
    const [from, to] = [
      join(entry.parentPath, entry.name),
      join(root, 'dist/native', machine, entry.name),
    ];
    await mkdir(dirname(to), { recursive: true });
    if (!existsSync(to) || (await stat(to)).size !== (await stat(from)).size)
      await copyFile(from, to);
    copied.push(to);
  }
  return copied;
}

/** For packages that only name this licence. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Name, version and licence of every package with code in dist/. */
async function licences(files) {
  const folders = new Set(
    files
      .map((file) => /^(.*node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(file)?.[1])
      .filter(Boolean),
  );
  const parts = [];
  for (const folder of [...folders].sort()) {
    const { name, version, license, author } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    const file = (await readdir(folder)).find((each) => /^(?:licen[cs]e|copying)/i.test(each));
    const by = name.startsWith('onnxruntime')
      ? 'Microsoft Corporation'
      : typeof author === 'string'
        ? author
        : author?.name;
    if (!file && license !== 'MIT')
      throw new Error(`${name} ${version} carries no licence text (${license}): add it here`);
    const text = file
      ? await readFile(join(folder, file), 'utf8')
      : `Copyright (c) ${by}\n\n${MIT}`;
    parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  return parts.join(`\n${'-'.repeat(78)}\n\n`);
}

const native = await copyRuntime();
const inputs = [program, hook, lazy, page].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(
  join(root, 'dist/LICENSES.txt'),
  await licences(inputs.map((file) => join(root, file))),
);

// Removes files of an older build; only at the end, so that a command that starts meanwhile finds
// its files.
const outputs = [program, hook, lazy, page].flatMap(({ metafile }) =>
  Object.keys(metafile.outputs),
);
const made = new Set([
  ...outputs.map((name) => join(root, name)),
  ...native,
  join(root, 'dist/.stamp'),
  join(root, 'dist/LICENSES.txt'),
  join(root, 'dist/web/index.html'),
]);
for (const entry of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isDirectory() && !made.has(path)) await rm(path);
}
