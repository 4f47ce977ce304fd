/**
 * config.yaml without an editor: what is changed, what is refused, what a broken file still allows.
 */
import { lstatSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { says, shell, type Turn } from '../jobs/made-log.js';
import { type Stage, begunStage, setStage } from '../stage.js';

function stageWith(config?: string): Stage {
  return setStage({ ...(config === undefined ? {} : { config }) });
}
function work(stage: Stage, digit: number, folder: string, turns: Turn[]): void {
  const session = `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
  stage.log({ session, cwd: join(stage.home, folder), day: '2026-11-12' }, turns);
}

const OWN = `# mine, do not touch
embed: {enabled: false} # words do

context:
  budget_tokens: 1000 # small
  # nothing else
schedule:
  nightly_at: "03:30"
`;

/** Six projects, one of them inside another and one a home, read under {@link OWN}. */
const read = begunStage({ config: OWN }, async (stage) => {
  work(stage, 1, 'shop', [
    says('Remember: always use pnpm instead of npm in this repository.'),
    shell('pnpm test', 'ok', 0),
  ]);
  work(stage, 2, 'till', [says('Remember: never push to main directly in this repository.')]);
  work(stage, 3, 'desk', [says('Remember: prefer small commits in this repository.')]);
  stage.put('mill/tools/.git/HEAD', 'ref: refs/heads/main\n');
  work(stage, 4, 'mill', [says('Remember: oil the wheel in this repository.')]);
  work(stage, 5, 'mill/tools', [says('Remember: sharpen the saw in this repository.')]);
  work(stage, 6, '', [says('Remember: prefer small words.')]);
  await stage.type('run');
});

describe('config', () => {
  test('a value is changed, comments and order stay; unset takes it out again', async () => {
    const stage = stageWith(OWN);
    expect(await stage.type('config', 'set', 'context.budget_tokens', '800')).toMatchObject({
      code: 0,
      out: 'context.budget_tokens: 800\n',
    });
    expect(stage.read('config.yaml')).toBe(OWN.replace('1000', '800'));
    expect((await stage.type('config', 'get', 'context.budget_tokens')).out).toBe('800\n');
    await stage.type('config', 'set', 'schedule.nightly_at', '04:40');
    expect(stage.read('config.yaml')).toBe(OWN.replace('1000', '800').replace('03:30', '04:40'));
    expect((await stage.type('config', 'unset', 'context.budget_tokens')).out).toBe(
      'context.budget_tokens: 1000 (default)\n',
    );
    const left = stage.read('config.yaml');
    expect(left).toContain('# mine, do not touch');
    expect(left).toContain('# words do');
    expect(left).not.toContain('budget_tokens');
  });

  test.each([
    [['set', 'context.budget_tokens', 'many'], 13, 'context.budget_tokens'],
    [['set', 'context.budget_token', '5'], 2, 'did you mean context.budget_tokens'],
    [['set', 'context.budget_tokens', '5', '6'], 2, 'one value'],
    [['set', 'agents.only', 'cloude'], 13, 'claude-code'],
    [['get', 'projects.shop'], 2, 'nothing is called'],
    [['burn'], 2, 'unset'],
  ])('%j is refused and changes no byte', async (words, code, text) => {
    const stage = stageWith(OWN);
    const said = await stage.type('config', ...words);
    expect([said.code, said.out]).toEqual([code, '']);
    expect(said.err).toContain(text);
    expect(stage.read('config.yaml')).toBe(OWN);
  });

  test('what is written follows at once; a folder that is excluded names the line that takes out what was read', async () => {
    const stage = await read();
    const { projects } = (await stage.type('projects', '--json')).json<{
      projects: { name: string; slug: string }[];
    }>();
    const { slug } = projects.find(({ name }) => name === 'shop')!;
    const page = `projects/${slug}/context.md`;
    const { out } = await stage.type('run', '--only', 'context');
    expect(out).toMatch(/^stored: 6 logs, 6 sessions /);
    expect(out).not.toMatch(/read|looked through|wrote/);
    expect(stage.read(page)).toContain('Learnt something lasting?');
    await stage.type('config', 'set', 'context.ask_for_notes', 'false');
    expect(stage.read(page)).not.toContain('Learnt something lasting?');
    expect((await stage.type('config', 'set', 'exclude', '~/shop')).err).toContain(
      `dripstone purge --project ${slug}`,
    );
  });
});

describe('a config.yaml as people keep it', () => {
  test('one that is not UTF-8 changes no byte: a folder that is excluded by name would be read', async () => {
    const stage = stageWith();
    const path = join(stage.stone, 'config.yaml');
    writeFileSync(path, Buffer.from('exclude: ["~/caf\xe9"]\n', 'latin1'));
    const said = await stage.type('config', 'set', 'context.budget_tokens', '800');
    expect([said.code, said.out]).toEqual([13, '']);
    expect(said.err).toContain('line 1: it is not UTF-8');
    expect(readFileSync(path).toString('latin1')).toBe('exclude: ["~/caf\xe9"]\n');
  });

  test('what several processes change at once is all there', async () => {
    const stage = stageWith();
    const wanted = {
      'context.budget_tokens': '801',
      'log.level': 'debug',
      'usage.prices.toy': '{"input":1,"output":2}',
      'redact.emails': 'false',
    };
    const running = Object.entries(wanted).map(
      (words) => stage.start(['config', 'set', ...words]).ended,
    );
    expect((await Promise.all(running)).map(({ code, err }) => [code, err])).toEqual(
      Array(4).fill([0, '']),
    );
    for (const [key, value] of Object.entries(wanted))
      expect((await stage.type('config', 'get', key)).out).toBe(`${value}\n`);
  });

  test('a link stays one, and the file behind it changes', async () => {
    const stage = stageWith();
    const [path, own] = [join(stage.stone, 'config.yaml'), join(stage.home, 'dotfiles.yaml')];
    renameSync(path, own);
    symlinkSync(own, path);
    expect((await stage.type('config', 'set', 'context.budget_tokens', '800')).code).toBe(0);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(own, 'utf8')).toContain('budget_tokens: 800');
  });
});

describe('a broken config.yaml', () => {
  const BROKEN = 'embed: {enabled: false}\ncontext: {budget_tokens: 900}\nexclude: [*client*]\n';

  test('status, its check and context report it with its line and read with the last good one; nothing is read from logs', async () => {
    const stage = await read();
    const count = async (): Promise<string> =>
      (await stage.type('sql', 'SELECT count(*) AS n FROM entries')).out;
    const before = await count();
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nagents: {only: [claude-code]}\n',
    );
    await stage.type('run');
    expect(stage.has('config.last.yaml')).toBe(true);
    writeFileSync(join(stage.stone, 'config.yaml'), BROKEN);
    work(stage, 7, 'client', [says('The secret of the client is 4711.')]);
    stage.cwd = join(stage.home, 'shop');

    const status = await stage.type('status', '--json');
    const told = status.json<{
      agents: { agent: string }[];
      pending: object;
      degraded: { code: string; text: string }[];
    }>();
    expect(status.code).toBe(0);
    expect(told.degraded.find(({ code }) => code === 'CONFIG_REFUSED')?.text).toMatch(
      /line 3: .*nothing is read/,
    );
    expect(told.agents.map(({ agent }) => agent)).toEqual(['claude-code']);
    expect(told.pending).toMatchObject({ files: 1 });
    const checked = (await stage.type('status', '--check', '--json')).json<{
      checks: { name: string; ok: boolean; text: string }[];
    }>();
    expect(checked.checks.filter(({ text }) => text.includes('line 3'))).toMatchObject([
      { name: 'config refused', ok: false },
    ]);
    expect(checked.checks.length).toBeGreaterThan(8);
    const context = await stage.type('context', '--project', 'shop');
    expect([context.code, context.out.includes('pnpm')]).toEqual([0, true]);
    expect(context.err).toContain('line 3');

    for (const words of [
      ['run'],
      ['crystallize'],
      ['config', 'check'],
      ['config', 'set', 'enabled', 'true'],
    ]) {
      const said = await stage.type(...words);
      expect([said.code, said.out]).toEqual([13, '']);
      expect(said.err).toContain('config.yaml: line');
    }
    expect(readFileSync(join(stage.stone, 'config.yaml'), 'utf8')).toBe(BROKEN);
    writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enabled: false}\n');
    expect(await count()).toBe(before);
  });

  test('without a last good one the defaults hold; a wrong value is cured by setting it; what was purged is in no copy', async () => {
    const stage = stageWith('embed: {enabled: false}\ncontext: {budget_tokens: none}\n');
    expect((await stage.degraded()).map(({ code }) => code)).toContain('CONFIG_REFUSED');
    expect(await stage.type('config', 'set', 'context.budget_tokens', '500')).toMatchObject({
      code: 0,
    });
    expect((await stage.type('config', 'check')).code).toBe(0);
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nexclude: ["~/kettle-4711"]\n',
    );
    await stage.type('run');
    expect(stage.read('config.last.yaml')).toContain('kettle-4711');
    const purge = await stage.type('purge', '--match', 'kettle-4711', '--yes', '--json');
    expect(purge.json<{ own: { path: string }[] }>().own.map(({ path }) => path)).toEqual([
      join(stage.stone, 'config.yaml'),
    ]);
    expect(stage.has('config.last.yaml')).toBe(false);
  });

  test('a model that is asked over the network is not asked: nothing is sent', async () => {
    const stage = stageWith(
      'embed: {enabled: false}\nllm: {provider: openai, url: "http://127.0.0.1:9/v1", model: m}\n',
    );
    await stage.type('run');
    writeFileSync(join(stage.stone, 'config.yaml'), BROKEN);
    expect((await stage.type('status', '--json')).json()).toMatchObject({ llm: null });
  });
});

describe('projects', () => {
  test('a folder of another project is not taken in unasked, and a home is no project', async () => {
    const stage = await read();
    const { projects } = (await stage.type('projects', '--json')).json<{
      projects: { slug: string }[];
    }>();
    const before = stage.read('config.yaml');
    const said = await stage.type('projects', 'join', 'mill', 'desk');
    expect(said).toMatchObject({ code: 2, out: '' });
    expect(said.err).toContain('tools');
    const home = projects.find(({ slug }) => slug.startsWith('home'))!.slug;
    expect((await stage.type('projects', 'join', 'desk', home)).err).toContain('is a home');
    expect(stage.read('config.yaml')).toBe(before);
    expect((await stage.type('projects', 'join', 'mill', 'desk', 'tools')).code).toBe(0);
  });
});
