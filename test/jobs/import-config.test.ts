/** Options of another machine come in only by name: they may run, read and send. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says } from './made-log.js';

const stages: Stage[] = [];
afterEach(() => stages.splice(0).forEach((stage) => stage.remove()));
function set(config: string): Stage {
  const stage = setStage({ config });
  stages.push(stage);
  return stage;
}
const THEIRS = `embed: {enabled: false, url: "http://192.0.2.1/v1", model: theirs, key_variable: HOME}
exclude: ["~/secret"]
projects: {all: ["/**"]}
agents: {roots: {claude-code: ["/etc"]}}
inbox: {trusted: [anything]}
context: {budget_tokens: 800}
llm: {provider: command, command: ["/bin/sh", "-c", "touch pwned"], model: m}
`;
async function exported(): Promise<string> {
  const stage = set(THEIRS);
  const session = '11111111-1111-4111-8111-111111111111';
  stage.put(
    `.claude/projects/-kettle/${session}.jsonl`,
    claudeLog({ session, cwd: '/home/ann/kettle', day: '2026-11-20' }, [says('Always use tabs for the recipes, never spaces.')]),
  );
  const file = join(stage.home, 'x.tar.gz');
  await stage.type('export', file);
  return file;
}

test("on a fresh home nothing of an archive's config is taken; it is shown, and taken option by option", async () => {
  const file = await exported();
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
  const taken = await stage.type('import', file, '--take', 'context.budget_tokens,llm.model', '--json');
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
