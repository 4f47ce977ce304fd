/** The plugin bundles are what `link` would set up, in the form that each agent documents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defaultConfig } from '../../src/config.js';
import { eventsAt, HOOK_PLACES } from '../../src/links/hook-places.js';
import { withHooks } from '../../src/links/hooks.js';
import { packaging, pluginFiles } from './plugins.js';

const files = pluginFiles();
const read = (name: string): unknown => JSON.parse(readFileSync(join(packaging, name), 'utf8'));
const { files: shipped } = JSON.parse(readFileSync(join(packaging, '../package.json'), 'utf8')) as {
  files: string[];
};

test.each([...files])('%s is as the code writes it (`npm run format`)', (name, text) => {
  expect(readFileSync(join(packaging, name), 'utf8')).toBe(text);
});

test('the package carries them, and nothing else lies in their folders', () => {
  const folders = ['.claude-plugin', '.agents', 'claude-code-plugin', 'codex-plugin'];
  expect(shipped).toEqual(expect.arrayContaining(folders.map((name) => `packaging/${name}`)));
  const there = folders.flatMap((folder) =>
    readdirSync(join(packaging, folder), { recursive: true, withFileTypes: true }).flatMap(
      (entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []),
    ),
  );
  expect(there.sort()).toEqual([...files.keys()].map((name) => join(packaging, name)).sort());
});

/** A path in a bundle: both agents refuse one that leaves it. */
const inside = z.string().regex(/^\.\/(?!.*\.\.)/);
const name = z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
const head = {
  ...{
    name,
    version: z.string().regex(/^\d+\.\d+\.\d+/),
    description: z.string().min(1),
    license: z.string(),
  },
  ...{ author: z.strictObject({ name: z.string() }), keywords: z.array(z.string()) },
};
/**
 * code.claude.com/docs/en/plugins-reference: what lies at the default places is found without being
 * named.
 */
const claudeManifest = z.strictObject(head);
/**
 * developers.openai.com/codex/plugins/build, and `RawPluginManifest` of
 * codex-rs/core-plugins/src/manifest.rs.
 */
const codexManifest = z.strictObject({
  ...head,
  ...{ mcpServers: inside, hooks: inside },
  interface: z.strictObject({
    ...{ displayName: z.string(), shortDescription: z.string(), longDescription: z.string() },
    ...{ developerName: z.string(), category: z.string() },
  }),
});
/** The same form in both; Codex takes no file with another key at its top. */
const hooks = z.strictObject({
  hooks: z.partialRecord(
    z.enum(
      HOOK_PLACES.flatMap(({ events }) =>
        Object.values(events).flatMap((each) => each.map(({ event }) => event)),
      ),
    ),
    z.array(
      z.strictObject({
        matcher: z.string().optional(),
        hooks: z
          .array(
            z.strictObject({
              type: z.literal('command'),
              command: z.string(),
              timeout: z.int().max(600),
            }),
          )
          .length(1),
      }),
    ),
  ),
});
const servers = z.strictObject({
  mcpServers: z.record(name, z.strictObject({ command: z.string(), args: z.array(z.string()) })),
});

test.each([
  ['claude-code-plugin', '.claude-plugin', claudeManifest],
  ['codex-plugin', '.codex-plugin', codexManifest],
])('%s is in the form that its agent documents', (folder, place, manifest) => {
  // Only the manifest may lie beside itself: other parts are looked for at the top.
  expect(readdirSync(join(packaging, folder, place))).toEqual(['plugin.json']);
  const said = manifest.parse(read(`${folder}/${place}/plugin.json`));
  for (const path of Object.values(said).filter(
    (value): value is string => typeof value === 'string' && value.startsWith('./'),
  ))
    expect(existsSync(join(packaging, folder, path)), path).toBe(true);
  hooks.parse(read(`${folder}/hooks/hooks.json`));
  servers.parse(read(`${folder}/.mcp.json`));
});

test('each list of plugins names the bundle of its agent by a path below itself', () => {
  const source = z.union([inside, z.strictObject({ source: z.literal('local'), path: inside })]);
  const list = z.object({ name, plugins: z.array(z.object({ name, source })).length(1) });
  const claude = list
    .extend({ owner: z.strictObject({ name: z.string() }) })
    .parse(read('.claude-plugin/marketplace.json'));
  const codex = list.parse(read('.agents/plugins/marketplace.json'));
  expect(claude.plugins[0]!.source).toBe('./claude-code-plugin');
  expect(codex.plugins[0]!.source).toEqual({ source: 'local', path: './codex-plugin' });
});

test.each([
  ['claude-code', 'claude-code-plugin'],
  ['codex', 'codex-plugin'],
])('the hooks of %s are those of `link --hooks`, but for the program', (agent, folder) => {
  const place = HOOK_PLACES.find((each) => each.agent === agent)!;
  const events = eventsAt(place, defaultConfig().hooks.moments);
  const line = `dripstone hook ${agent} 2>/dev/null || true`;
  const linked = withHooks(undefined, place, events, () => line)!;
  expect(read(`${folder}/hooks/hooks.json`)).toEqual(
    JSON.parse(linked.replaceAll(/ # dripstone[^"]*"/g, '"')),
  );
});
