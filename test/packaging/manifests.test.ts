/** What other package managers read, in the form that each documents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { packaging } from './plugins.js';

/** A file of packaging/ as a release fills it in. */
function filled(name: string): string {
  return readFileSync(join(packaging, name), 'utf8')
    .replaceAll('{{VERSION}}', '1.2.3')
    .replaceAll('{{HOMEPAGE}}', 'https://dripstone.example')
    .replaceAll('{{DOWNLOADS}}', 'https://dripstone.example/1.2.3')
    .replaceAll(/\{\{SHA256 [\w-]+\}\}/g, 'a'.repeat(64));
}

/**
 * Of ScoopInstaller/Scoop: schema.json, and its wiki's page App-Manifests, which has arm64, too.
 */
const scoop = z.strictObject({
  '##': z.array(z.string()),
  ...{
    version: z.string().regex(/^[\w.\-+]+$/),
    description: z.string(),
    homepage: z.url(),
    license: z.literal('MIT'),
  },
  depends: z.string(),
  architecture: z.partialRecord(
    z.enum(['32bit', '64bit', 'arm64']),
    z.strictObject({ url: z.url().regex(/^[^$]+$/), hash: z.string().regex(/^[a-fA-F0-9]{64}$/) }),
  ),
  installer: z.strictObject({ script: z.array(z.string()).min(1) }),
  ...{ bin: z.string(), notes: z.string() },
});

test('the manifest of Scoop has its form, and each machine the package of that machine', () => {
  const { architecture, bin } = scoop.parse(JSON.parse(filled('dripstone.scoop.json')));
  expect(bin).toBe('dripstone.cmd');
  expect(Object.entries(architecture).map(([name, each]) => [name, each?.url])).toEqual([
    ['64bit', 'https://dripstone.example/1.2.3/dripstone-1.2.3-win32-x64.tgz#/dripstone.package'],
    ['arm64', 'https://dripstone.example/1.2.3/dripstone-1.2.3-win32-arm64.tgz#/dripstone.package'],
  ]);
});

test('the formula fits the rules of Homebrew, compiles nothing and finds node when it runs as a service', () => {
  const text = filled('dripstone.rb');
  const [, desc] = /^ {2}desc "(.*)"$/m.exec(text)!;
  expect(desc!.length).toBeLessThanOrEqual(80);
  expect(desc).not.toMatch(/^(?:an? |the )|\.$/i);
  expect(text).toContain('system "npm", "install", *std_npm_args, "--ignore-scripts"');
  expect(text).toContain('environment_variables PATH: std_service_path_env');
  expect(text.match(/^ +sha256 "a{64}"$/gm)).toHaveLength(4);
  expect(text).not.toContain('{{');
});

test('a release has npm look at each package, and names what npm needs to prove where it comes from', () => {
  const text = readFileSync(join(packaging, 'release.js'), 'utf8');
  expect(text).toMatch(/'publish', path, '--dry-run'/);
  // Publishing itself is for a person.
  expect(text.match(/'publish'/g)).toHaveLength(1);
});
