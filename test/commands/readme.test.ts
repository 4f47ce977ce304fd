/** The README's claims that a machine can check. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/commands/index.js';
import { defaultConfig } from '../../src/config.js';
import { ANSWER_CHARS } from '../../src/recall/answer/layout.js';
import { MOST_TOKENS } from '../../src/recall/moments/moment.js';
import { setStage } from '../stage.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}
/** Without the notes that it shows: they are about another project. */
const readme = read('README.md').replace(/^ {4}- .*$/gm, '');

describe('README', () => {
  test('names only commands that exist', () => {
    const named = new Set([...readme.matchAll(/`dripstone ([a-z]+)/g)].map((match) => match[1]!));
    expect([...named].filter((name) => !COMMAND_NAMES.includes(name))).toEqual([]);
  });

  test('names only make targets that exist, and the two first commands', () => {
    const makefile = read('Makefile');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const ran = [...readme.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1]!);
    expect(ran.filter((name) => scripts[name] === undefined)).toEqual([]);
    const named = [...readme.matchAll(/\bmake ([a-z]+)/g)].map((match) => match[1]!);
    expect(named).toEqual(expect.arrayContaining(['run', 'test']));
    expect(named.filter((name) => !new RegExp(`^${name}:`, 'm').test(makefile))).toEqual([]);
  });

  test('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !link.startsWith('http'));
    expect(links.filter((link) => !existsSync(root + link))).toEqual([]);
  });

  test('has its parts in order, on at most 120 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(121);
    expect(
      [...readme.matchAll(/^(?:## (.*)|!\[.*|\| it costs.*)$/gm)].map(
        ([line, title]) => title ?? line.slice(0, 10),
      ),
    ).toEqual([
      ...['![`npm tes', '| it costs', 'Install', 'What happens by itself'],
      ...['Without and with a model', 'Turn it off', 'Ask it', 'Links'],
    ]);
  });

  test('names the limits of the program, and figures of docs/', () => {
    const { context, schedule, enabled } = defaultConfig();
    expect(enabled).toBe(true);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const limit = (value: number): string => value.toLocaleString('en');
    for (const words of [
      `at most ${limit(context.budget_tokens)} for the page, about 600 (${limit(ANSWER_CHARS)} characters) for an answer, ${MOST_TOKENS} for a hint`,
      `starts at ${schedule.nightly_at}`,
      `Node ${engines.node.replace('>=', '')} or newer`,
    ])
      expect(readme).toContain(words);
    const release = read('docs/release.md');
    expect(release).toMatch(/\| disk \| \d+ MB: 2\d\d KB a session/);
    expect(readme).toContain('about 0.2 MB a session of 100 entries');
    expect(readme).toMatch(/in 25 of 100 cases[\s\S]*in 2\s+of 100 cases/);
    expect(read('docs/search.md')).toContain('| failure | .25 | 3 of 150 ');
  });

  test('what a model adds to the sample is made of words that its logs have', () => {
    const rows = [...readme.matchAll(/^\| (?!without|it costs|---)(.+) \| (.+) \|$/gm)].slice(-2);
    const folder = `${root}test/samples/home/.claude/projects/-home-mira-code-lanternfish`;
    const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8').replaceAll('\\"', '"'))
      .join('\n');
    const models = read('docs/models.md');
    for (const [, without, added] of rows) {
      expect(models).toContain(`| ${without!}`);
      expect(models).toContain(`| ${added!} |`);
      for (const [, name] of added!.matchAll(/`([^`]+)`/g)) expect(logs, name).toContain(name!);
    }
  });

  test('the machines without a model’s native part, and Windows, are those that it names', async () => {
    const natives = `${root}node_modules/onnxruntime-node/bin/napi-v6`;
    expect(readdirSync(`${natives}/darwin`)).toEqual(['arm64']);
    expect(readdirSync(`${natives}/linux`).sort()).toEqual(['arm64', 'x64']);
    expect(readme).toContain('On Intel Macs and on Alpine (musl) the model for search by meaning');
    const stage = setStage();
    const here = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      expect(await stage.type('service', 'install')).toMatchObject({
        code: 1,
        err: expect.stringContaining('`dripstone start`') as string,
      });
      expect(await stage.type('link', '--hooks')).toMatchObject({ code: 2 });
    } finally {
      Object.defineProperty(process, 'platform', here);
    }
  });
});
