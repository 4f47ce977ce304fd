/**
 * Builds dist/ from src/: a few files instead of one for each source, since loading files takes most of the time of a short command.
 * Types are not looked at here (`make check` does). Usage: node bundle.js
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';

const root = import.meta.dirname;

/** What is started by its path: the program, its threads and its child processes. src/place.ts finds them in dist/ under these names. */
const ENTRIES = [
  'cli',
  'embed/worker',
  'jobs/reading/reader-thread',
  'jobs/learning/compute-thread',
  'watchers/byte-search-child',
];
/** Tests start processes of their own on these. */
const TESTED = ['app', 'daemon', 'store/index'];

/** DuckDB's client is 181 CommonJS files that every command would look up one by one; to a bundler only a plain `require` says that it is needed. */
const packClient = {
  name: 'pack-client',
  setup: (b) =>
    b.onLoad({ filter: /[/\\]src[/\\]store[/\\]duckdb\.ts$/ }, async ({ path }) => {
      const [before, after, ...more] = (await readFile(path, 'utf8')).split("createRequire(import.meta.url)('@duckdb/node-api')");
      if (after === undefined || more.length > 0) throw new Error(`${path} does not load DuckDB's client as bundle.js expects`);
      return { loader: 'ts', contents: `${before}require('@duckdb/node-api')${after}` };
    }),
};

const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { outputs } = (
  await build({
    absWorkingDir: root,
    entryPoints: [...ENTRIES, ...TESTED].map((name) => `src/${name}.ts`),
    outdir: 'dist',
    outbase: 'src',
    // Pieces lie right in dist/, where src/place.ts expects to be.
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    metafile: true,
    external: [
      '@duckdb/node-bindings',
      ...Object.keys(dependencies)
        .filter((name) => name !== '@duckdb/node-api')
        .flatMap((name) => [name, `${name}/*`]),
    ],
    // A string, since an object would become a module that every file loads. src/config.ts reads the file itself from source.
    define: { DEFAULTS: JSON.stringify(JSON.stringify(parse(await readFile(join(root, 'config/default.yaml'), 'utf8')))) },
    plugins: [packClient],
    // The client is CommonJS and loads its binding with `require`.
    banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
    logLevel: 'warning',
  })
).metafile;

// What an older build left; only now, so that a command that starts meanwhile finds its files.
const made = new Set([...Object.keys(outputs).map((name) => join(root, name)), join(root, 'dist/.stamp')]);
for (const entry of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isDirectory() && !made.has(path)) await rm(path);
}
