/** Folders and files of the tests, removed when the test ends that made them, or else its file. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

const ends = new Set<() => void>();
const lasting: string[] = [];

/** Does it after the test that runs now; where none runs, after the file or the script. */
export function atEnd(act: () => void): void {
  try {
    onTestFinished(act);
  } catch {
    ends.add(act);
  }
}

/** After each file of tests, and when the process exits. */
export function endFile(): void {
  for (const act of [...ends].reverse()) act();
  ends.clear();
}
process.once('exit', () => {
  endFile();
  for (const folder of lasting) rmSync(folder, { recursive: true, force: true });
});

/** A folder with the given files. */
export function testFolder(files: Record<string, string | Buffer> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'dripstone-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) put(join(folder, name), content);
  return folder;
}

/** A folder that all files of a worker share. */
export function lastingFolder(): string {
  lasting.push(mkdtempSync(join(tmpdir(), 'dripstone-lasting-')));
  return lasting.at(-1)!;
}

/** @returns the path */
export function put(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** The files below a folder. */
export function walk(folder: string): string[] {
  return (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []).flatMap((each) =>
    each.isDirectory() ? walk(join(folder, each.name)) : [join(folder, each.name)],
  );
}

/** The files below a folder that hold one of the texts in any case, packed ones unpacked. */
export function holding(folder: string, ...texts: string[]): string[] {
  const wanted = texts.map((text) => Buffer.from(text).toString('latin1').toLowerCase());
  return walk(folder).filter((path) => {
    // A socket holds no bytes.
    const bytes = lstatSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0);
    const all = [Buffer.from(path.slice(folder.length)), bytes];
    if (path.endsWith('.gz')) all.push(gunzipSync(bytes));
    const shown = all.map((part) => part.toString('latin1').toLowerCase());
    return wanted.some((text) => shown.some((part) => part.includes(text)));
  });
}
