/**
 * A page is written again when anything that it is made of changed, and not otherwise: rendering
 * all of them took 70 ms each.
 */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { runAll } from '../../src/jobs/loop.js';
import { type Stage, begunStage } from '../stage.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';

const SESSIONS = {
  kettle: '11111111-1111-4111-8111-111111111111',
  lamp: '22222222-2222-4222-8222-222222222222',
};
type Name = keyof typeof SESSIONS;

function log(stage: Stage, name: Name, day: string, said: string): void {
  const path = `.claude/projects/-home-ann-${name}/${SESSIONS[name]}.jsonl`;
  const lines = claudeLog({ session: SESSIONS[name], cwd: join(stage.home, name), day }, [
    says(`Remember: ${said}`),
    shell('make brew', 'ok, 12 passed', 0),
  ]);
  const file = join(stage.home, path);
  if (existsSync(file)) appendFileSync(file, lines);
  else stage.put(path, lines);
}

const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  for (const name of ['kettle', 'lamp'] as const) {
    stage.put(`${name}/Makefile`, 'brew:\n\ttrue\n');
    stage.put(`${name}/src/taste.ts`, 'export const taste = 1;\n');
    log(stage, name, '2026-11-10', `Never edit \`src/taste.ts\` of the ${name} by hand`);
  }
  expect((await stage.type('run')).err).toBe('');
});

/** The projects whose pages one run renders; `person` for the person's own. */
async function rendered(stage: Stage): Promise<string[]> {
  await using app = await createApp({ ...stage.io(), access: 'write', mode: 'once' });
  const names: string[] = [];
  const run: App['compute']['run'] = (task, ...material) => {
    if (task === 'render')
      names.push(
        ...(material[0] as unknown as { project: { name: string } | null }[]).map(
          ({ project }) => project?.name ?? 'person',
        ),
      );
    return app.compute.run(task, ...material);
  };
  const { errors } = await runAll(
    { ...app, compute: { ...app.compute, run } },
    { only: ['ingest', 'extract', 'context'] },
  );
  expect(errors).toEqual([]);
  return names.sort();
}

/** Kettle and lamp take turns: a page that stays stale would show in the next row. */
const CHANGES: [what: string, change: (stage: Stage) => unknown, pages: string[]][] = [
  ['nothing', () => {}, []],
  [
    'a session went on',
    (stage) => log(stage, 'kettle', '2026-11-19', 'Always descale the kettle with vinegar'),
    ['kettle', 'person'],
  ],
  [
    'it changed at once and kept its size',
    (stage) => stage.put('lamp/CLAUDE.md', 'Dim it never.\n'),
    ['lamp'],
  ],
  ['a page is gone', (stage) => rmSync(join(stage.folder('lamp'), 'context.md')), ['lamp']],
  [
    'a page was changed',
    (stage) => appendFileSync(join(stage.folder('kettle'), 'context.md'), 'Mine.\n'),
    ['kettle'],
  ],
  [
    'a lesson was added',
    (stage) => stage.type('lessons', 'add', 'Dust the lamp', '--project', 'lamp'),
    ['lamp', 'person'],
  ],
  [
    'a lesson holds everywhere',
    (stage) => stage.type('lessons', 'add', 'Say please', '--global'),
    ['kettle', 'lamp', 'person'],
  ],
  [
    'the budget is another',
    (stage) => appendFileSync(join(stage.stone, 'config.yaml'), 'context: {budget_tokens: 400}\n'),
    ['kettle', 'lamp', 'person'],
  ],
  [
    'the day is another',
    (stage) => void (stage.now = new Date('2026-11-21T12:00:00Z')),
    ['kettle', 'lamp', 'person'],
  ],
  // Whether git tells of it is asked each time.
  [
    'the tree lost a file that a line names',
    (stage) => rmSync(join(stage.home, 'lamp/src/taste.ts')),
    ['lamp'],
  ],
  ['it lacks it still', () => {}, ['lamp']],
];

test(
  'a page is rendered when something that it is made of changed, and only then',
  { timeout: 240_000 },
  async () => {
    const stage = await begun();
    // The copied stage has other times than the files that were written.
    await rendered(stage);
    for (const [what, change, pages] of CHANGES) {
      await change(stage);
      expect({ what, pages: await rendered(stage) }).toEqual({ what, pages });
    }
    const page = readFileSync(join(stage.folder('kettle'), 'context.md'), 'utf8');
    expect(page).toContain('descale');
    expect(page).not.toContain('Mine.');
  },
);
