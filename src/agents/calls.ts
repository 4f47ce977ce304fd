/** Shared by most agents: the fields of a raw entry, and the meaning of tools' arguments. */
import type { RawEntry } from '../types.js';
import { changedLines, renderEdit } from './edits.js';
import {
  type Json,
  isObject,
  list,
  object,
  parseAny,
  short,
  text as textOf,
  linesOf,
} from '../text/fields.js';
import { isWebCommand } from './web.js';

/**
 * A raw entry with null for every missing field. Uses `Object.assign`, since V8 copies with it
 * faster than with a spread.
 */
export function rawEntryOf(
  content: Pick<RawEntry, 'role' | 'origin' | 'text'> & Partial<RawEntry>,
): RawEntry {
  return Object.assign<Omit<RawEntry, 'role' | 'origin' | 'text'>, typeof content>(
    {
      native: null,
      time: null,
      tool: null,
      call: null,
      command: null,
      exit: null,
      outcome: null,
      files: [],
      cwd: null,
      branch: null,
    },
    content,
  );
}

/** The request of a call. */
export interface ToolCall {
  text: string;
  command: string | null;
  files: string[];
  /** The call's result comes from outside this machine. */
  web: boolean;
  marks: string[];
}

/**
 * Matches names of shell tools after `plainName` removed prefix and version:
 * `functions.run_shell_command` and `Bash` both match.
 */
const SHELL =
  /^(?:bash|shell|sh|zsh|powershell|pwsh|cmd|terminal|exec|execute|command|run|(?:run|execute|exec)_?(?:shell|terminal|in_terminal|bash)?_?(?:commands?|cmd)?|run_in_terminal|local_shell|developer__shell)$/;
const EDIT =
  /(?:^|_)(?:edit|multiedit|multi_edit|write|create|replace|str_replace|insert|patch|apply_patch|write_to_file|apply_diff|replace_in_file|write_file|edit_file|create_file|search_replace|editor|text_editor)(?:_|$)/;
const WEB = /web|fetch|browse|browser|url|http|(?:^|_)search_(?:web|engine)|google|^mcp__|^mcp_|__/;
const TODO = /todo|update_plan|(?:^|_)plan(?:_|$)/;

function plainName(tool: string): string {
  return tool
    .replace(/^(?:functions|tools?|builtin|default_api)[.:/]|_v\d+$/g, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

export function isShellTool(tool: string): boolean {
  return SHELL.test(plainName(tool));
}

/**
 * Reads the arguments of a tool call by the names that agents use for them.
 * @param argument an object, or its JSON text
 */
export function readToolCall(tool: string, argument: unknown): ToolCall {
  const input = argumentsOf(argument);
  const name = plainName(tool);
  const files = pathsOf(input);
  const command = SHELL.test(name) || textOf(input.CommandLine) !== null ? commandOf(input) : null;
  const edit = command === null && EDIT.test(name) ? changesIn(input) : [];
  return {
    text:
      command ??
      (edit.length > 0
        ? renderEdit(files[0] ?? null, edit)
        : (mainText(input, files) ?? textOf(argument) ?? '')),
    command,
    files,
    web:
      (command === null && WEB.test(name) && !EDIT.test(name)) ||
      (command !== null && isWebCommand(command)),
    marks: TODO.test(name) ? ['todo'] : [],
  };
}

function argumentsOf(argument: unknown): Json {
  const value = parseAny(argument);
  const isPatch =
    value === null && typeof argument === 'string' && argument.includes('*** Begin Patch');
  return isPatch ? { input: argument } : object(value);
}

function commandOf(input: Json): string | null {
  const named = [input.command, input.cmd, input.CommandLine, input.script].find(
    (each) => each !== undefined,
  );
  return commandText(typeof named === 'string' ? named.replace(/^"([\s\S]*)"$/, '$1') : named);
}

/** `["bash", "-lc", "pnpm test"]` is `pnpm test`; any other list is joined. */
export function commandText(command: unknown): string | null {
  if (typeof command === 'string') return textOf(command);
  const words = list(command).filter((word): word is string => typeof word === 'string');
  if (words.length === 0) return null;
  const isWrapped =
    words.length >= 3 &&
    /(?:^|\/)(?:ba|z|da|k)?sh$|powershell|pwsh/i.test(words[0]!) &&
    /^-\w*c\w*$|^-Command$/i.test(words.at(-2)!);
  return isWrapped
    ? words.at(-1)!
    : words
        .map((word) =>
          /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
        )
        .join(' ');
}

function pathsOf(input: Json): string[] {
  const many = [input.paths, input.files, input.file_paths]
    .flatMap(list)
    .map((each) => (isObject(each) ? each.path : each));
  const one = [
    ...[
      input.file_path,
      input.filePath,
      input.filepath,
      input.path,
      input.absolute_path,
      input.AbsolutePath,
      input.TargetFile,
    ],
    ...[input.target_file, input.notebook_path, input.filename, input.file, input.uri],
  ];
  const patch = textOf(input.input) ?? textOf(input.patch) ?? '';
  const patched = [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map((found) =>
    found[1]!.trim(),
  );
  return [...new Set([...one, ...many, ...patched].map(short).filter((path) => path !== null))].map(
    (path) => path.replace(/^file:\/\//, ''),
  );
}

/**
 * Changed lines from the arguments of an edit; all lines of a whole file are new, and a patch marks
 * its changed lines.
 */
export function changesIn(input: Json): string[] {
  const patch = textOf(input.patch) ?? textOf(input.diff) ?? textOf(input.input);
  if (patch !== null) return linesOf(patch).filter((line) => /^[-+](?![-+]{2})/.test(line));
  const edits = list(input.edits ?? input.replacements).map(object);
  return (edits.length > 0 ? edits : [input]).flatMap((edit) => {
    const after = [
      edit.new_string,
      edit.newString,
      edit.new_str,
      edit.newStr,
      edit.newText,
      edit.content,
      edit.new_source,
      edit.file_text,
      edit.contents,
    ];
    const before = [
      edit.old_string,
      edit.oldString,
      edit.old_str,
      edit.oldStr,
      edit.oldText,
      edit.old_text,
    ];
    return changedLines(firstText(before) ?? '', firstText(after) ?? '');
  });
}

function firstText(values: readonly unknown[]): string | null {
  return values.map(textOf).find((value) => value !== null) ?? null;
}

export function mainText(input: Json, files: readonly string[]): string | null {
  const todos = list(input.todos ?? input.todoList ?? input.plan).filter(isObject);
  if (todos.length > 0)
    return todos
      .map(
        (todo) =>
          `[${textOf(todo.status) ?? ''}] ${firstText([todo.content, todo.title, todo.step]) ?? ''}`,
      )
      .join('\n');
  const main = firstText([
    input.url,
    input.query,
    input.pattern,
    input.prompt,
    input.description,
    input.question,
    input.task,
    input.code,
  ]);
  if (main !== null) return [main, ...files].join('\n');
  if (files.length > 0) return files.join('\n');
  return Object.keys(input).length > 0 ? JSON.stringify(input) : null;
}

/** The exit status that a shell tool adds to the output, in phrases that commands do not print. */
const EXIT = [
  /<shellId: \S+ completed with exit code (-?\d+)>/,
  /^\[?(?:Process exited with code|Exit code:?|Command exited with code|Command failed with exit code:?|exit status:?) (-?\d+)/im,
  /<exit_code>(-?\d+)<\/exit_code>/,
];

export function exitIn(text: string): number | null {
  const ends = text.length > 4000 ? `${text.slice(0, 2000)}\n${text.slice(-2000)}` : text;
  for (const pattern of EXIT) {
    const found = pattern.exec(ends);
    if (found) return Number(found[1]);
  }
  return null;
}
