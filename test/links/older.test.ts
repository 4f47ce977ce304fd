/** What earlier versions linked is removed, whatever their options were. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setStage } from '../stage.js';
import older from './older-links.json' with { type: 'json' };
import { put } from '../folder.js';

/** Files of a person, and what each way to link of an earlier version made of them. */
const before: Record<string, string> = older.before;
const ways: [string, Record<string, string>][] = Object.entries(older.after);

function lay(home: string, stone: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = name.startsWith('.dripstone/')
      ? join(stone, name.slice('.dripstone/'.length))
      : join(home, name);
    put(path, text.replaceAll('{HOME}', home));
  }
}

function filesIn(folder: string, at = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, at), { withFileTypes: true }).flatMap((entry) => {
      const path = join(at, entry.name);
      return entry.isDirectory()
        ? Object.entries(filesIn(folder, path))
        : [[path, readFileSync(join(folder, path), 'utf8')] as const];
    }),
  );
}

describe.each([[['unlink', '--all']], [['service', 'uninstall']]])('%j', (words) => {
  test.each(ways)('%s: every byte comes back', async (_, after) => {
    const { home, stone, type } = setStage();
    lay(home, stone, { ...before, ...after });
    expect(filesIn(home)).not.toEqual(before);
    expect(await type(...words)).toMatchObject({ code: 0, err: '' });
    expect(filesIn(home)).toEqual(before);
    expect(readdirSync(join(home, 'repo'))).toHaveLength(5);
  });
});

test('an agent takes no hook out', async () => {
  const stage = setStage();
  lay(stage.home, stage.stone, { ...before, ...older.after.hooks });
  stage.caller = { kind: 'agent', name: 'codex' };
  const linked = filesIn(stage.home);
  for (const words of [
    ['unlink', '--hooks'],
    ['unlink', '--all'],
    ['service', 'uninstall'],
    ['service', 'uninstall', '--purge'],
  ])
    expect((await stage.type(...words)).err).toContain('for the person alone');
  expect(filesIn(stage.home)).toEqual(linked);
});
