/** What may be remembered of a command in an adapter's state, which is stored as it is, before redaction. */

const SECRET =
  /pass|secret|token|api[-_]?key|bearer|authori[sz]ation|credential|private|-----BEGIN|:\/\/[^\s/]*@|\w@[a-z][\w-]*\.[a-z]|\s-[up]\s?\S|\d{7,}/i;
const RANDOM = /(?=[A-Za-z_+=-]*\d)(?=[\d_+=-]*[A-Za-z])[A-Za-z\d_+=-]{20,}/;

/** What a command writes into a file stands in it, and the file may be one whose content is never stored. */
const WRITES = /<<|(?:^|[^\d&>=-])\d?>{1,2}\s*(?!\/dev\/null)[^&\s>]|\btee\b/;

/** The command, when it is short and can hold no secret; else null. */
export const plainCommand = (command: string | null): string | null =>
  command === null || command.length > 1000 || SECRET.test(command) || RANDOM.test(command) || WRITES.test(command)
    ? null
    : command;
