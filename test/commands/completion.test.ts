/** What TAB offers, asked of the shells themselves where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionCommand, verbsOf } from '../../src/commands/terminal/completion.js';
import type { Command } from '../../src/commands/command.js';
import { loadCommands } from '../../src/commands/index.js';
import { setStage } from './stage.js';

const commands = await loadCommands();
const named = (name: string): Command => commands.find((each) => each.name === name)!;
/** Every sign that a shell or its lists give a meaning to. */
const ODD = `list: it's "here" [or \\there], $HOME \`pwd\` (a|b) 50%: {"version":1}`;
const odd: Command = {
  name: 'odd',
  summary: ODD,
  usage: 'first|second [options]',
  options: {
    strange: { type: 'boolean', help: ODD },
    limit: { type: 'string', value: 'N', help: 'how many' },
  },
  exits: {},
  run: () => Promise.resolve(0),
};

const folder = mkdtempSync(join(tmpdir(), 'dripstone-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const stage = setStage();
afterAll(() => stage.remove());
const fileOf = (shell: string): string => join(folder, `completion.${shell}`);

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    let text = '';
    const io = { ...stage.io(), out: (more: string) => void (text += more) };
    const args = { words: [shell], flag: () => false, text: () => null, count: () => 0 };
    await completionCommand(() => Promise.resolve([...commands, odd])).run(io, args);
    writeFileSync(fileOf(shell), text);
  }
  writeFileSync(join(folder, 'a-file.txt'), '');
  writeFileSync(join(folder, 'inner.zsh'), INNER);
  writeFileSync(join(folder, 'outer.zsh'), OUTER);
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const env = { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'dumb' };

type Offered = [word: string, text: string][];

function offeredByBash(line: string): Offered {
  const words = line.split(' ');
  const script = `source "$0"; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _dripstone; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', script, fileOf('bash')], {
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  return out.split('\n').flatMap((word) => (word === '' ? [] : [[word, '']]));
}

function offeredByFish(line: string): Offered {
  const out = execFileSync(
    'fish',
    ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', fileOf('fish'), line],
    { env, cwd: folder, encoding: 'utf8' },
  );
  return out
    .split('\n')
    .flatMap((each) => (each === '' ? [] : [each.split('\t') as [string, string]]));
}

/**
 * A shell of its own at a pseudo-terminal, whose list of matches is printed in place of being
 * shown.
 */
const OUTER = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "source $1"
for i in {1..50}; do zpty -r z line; [[ $line == *READY* ]] && break; done
zpty -w -n z "$2"$'\\t'
integer on=0
while zpty -r z line; do
  if [[ $line == *$'\\0'* ]]; then (( on )) && break; on=1; continue; fi
  (( on )) && print -r -- \${line%$'\\r\\n'}
done
zpty -d z
`;
const INNER = `PROMPT=; PS2=
stty cols 400
autoload -U compinit; compinit -u -D
source ${JSON.stringify(join(folder, 'completion.zsh'))}
bindkey '^I' complete-word
null-line () { print -rn -- $'\\0\\n' }
compprefuncs=( null-line ); comppostfuncs=( null-line exit )
zstyle ':completion:*' list-separator '--'
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  typeset -a hits dscr tmp
  if (( $@[(I)-d] )); then
    tmp=\${@[$[\${@[(i)-d]}+1]]}
    if [[ $tmp == \\(* ]]; then eval "dscr=$tmp"; else dscr=( "\${(@P)tmp}" ); fi
  fi
  builtin compadd -A hits -D dscr "$@"
  [[ -n $hits ]] || return
  for i in {1..$#hits}; do print -r -- "$hits[$i]"$'\\t'"$dscr[$i]"; done
}
print READY
`;

function offeredByZsh(line: string): Offered {
  const done = spawnSync(
    'zsh',
    ['-f', join(folder, 'outer.zsh'), join(folder, 'inner.zsh'), line],
    { env, cwd: folder, encoding: 'utf8', timeout: 60_000 },
  );
  return done.stdout.split(/\r?\n/).flatMap((each) => {
    const [word, text] = each.split('\t');
    return text === undefined ? [] : [[word!.trim(), text.replace(/^\S+\s+-- /, '')]];
  });
}

test('verbs are read from the usage', () => {
  expect(verbsOf(named('lessons'))).toEqual(expect.arrayContaining(['list', 'why', 'import']));
  expect(verbsOf(named('config'))).toEqual(['list', 'get', 'set', 'unset', 'check', 'path']);
  expect(verbsOf(named('search'))).toEqual([]);
  expect(verbsOf({ usage: '[list | join A B… | split P | rename P NAME] [--json]' })).toEqual([
    'list',
    'join',
    'split',
    'rename',
  ]);
});

test('completion takes the name of a shell that it knows', async () => {
  expect((await stage.type('completion', 'zsh')).out).toContain('compdef _dripstone dripstone');
  expect(await stage.type('completion', 'tcsh')).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish'),
  });
  expect((await stage.type('completion', '--help')).out).toContain('>> ~/.bashrc');
});

test('the text is quoted as each shell wants it, also where that shell is not installed', () => {
  const textOf = (shell: string): string => readFileSync(fileOf(shell), 'utf8');
  expect(textOf('zsh')).toContain(`'odd:${ODD.replaceAll('\\', '\\\\').replaceAll("'", "'\\''")}'`);
  expect(textOf('zsh')).toContain("'1:verb:(first second)'");
  expect(textOf('fish')).toContain(`-f -a odd -d '${ODD.replaceAll(/[\\']/g, '\\$&')}'`);
  expect(textOf('bash')).toContain('odd) words="first second --strange --limit --help" ;;');
});

test.each([
  ['bash', offeredByBash],
  ['zsh', offeredByZsh],
  ['fish', offeredByFish],
] as const)('%s offers commands, verbs and options, with what they say', (shell, offered) => {
  if (!has(shell)) return;
  expect(spawnSync(shell, ['-n', fileOf(shell)], { env, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
  const wordsOf = (line: string): string[] => offered(line).map(([word]) => word);
  const names = commands.map(({ name }) => name);
  expect(wordsOf('dripstone ')).toEqual(expect.arrayContaining(names));
  expect(wordsOf('dripstone help ')).toEqual(expect.arrayContaining(names));
  expect(wordsOf('dripstone lessons ')).toEqual(expect.arrayContaining(verbsOf(named('lessons'))));
  const options = [...Object.keys(odd.options), 'help'].map((option) => `--${option}`);
  expect(wordsOf('dripstone odd --').sort()).toEqual([...options].sort());
  expect(wordsOf('dripstone odd --st')).toEqual(['--strange']);
  if (shell === 'bash') return;
  expect(new Map(offered('dripstone ')).get('odd')).toBe(ODD);
  expect(new Map(offered('dripstone odd --')).get('--strange')).toBe(ODD);
  expect(wordsOf('dripstone odd --limit ')).toEqual([]);
  expect(wordsOf('dripstone context --project ')).toContain('a-file.txt');
});
