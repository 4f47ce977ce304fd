/** Whether a shell says that it does not find a program. */
const PROGRAM =
  /command not found: ([\w./+-]+)|(?:^|[\s:])([\w./+-]*[A-Za-z][\w./+-]*): (?:command )?not found(?!: ?[\w./+-])|'([\w.+-]+)' is not recognized as an internal|([\w.+-]+): No such file or directory|Failed to spawn: `([\w.+-]+)`|executable file not found.*"([\w.+-]+)"|exec: "([\w.+-]+)"/;

function bare(word: string): string {
  return word.replace(/^.*\//, '');
}

/** Whether the shell says that it does not find the program of these words itself. */
export function isShellMissing(words: readonly string[], output: string): boolean {
  const program = bare(words[0] ?? '');
  return output.split('\n', 120).some((line) => {
    const found = line.length > 400 ? null : PROGRAM.exec(line);
    return bare(found?.slice(1).find((group) => group !== undefined) ?? '') === program;
  });
}
