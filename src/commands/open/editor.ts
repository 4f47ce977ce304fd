/** Opens a place of a log in the person's editor. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { AppError, messageOf } from '../../errors.js';
import { usage, type Io } from '../command.js';

export interface Program {
  program: string;
  args: string[];
}

/** How editors take a line number, by program name; any other gets only the file. */
const FORMS: readonly [names: RegExp, args: (path: string, line: number) => string[]][] = [
  [
    /^(?:n?vi|n?vim|[gm]vim|view|nano|pico|emacs|emacsclient|kak|joe|micro|gedit|bbedit)$/,
    (path, line) => [`+${line}`, path],
  ],
  [
    /^(?:code|code-insiders|codium|vscodium|cursor|windsurf)$/,
    (path, line) => ['--goto', `${path}:${line}`],
  ],
  [/^(?:subl|zed|zeditor|hx|helix)$/, (path, line) => [`${path}:${line}`]],
  [
    /^(?:idea|pycharm|webstorm|goland|rubymine|phpstorm|clion|rider|xed|kate)$/,
    (path, line) => ['--line', String(line), path],
  ],
];

/**
 * The program to run. Pure.
 * @param editor value of $VISUAL: a program, maybe with options (`code --wait`), in quotes if it
 * contains blanks
 */
export function editorCall(editor: string, path: string, line: number): Program | null {
  const [program, ...options] = (editor.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replace(/^(["'])(.*)\1$/, '$2'),
  );
  if (program === undefined || program === '') return null;
  const name = basename(program.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.(?:exe|cmd)$/, '');
  const form = FORMS.find(([names]) => names.test(name))?.[1];
  return { program, args: [...options, ...(form?.(path, line) ?? [path])] };
}

/**
 * @throws AppError before opening anything: without an editor, outside a person's terminal, or in
 * an agent
 */
export function needEditor(io: Io): string {
  refuseAgents(io.caller(), 'opening an editor');
  if (io.outIsTerminal !== true || io.runProgram === undefined)
    throw usage('--open needs a terminal', 'leave --open out in a pipe');
  const editor = [io.env['VISUAL'], io.env['EDITOR']].find((value) => (value ?? '').trim() !== '');
  if (editor === undefined)
    throw usage('no editor is set', 'set VISUAL or EDITOR, for example `export EDITOR=vim`');
  return editor;
}

/** Runs the editor until it ends, without a shell: a path with special characters stays a path. */
export async function openAt(
  io: Io,
  editor: string,
  { path, line }: { path: string | null; line: number | null },
): Promise<void> {
  if (path === null || !existsSync(path))
    throw new AppError(
      'FILE_GONE',
      path === null ? 'this has no place in a log' : `${path} is gone`,
      { hint: '`dripstone show ID` prints what is kept of it' },
    );
  const call = editorCall(editor, path, line ?? 1);
  if (call === null) throw usage(`${editor} names no program`, 'set VISUAL or EDITOR');
  try {
    await io.runProgram!(call.program, call.args);
  } catch (cause) {
    throw new AppError('EDITOR', `${call.program} could not be run: ${messageOf(cause)}`, {
      hint: 'set VISUAL or EDITOR to a program on PATH',
      cause,
    });
  }
}
