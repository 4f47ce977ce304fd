/**
 * The plugin bundles of packaging/, for Claude Code (code.claude.com/docs/en/plugins-reference) and
 * Codex (developers.openai.com/codex/plugins/build): manifests, hooks and MCP server, and a list of each agent's form that both programs can add as a
 * marketplace.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultConfig } from '../../src/config.js';
import { eventsAt, HOOK_PLACES } from '../../src/links/hook-places.js';
import { ENTRY } from '../../src/links/older.js';

export const packaging = join(import.meta.dirname, '../../packaging');
const NAME = 'dripstone';
const { version, description, license } = JSON.parse(
  readFileSync(join(packaging, '../package.json'), 'utf8'),
) as Record<string, string>;

const jsonOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Hooks at the moments that the configuration has at first. A plugin is copied to a folder of the
 * agent's, so they name no path.
 */
function hooksOf(agent: string): unknown {
  const place = HOOK_PLACES.find((each) => each.agent === agent)!;
  const hooks: Record<string, unknown[]> = {};
  for (const { event, matcher } of eventsAt(place, defaultConfig().hooks.moments))
    (hooks[event] ??= []).push(place.entry(`${NAME} hook ${agent} 2>/dev/null || true`, matcher));
  return { hooks };
}

/** @param manifest the folder in which the agent looks for it */
function bundle(agent: string, folder: string, manifest: string, more: object): [string, string][] {
  const head = {
    name: NAME,
    version,
    description,
    author: { name: NAME },
    license,
    keywords: ['memory'],
    ...more,
  };
  return [
    [`${folder}/${manifest}/plugin.json`, jsonOf(head)],
    [`${folder}/hooks/hooks.json`, jsonOf(hooksOf(agent))],
    [`${folder}/.mcp.json`, jsonOf({ mcpServers: { [NAME]: ENTRY } })],
  ];
}

/** Every file by its place in packaging/. */
export function pluginFiles(): Map<string, string> {
  const shown = {
    ...{
      displayName: NAME,
      shortDescription: 'Memory of past sessions',
      longDescription: description,
    },
    ...{ developerName: NAME, category: 'Productivity' },
  };
  const listed = { name: NAME, source: { source: 'local', path: './codex-plugin' } };
  return new Map([
    ...bundle('claude-code', 'claude-code-plugin', '.claude-plugin', {}),
    // It finds these by their names, too, unless the manifest names others.
    ...bundle('codex', 'codex-plugin', '.codex-plugin', {
      ...{ mcpServers: './.mcp.json', hooks: './hooks/hooks.json', interface: shown },
    }),
    [
      '.claude-plugin/marketplace.json',
      jsonOf({
        ...{ name: NAME, description, owner: { name: NAME } },
        plugins: [{ name: NAME, source: './claude-code-plugin', description }],
      }),
    ],
    [
      '.agents/plugins/marketplace.json',
      jsonOf({
        name: NAME,
        interface: { displayName: NAME },
        plugins: [
          {
            ...listed,
            policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
            category: 'Productivity',
          },
        ],
      }),
    ],
  ]);
}
