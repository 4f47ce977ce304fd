/** `dripstone completion`: shell scripts that complete commands, verbs and options. */
import { EXIT, usage } from '../errors.js';
import type { Command } from '../command.js';

/** Words that may follow a command, by its name. */
type Table = [name: string, words: string][];

const SHELLS: Record<string, { render(table: Table): string; install: string }> = {
  bash: {
    install: 'echo \'eval "$(dripstone completion bash)"\' >> ~/.bashrc',
    render: (table) => `_dripstone() {
  local words="${namesIn(table)} help --help --version"
  if [ "$COMP_CWORD" -gt 1 ] && [ "\${COMP_WORDS[1]}" != help ]; then case "\${COMP_WORDS[1]}" in
${table.map(([name, words]) => `    ${name}) words="${words}" ;;`).join('\n')}
    *) words="" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _dripstone dripstone
`,
  },
  zsh: {
    install: 'echo \'eval "$(dripstone completion zsh)"\' >> ~/.zshrc    # below compinit',
    render: (table) => `_dripstone() {
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then compadd -- ${namesIn(table)} help; return; fi
  case $words[2] in
${table.map(([name, words]) => `    ${name}) compadd -- ${words} ;;`).join('\n')}
  esac
  _files
}
compdef _dripstone dripstone
`,
  },
  fish: {
    install: 'dripstone completion fish > ~/.config/fish/completions/dripstone.fish',
    render: (table) =>
      [
        `complete -c dripstone -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -f -a '${namesIn(table)} help'`,
        ...table.map(
          ([name, words]) =>
            `complete -c dripstone -n '__fish_seen_subcommand_from ${name}' -a '${words}'`,
        ),
        '',
      ].join('\n'),
  },
};

function namesIn(table: Table): string {
  return table.map(([name]) => name).join(' ');
}

/** @param loadCommands the list of commands, including this one */
export const completionCommand = (loadCommands: () => Promise<Command[]>): Command => ({
  name: 'completion',
  summary: 'print what bash, zsh or fish needs to complete commands and options',
  usage: Object.keys(SHELLS).join(' | '),
  options: {},
  exits: {},
  examples: ['dripstone completion bash', ...Object.values(SHELLS).map(({ install }) => install)],
  async run(io, { words: [name = '', ...more] }) {
    const shell = Object.hasOwn(SHELLS, name) && more.length === 0 ? SHELLS[name]! : null;
    if (shell === null)
      throw usage('completion takes the name of a shell', 'use one of bash, zsh, fish');
    const table = (await loadCommands()).map((command): Table[number] => [
      command.name,
      [
        ...verbsOf(command),
        ...[...Object.keys(command.options), 'help'].map((option) => `--${option}`),
      ].join(' '),
    ]);
    io.out(shell.render(table));
    return EXIT.done;
  },
});

/** Subcommands of a command, from its usage: `[list | join A B…]`, `list|show|why`. */
function verbsOf({ usage: text }: Command): string[] {
  return text
    .replaceAll(/[[\]]/g, ' ')
    .split(/ (?=--)/)[0]!
    .split('|')
    .map((part) => part.trim().split(/\s/)[0] ?? '')
    .filter((word) => /^[a-z]+$/.test(word) && word !== 'options');
}
