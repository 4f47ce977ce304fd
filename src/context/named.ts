/** Repository names in a line: files, scripts of manifests, flags of scripts. Pure. */
import { codeSpans } from '../text/code.js';

export interface NamedInTree {
  kind: 'file' | 'script' | 'flag';
  /** As in the line. */
  name: string;
  /**
   * Below the project's root: the file, the folder of the manifest, or the script that takes the
   * flag.
   */
  path: string;
  /** Manifests that may contain the script. */
  manifests: readonly string[];
}

/** `npm run NAME`, `make NAME`, `just NAME`, with the manifests that may contain the script. */
const RUNS: readonly [RegExp, readonly string[]][] = [
  [/^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)/, ['package.json']],
  [/^make ([\w.-]+)$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/^just ([\w-]+)/, ['justfile', 'Justfile']],
];
/**
 * A path below the root: has a folder or a file extension. Placeholders (`FILE`, `./PACKAGE`) are
 * not paths.
 */
const PATH =
  /^(?:\.\/)?(?!\.{0,2}\/)[\w@.-]*[\w-](?:\/[\w@.-]+)+\/?$|^(?:\.\/)?[\w-][\w.-]*\.[a-z][a-z0-9]{0,7}$/;
const PLACE = /(?:^|\/)[A-Z_]+$/;

function pathOf(word: string): string | null {
  if (!PATH.test(word) || PLACE.test(word) || word.includes('..')) return null;
  return word.replace(/^\.\//, '').replace(/\/$/, '');
}

/** Names in the code spans of a text, each once. */
export function namedIn(text: string): NamedInTree[] {
  const found = new Map<string, NamedInTree>();
  const add = (named: NamedInTree): void =>
    void found.set(`${named.kind} ${named.path} ${named.name}`, named);
  for (const span of codeSpans(text)) {
    const [, folder = '', command] = /^cd (\S+) && (.*)$/.exec(span) ?? [null, '', span];
    const below = (path: string): string => (folder === '' ? path : `${folder}/${path}`);
    if (folder !== '') add({ kind: 'file', name: folder, path: folder, manifests: [] });
    for (const [runs, manifests] of RUNS) {
      const name = runs.exec(command)?.[1];
      if (name !== undefined) add({ kind: 'script', name, path: folder, manifests });
    }
    const words = command.split(/\s+/);
    for (const word of words) {
      const path = pathOf(word);
      if (path !== null) add({ kind: 'file', name: path, path: below(path), manifests: [] });
    }
    const script = pathOf(words[0]!);
    if (script === null) continue;
    for (const word of words.slice(1))
      if (/^--[a-z][\w-]+/.test(word))
        add({ kind: 'flag', name: word.replace(/=.*$/, ''), path: below(script), manifests: [] });
  }
  return [...found.values()];
}
