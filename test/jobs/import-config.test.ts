/** Options of another machine come in only by name: they may run, read and send. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';

function set(config: string): Stage {
  return setStage({ config });
}
const THEIRS = `embed: {enabled: false, url: "http://192.0.2.1/v1", model: theirs, key_variable: HOME}
exclude: ["~/secret"]
projects: {all: ["/**"]}
agents: {roots: {claude-code: ["/etc"]}}
inbox: {trusted: [anything]}
context: {budget_tokens: 800, ask_for_notes: false}
llm: {provider: command, command: ["/bin/sh", "-c", "touch pwned"], model: m}
hooks: {guard: {0123456789: deny}}
`;
let file = '';
beforeAll(async () => {
  const stage = setStage({ config: THEIRS });
  file = join(stage.home, 'x.tar.gz');
  await stage.type('export', file);
});

test("on a fresh home nothing of an archive's config is taken; it is shown, and taken option by option", async () => {
  const stage = set('');
  const said = await stage.type('import', file);
  expect([said.code, existsSync(join(stage.stone, 'config.yaml'))]).toEqual([0, false]);
  for (const key of [
    'exclude',
    'projects',
    'agents.roots',
    'inbox.trusted',
    'llm.provider',
    'llm.command',
    'llm.model',
    'embed.url',
    'embed.key_variable',
    'context.budget_tokens',
  ])
    expect(said.out).toContain(`left   ${key}: `);
  expect(await stage.type('import', file, '--take', 'llm.nothing')).toMatchObject({
    code: 2,
    err: expect.stringContaining('does not set llm.nothing') as string,
  });
  // A guard can refuse an agent's commands: not even by its name.
  expect(said.out).not.toContain('hooks.guard');
  expect((await stage.type('import', file, '--take', 'hooks.guard')).code).toBe(2);
  const taken = await stage.type(
    'import',
    file,
    '--take',
    'context.budget_tokens,llm.model',
    '--json',
  );
  expect(taken.json()).toMatchObject({
    config: 'taken',
    options: expect.arrayContaining([
      { key: 'llm.command', value: ['/bin/sh', '-c', 'touch pwned'], taken: false },
      { key: 'llm.model', value: 'm', taken: true },
    ]) as unknown,
  });
  const text = readFileSync(join(stage.stone, 'config.yaml'), 'utf8');
  expect(text).toContain('budget_tokens: 800');
  expect(text).not.toMatch(/command|roots|exclude|projects|trusted|embed/);
});

test('secrets in config.yaml leave masked, and what it sets can still be taken', async () => {
  const token = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
  const own = `# ${token}
embed: {enabled: false, url: "https://ana:Xk29fjW8qLz@emb.example/v1", model: ${token}}
llm:
  provider: command
  model: ${token} # kept here
  command: ["ask", "-H", "Authorization: Bearer ${token}"]
projects: {shop: ["git@github.com:ana/shop.git", "~/work/shop*"]}
`;
  const stage = set(own);
  const archive = join(stage.home, 'y.tar.gz');
  expect((await stage.type('export', archive)).code).toBe(0);
  const bytes = gunzipSync(readFileSync(archive)).toString('utf8');
  expect(bytes).not.toMatch(/ghp_|Xk29fjW8qLz/);
  expect(stage.read('config.yaml')).toBe(own);
  const taken = await set('').type('import', archive, '--take', 'projects', '--json');
  const options = taken.json<{ options: { key: string; value: unknown }[] }>().options;
  const values = new Map(options.map(({ key, value }) => [key, value]));
  for (const key of ['embed.model', 'llm.model']) expect(values.get(key)).toMatch(/^\[REDACTED:/);
  expect(values.get('projects')).toEqual({ shop: ['git@github.com:ana/shop.git', '~/work/shop*'] });
});
