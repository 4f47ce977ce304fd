import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';
import { put as putFile } from '../folder.js';

let stage: Stage;
let repo: string;

function put(path: string, text: string | Buffer, mode?: number): string {
  const file = putFile(join(repo, path), text);
  if (mode !== undefined) chmodSync(file, mode);
  return file;
}
function text(path: string): string {
  return readFileSync(join(repo, path), 'utf8');
}

/** Every path below the repository but git's, with its bytes and mode. */
function picture(folder = repo): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== '.git')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory()
        ? [`${path}/`, ...picture(path)]
        : [
            `${path} ${lstatSync(path).mode} ${lstatSync(path).isSymbolicLink() ? 'link' : ''} ${readFileSync(path).toString('hex')}`,
          ];
    })
    .sort();
}

function beginIn(made: Stage): void {
  stage = made;
  repo = join(stage.home, 'src/shop');
  mkdirSync(join(repo, '.git'), { recursive: true });
  writeFileSync(join(repo, '.git/HEAD'), 'ref: refs/heads/main\n');
}

beforeEach(() => beginIn(setStage()));

async function run(...argv: string[]) {
  const said = await stage.type(...argv);
  expect([said.code, said.err.startsWith('dripstone:') ? said.err : '']).toEqual([0, '']);
  return said;
}

describe('link', () => {
  test('one line for every agent; unlink leaves no trace', async () => {
    const before = picture();
    const { json } = await run('link', repo, '--only', 'all', '--json');
    const { project, files } = json<{
      project: string;
      files: { agent: string; path: string; line: string }[];
    }>();
    const path = `${stage.stone}/projects/${project}/context.md`;
    expect(project).toMatch(/^shop-[0-9a-f]{4}$/);
    expect(text('CLAUDE.local.md')).toBe(`@${path} <!-- dripstone -->\n`);
    const sentence = `Before you start, read ${path} if it exists (notes from earlier sessions here). <!-- dripstone -->\n`;
    expect([text('AGENTS.md'), text('GEMINI.md')]).toEqual([sentence, sentence]);
    expect(text('.cursor/rules/dripstone.mdc')).toBe(
      `---\ndescription: Notes from earlier sessions in this repository\nalwaysApply: true\n---\n${sentence}`,
    );
    expect(text('.github/instructions/dripstone.instructions.md')).toBe(
      `---\napplyTo: "**"\n---\n${sentence}`,
    );
    expect(files.map(({ agent }) => agent)).toEqual([
      'claude-code',
      'codex',
      'gemini-cli',
      'cursor',
      'copilot',
    ]);
    expect(statSync(join(repo, 'AGENTS.md')).mode & 0o777).toBe(0o644);
    const once = picture();
    await run('link', repo, '--only', 'all');
    expect(picture()).toEqual(once);
    await run('unlink', repo);
    expect(picture()).toEqual(before);
  });

  test('files that exist keep their bytes, endings, permissions and links', async () => {
    put('AGENTS.md', '\uFEFF# Rules\r\nTabs.\r\n', 0o600);
    put('docs/gemini.md', '# no newline at the end');
    symlinkSync('docs/gemini.md', join(repo, 'GEMINI.md'));
    put('CLAUDE.local.md', '', 0o664);
    put('.cursor/rules/dripstone.mdc', Buffer.from([0xff, 0x41, 0x0a]));
    const before = picture();
    await run('link', repo, '--only', 'all');
    expect(text('AGENTS.md')).toMatch(
      /^\uFEFF# Rules\r\nTabs\.\r\nBefore .* <!-- dripstone -->\r\n$/,
    );
    expect(text('docs/gemini.md')).toMatch(/^# no newline at the end\nBefore .* -->$/);
    expect(lstatSync(join(repo, 'GEMINI.md')).isSymbolicLink()).toBe(true);
    expect([
      statSync(join(repo, 'AGENTS.md')).mode & 0o777,
      statSync(join(repo, 'CLAUDE.local.md')).mode & 0o777,
    ]).toEqual([0o600, 0o664]);
    await run('unlink', repo);
    expect(picture()).toEqual(before);
  });

  test.each([
    ['a read-only file', (): unknown => put('GEMINI.md', 'x\n', 0o444), 'is read-only'],
    ['a folder in the way', (): unknown => put('GEMINI.md/x', ''), 'is not a file'],
    [
      'a dangling link',
      (): unknown => symlinkSync('nowhere', join(repo, 'GEMINI.md')),
      'is a broken link',
    ],
    [
      'UTF-16',
      (): unknown => put('GEMINI.md', Buffer.from('\uFEFFrules\n', 'utf16le')),
      'not UTF-8',
    ],
    [
      'a link out of the repository',
      (): unknown => {
        writeFileSync(join(stage.home, 'shared.md'), 'x\n');
        return symlinkSync('../../shared.md', join(repo, 'GEMINI.md'));
      },
      'outside the repository',
    ],
    ['a file where a folder must be', (): unknown => put('.cursor', 'x'), 'is not a folder'],
  ])('%s is refused with its name, and nothing is half done', async (_, make, problem) => {
    make();
    const before =
      existsSync(join(repo, 'GEMINI.md')) && statSync(join(repo, 'GEMINI.md')).isFile()
        ? picture()
        : null;
    const said = await stage.type('link', repo, '--only', 'all');
    expect(said.code).toBe(1);
    expect(said.err).toContain(problem);
    expect(said.err).toMatch(/next: .*nothing was changed/);
    expect(existsSync(join(repo, 'CLAUDE.local.md'))).toBe(false);
    if (before) expect(picture()).toEqual(before);
  });

  test('a folder that is not there is asked about, and made only with a yes', async () => {
    mkdirSync(join(stage.home, '.cursor'));
    put('AGENTS.md', '');
    const said = await run('link', repo);
    expect(said.err).toContain('cursor is left out: ');
    expect(existsSync(join(repo, '.cursor'))).toBe(false);
    const asked = async (answer: string) => {
      const { code, err } = await stage.typeAs(['link', repo], {
        terminal: true,
        lines: async function* () {
          yield answer;
        },
      });
      expect(code).toBe(0);
      expect(err).toContain('.cursor/rules is not there: make it for Cursor? [y/N]');
      return existsSync(join(repo, '.cursor/rules/dripstone.mdc'));
    };
    expect(await asked('n')).toBe(false);
    expect(await asked('y')).toBe(true);
  });

  test('--global links the folders of agents that are there; unlink --all finds everything', async () => {
    stage.put('.claude/CLAUDE.md', '# Me\n');
    mkdirSync(join(stage.home, '.gemini'));
    mkdirSync(join(stage.home, '.codex'));
    stage.put('.codex/AGENTS.override.md', 'mine\n');
    const said = await run('link', '--global');
    const read = (path: string): string => readFileSync(join(stage.home, path), 'utf8');
    expect(read('.claude/CLAUDE.md')).toBe(
      `# Me\n@${stage.stone}/global/context.md <!-- dripstone -->\n`,
    );
    expect(read('.codex/AGENTS.md')).toContain(
      `read ${stage.stone}/global/context.md if it exists`,
    );
    expect(read('.gemini/GEMINI.md')).toContain(
      `read ${stage.stone}/global/context.md if it exists`,
    );
    expect(said.out).toContain('AGENTS.override.md instead');
    await run('link', repo, '--only', 'codex');
    await run('unlink', '--all');
    expect(read('.claude/CLAUDE.md')).toBe('# Me\n');
    expect([
      existsSync(join(stage.home, '.codex/AGENTS.md')),
      existsSync(join(repo, 'AGENTS.md')),
    ]).toEqual([false, false]);
    expect(JSON.parse(stage.read('links.json'))).toEqual({ version: 1, links: [] });
  });

  test('a repository that is gone is forgotten; a line without its registry is still found', async () => {
    await run('link', repo, '--only', 'codex');
    writeFileSync(join(stage.stone, 'links.json'), '{');
    await run('unlink', repo);
    expect(existsSync(join(repo, 'AGENTS.md'))).toBe(false);
  });
});
