/**
 * What other tools' notes say already is not repeated; a section for AGENTS.md says what a team may
 * read.
 */
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Stage, begunStage } from '../stage.js';
import { put } from '../folder.js';

let stage: Stage;
let repo: string;

async function type(...argv: string[]) {
  const said = await stage.type(...argv);
  expect([said.code, said.err]).toEqual([0, '']);
  return said;
}

const begun = begunStage({}, async (first) => {
  stage = first;
  repo = stage.cwd = join(stage.home, 'src/shop');
  put(join(repo, '.git/HEAD'), 'ref: refs/heads/main\n');
  const text = 'Remember: always run `make check` before you commit';
  const line = {
    ...{
      type: 'user',
      uuid: '1',
      parentUuid: null,
      sessionId: 's1',
      cwd: repo,
      timestamp: '2026-11-19T10:00:00.000Z',
    },
    ...{
      userType: 'external',
      promptSource: 'typed',
      isSidechain: false,
      message: { role: 'user', content: text },
    },
  };
  stage.put(
    `.claude/projects/${repo.replace(/[^a-zA-Z0-9]/g, '-')}/s1.jsonl`,
    `${JSON.stringify(line)}\n`,
  );
  await stage.type('run');
  await type('lessons', 'add', 'Invoices are rounded up to 5 cents', '--kind', 'decision');
  await type(
    'lessons',
    'add',
    'The staging database is never migrated by hand',
    '--kind',
    'preference',
  );
});
beforeEach(async () => {
  stage = await begun();
  stage.cwd = repo;
});

async function page(): Promise<string> {
  return (await type('context')).out;
}

test('a memory that the setting of the person moved is found, one that a repository names is not', async () => {
  const moved = stage.put(
    'notes/claude/testing.md',
    '- The staging database is never migrated by hand\n',
  );
  put(
    join(repo, '.claude/settings.json'),
    JSON.stringify({ autoMemoryDirectory: join(stage.home, 'elsewhere') }),
  );
  stage.put('elsewhere/private.md', '- Invoices are rounded up to 5 cents\n');
  stage.put('.claude/settings.json', JSON.stringify({ autoMemoryDirectory: '~/notes/claude' }));
  const { files } = (await type('lessons', 'import', '--json')).json<{
    files: { path: string }[];
  }>();
  expect(files.map(({ path }) => path)).toEqual([moved]);
  expect(await page()).not.toContain('staging database');
});

test('a memory of Claude Code and a rule of Cursor are taken in, and out again', async () => {
  expect(await page()).toContain('staging database');
  const memory = stage.put(
    `.claude/projects/${repo.replace(/[^a-zA-Z0-9]/g, '-')}/memory/MEMORY.md`,
    '# Memory\n- The staging database is never migrated by hand, ask Kim\n',
  );
  const rule = put(
    join(repo, '.cursor/rules/money.mdc'),
    '---\ndescription: money\nalwaysApply: true\n---\n# Money\nInvoices are not rounded up to 5 cents.\n',
  );
  const shown = await type('lessons', 'import', '--print');
  expect(shown.out).toContain('would be so: counts as said already');
  expect(await page()).toContain('staging database');
  const taken = await type('lessons', 'import', '--json');
  const { files } = taken.json<{ files: { path: string; said: string[] }[] }>();
  expect(files.map(({ path, said }) => [path, said.length])).toEqual(
    [
      [memory, 1],
      [rule, 0],
    ].sort(),
  );
  expect(await page()).not.toContain('staging database');
  expect(await page()).toContain('Invoices are rounded up to 5 cents');
  expect((await type('lessons', 'why', 'staging database')).out).toContain(
    '`lessons import` named says it',
  );
  // The lesson stays: search and detail have it.
  expect(
    stage.read(
      `projects/${(await type('context', '--json')).json<{ project: string }>().project}/detail/preferences.md`,
    ),
  ).toContain('staging database');
  expect((await type('lessons', 'import', '--drop', memory)).out).toContain('counts no more');
  expect(await page()).toContain('staging database');
});

test('what Codex and Gemini CLI remember is found: not the raw material, no other project, no skill', async () => {
  const note = '- The staging database is never migrated by hand\n';
  const found = [
    stage.put('.codex/memories/MEMORY.md', note),
    stage.put('.codex/memories/memory_summary.md', '# Summary\n'),
    stage.put('.gemini/GEMINI.md', '## Gemini Added Memories\n- I like short answers\n'),
    stage.put('.gemini/tmp/shop/memory/MEMORY.md', note),
    stage.put('.gemini/tmp/shop/memory/testing.md', note),
  ];
  stage.put('.gemini/tmp/shop/.project_root', repo);
  for (const name of [
    '.codex/memories/raw_memories.md',
    '.codex/memories/rollout_summaries/one.md',
  ])
    stage.put(name, note);
  stage.put('.gemini/tmp/shop/memory/skills/deploy/SKILL.md', note);
  stage.put('.gemini/tmp/other/.project_root', '/home/ana/other');
  stage.put('.gemini/tmp/other/memory/MEMORY.md', note);
  const { files } = (await type('lessons', 'import', '--json')).json<{
    files: { path: string; said: string[] }[];
  }>();
  expect(files.map(({ path }) => path)).toEqual(found.sort());
  expect(await page()).not.toContain('staging database');
  // One that is too large to be written by a person is none.
  stage.put('.gemini/GEMINI.md', note.repeat(10_000));
  expect((await type('lessons', 'import', '--print')).out).toContain(
    '.gemini/GEMINI.md: counts no more',
  );
});
