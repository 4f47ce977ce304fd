/** Which values an adapter may keep in its state, which is stored unmasked. */

const SECRET =
  /pass|secret|token|api[-_]?key|bearer|authori[sz]ation|credential|private|-----BEGIN|:\/\/[^\s/]*@|\w@[a-z][\w-]*\.[a-z]|\s-[up]\s?\S|\d{7,}/i;
const RANDOM = /(?<![A-Za-z\d_+=-])(?=[A-Za-z_+=-]*\d)(?=[\d_+=-]*[A-Za-z])[A-Za-z\d_+=-]{20,}/;

/** A command that writes a file, which may contain content that must not be stored. */
const WRITES = /<<|(?:^|[^\d&>=-])\d?>{1,2}\s*(?!\/dev\/null)[^&\s>]|\btee\b/;

/** Looks like a key. Hyphens and underscores separate words in names, but not in keys. */
const KEY = /(?<![A-Za-z\d])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{20,}/;

/** Whether a path is short and no part of it looks like a key. */
export function isPlainPath(path: string): boolean {
  return path.length <= 300 && !KEY.test(path);
}

/** The command if it is short and cannot contain a secret; else null. */
export function plainCommand(command: string | null): string | null {
  return command === null ||
    command.length > 1000 ||
    SECRET.test(command) ||
    RANDOM.test(command) ||
    WRITES.test(command)
    ? null
    : command;
}
