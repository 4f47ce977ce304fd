/** `dripstone completion`: completion scripts for shells, generated from the list of commands. */
import { EXIT } from '../../errors.js';
import { usage, type Command } from '../command.js';

type Render = (commands: readonly Command[]) => string;

const SHELLS: Record<string, { render: Render; install: string }> = {
  bash: { render: bash, install: 'echo \'eval "$(dripstone completion bash)"\' >> ~/.bashrc' },
  zsh: {
    render: zsh,
    install: 'echo \'eval "$(dripstone completion zsh)"\' >> ~/.zshrc    # below compinit',
  },
  fish: {
    render: fish,
    install: 'dripstone completion fish > ~/.config/fish/completions/dripstone.fish',
  },
};

/** @param loadCommands the list of commands, including this one */
export const completionCommand = (loadCommands: () => Promise<Command[]>): Command => ({
  name: 'completion',
  summary: 'print what bash, zsh or fish needs to complete commands and options',
  usage: Object.keys(SHELLS).join(' | '),
  options: {},
  exits: {},
  examples: ['dripstone completion bash', ...Object.values(SHELLS).map(({ install }) => install)],
  async run(io, args) {
    const [name = '', ...more] = args.words;
    const shell = Object.hasOwn(SHELLS, name) && more.length === 0 ? SHELLS[name]! : null;
    if (shell === null)
      throw usage(
        'completion takes the name of a shell',
        `use one of ${Object.keys(SHELLS).join(', ')}`,
      );
    io.out(shell.render(await loadCommands()));
    return EXIT.done;
  },
});

/** Subcommands of a command, from its usage: `[list | join A B…]`, `list|show|why`. */
export function verbsOf({ usage: text }: Pick<Command, 'usage'>): string[] {
  const first = text.replaceAll(/[[\]]/g, ' ').split(/ (?=--)/)[0]!;
  return first
    .split('|')
    .map((part) => part.trim().split(/\s/)[0] ?? '')
    .filter((word) => /^[a-z]+$/.test(word) && word !== 'options');
}

function optionsOf(command: Command): string[] {
  return [...Object.keys(command.options), 'help'].map((name) => `--${name}`);
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${[...verbsOf(command), ...optionsOf(command)].join(' ')}" ;;`,
  );
  return `# dripstone completion for bash
_dripstone() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*|*:help) words="${commands.map(({ name }) => name).join(' ')} help --help --version" ;;
    *) case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _dripstone dripstone
`;
}

/** Whether an option's value may be a file or a folder; other values are not offered. */
function takesFile(value: string | undefined): boolean {
  return value === 'FOLDER' || value === 'P';
}

const HELP: Command['options'][string] = { type: 'boolean', help: 'show how it is used' };
const helpedOptions = (command: Command) => Object.entries({ ...command.options, help: HELP });

function zshWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function zsh(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const verbs = verbsOf(command);
    const options = helpedOptions(command).map(([name, { type, help, value }]) =>
      // In the brackets of _arguments these characters end the text, or quote the next one.
      zshWord(
        `--${name}[${help.replaceAll(/[\\\]]/g, '\\$&')}]` +
          (type === 'string' ? `:${value ?? 'value'}:${takesFile(value) ? '_files' : ' '}` : ''),
      ),
    );
    const first = verbs.length > 0 ? [zshWord(`1:verb:(${verbs.join(' ')})`)] : [];
    return `    ${command.name}) _arguments ${[...first, ...options, zshWord('*:file:_files')].join(' ')} ;;`;
  });
  return `#compdef dripstone
_dripstone() {
  local -a commands
  commands=(${commands.map(({ name, summary }) => zshWord(`${name}:${summary.replaceAll('\\', '\\\\')}`)).join(' ')})
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then _describe command commands; return; fi
  local name=$words[2]
  shift words; (( CURRENT-- ))
  case $name in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_dripstone" ]; then _dripstone "$@"; else compdef _dripstone dripstone; fi
`;
}

function fishWord(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const seen = fishWord(`__fish_seen_subcommand_from ${command.name}`);
    const named = `-f -a ${command.name} -d ${fishWord(command.summary)}`;
    return [
      `complete -c dripstone -n __fish_use_subcommand ${named}`,
      `complete -c dripstone -n '__fish_seen_subcommand_from help' ${named}`,
      ...verbsOf(command).map((verb) => `complete -c dripstone -n ${seen} -f -a ${verb}`),
      ...helpedOptions(command).map(
        ([name, { type, help, value }]) =>
          `complete -c dripstone -n ${seen} -l ${name}` +
          `${type !== 'string' ? '' : takesFile(value) ? ' -r' : ' -x'} -d ${fishWord(help)}`,
      ),
    ];
  });
  return `# dripstone completion for fish\n${lines.join('\n')}\n`;
}
