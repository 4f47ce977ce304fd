/**
 * The stories of tail-property.test.ts once more with real files, the real thread and the real
 * store: fewer, and nothing invented.
 */
import fc from 'fast-check';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prompt, testHome } from './ingest-home.js';
import { runs } from '../runs.js';

const KINDS = [
  'append',
  'append',
  'append',
  'half',
  'create',
  'rotate',
  'copyTruncate',
  'truncate',
  'rewrite',
  'replace',
  'remove',
  'rename',
  'copy',
  'fork',
  'read',
  'read',
] as const;
interface Act {
  kind: (typeof KINDS)[number];
  a: number;
  b: number;
}
const story = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), a: fc.nat(20), b: fc.nat(60) }),
  { minLength: 8, maxLength: 22 },
);

/** Prompts whose texts say in which log they were written first. */
function createFolder(folder: string, label: string) {
  let serial = 0;
  const owed = new Map<string, Buffer>();
  const sessionOf = new Map<string, string>();
  const names = () => (existsSync(folder) ? readdirSync(folder).sort() : []);
  const at = (name: string) => join(folder, name);
  const write = (session: string, count: number) =>
    Array.from({ length: count }, () =>
      prompt(`${label} Nº ${++serial} grüßt 🚀`, { sessionId: session }),
    ).join('');
  const create = (name: string, count: number) => {
    sessionOf.set(name, `${label}-${++serial}`);
    writeFileSync(at(name), write(sessionOf.get(name)!, count));
    owed.delete(name);
  };
  const follow = (from: string, to: string) => {
    renameSync(at(from), at(to));
    sessionOf.set(to, sessionOf.get(from)!);
    const rest = owed.get(from);
    owed.delete(from);
    owed.delete(to);
    if (rest !== undefined) owed.set(to, rest);
  };
  const endLine = (name: string) => {
    appendFileSync(at(name), owed.get(name) ?? '');
    owed.delete(name);
  };

  const act = ({ kind, a, b }: Act): void => {
    const all = names();
    const name = all[a % Math.max(1, all.length)];
    if (name === undefined || kind === 'create') return create(`log${++serial}.jsonl`, 1 + b);
    const session = sessionOf.get(name)!;
    const fresh = `log${++serial}.jsonl`;
    if (kind === 'append' || kind === 'half') endLine(name);
    if (kind === 'append') appendFileSync(at(name), write(session, 1 + (b % 9)));
    else if (kind === 'half') {
      const line = Buffer.from(write(session, 1)); // the cut may fall into a character
      const cut = 1 + (b % (line.length - 1));
      appendFileSync(at(name), line.subarray(0, cut));
      owed.set(name, line.subarray(cut));
    } else if (kind === 'rotate') {
      follow(name, fresh);
      create(name, 1 + (b % 5));
    } else if (kind === 'copyTruncate') {
      endLine(name);
      copyFileSync(at(name), at(fresh));
      sessionOf.set(fresh, session);
      truncateSync(at(name), 0);
    } else if (kind === 'truncate') {
      truncateSync(at(name), 0);
      owed.delete(name);
    } else if (kind === 'rewrite') create(name, 1 + b);
    else if (kind === 'replace') {
      create(fresh, 1 + (b % 20));
      follow(fresh, name);
      owed.delete(name);
    } else if (kind === 'remove') rmSync(at(name));
    else if (kind === 'rename') follow(name, fresh);
    else if (kind === 'copy' || kind === 'fork') {
      endLine(name);
      const text = readFileSync(at(name), 'utf8');
      sessionOf.set(fresh, kind === 'copy' ? session : `${label}-${++serial}`);
      writeFileSync(
        at(fresh),
        kind === 'copy'
          ? text
          : text.replaceAll(`"${session}"`, `"${sessionOf.get(fresh)!}"`) +
              write(sessionOf.get(fresh)!, 2),
      );
    }
  };
  const whole = (): Set<string> => {
    const texts = names().flatMap((name) =>
      readFileSync(at(name), 'utf8')
        .split('\n')
        .slice(0, -1)
        .filter((line) => line !== ''),
    );
    return new Set(
      texts.map((line) => (JSON.parse(line) as { message: { content: string } }).message.content),
    );
  };
  return { act, whole };
}

test('real files and the real store: lost 0, doubled 0', async () => {
  const home = await testHome();
  let rows = 0;
  let number = 0;
  await fc.assert(
    fc.asyncProperty(story, async (acts) => {
      const project = `p${++number}`;
      home.log(`${project}/first.jsonl`, '');
      const folder = createFolder(join(home.home, '.claude/projects', project), project);
      folder.act({ kind: 'create', a: 0, b: 5 });
      const texts = new Set<string>();
      for (const act of [...acts, { kind: 'read', a: 0, b: 0 } as Act]) {
        if (act.kind !== 'read') {
          folder.act(act);
          continue;
        }
        expect(await home.run()).not.toMatchObject({ failed: 1 });
        for (const text of folder.whole()) texts.add(text);
        const found = await home.texts();
        const mine = found.filter((text) => text.startsWith(`${project} `));
        expect(new Set(mine)).toEqual(texts);
        expect(mine.length).toBe(texts.size);
        rows = found.length;
      }
    }),
    { numRuns: runs(6, 60), seed: 22, endOnFailure: true },
  );
  expect(rows).toBeGreaterThan(200);
});
