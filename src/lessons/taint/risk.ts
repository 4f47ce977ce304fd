/**
 * What a command or a sentence could do when somebody from outside had it run: fetch and run code,
 * send data out, weaken a check, destroy. Pure patterns (`risk-signs.ts`) over its text.
 */
import { splitShell } from '../../shell/index.js';
import { readable } from '../../text/plain-names.js';
import {
  DESTROYING,
  DISGUISED,
  FETCH_AND_RUN,
  INLINE_CODE,
  INSTALL,
  PROSE,
  REMOTE_CODE,
  SENDER,
  TOOLS,
  WEAKENING,
} from './risk-signs.js';

export type Risk =
  | 'fetches and runs something'
  | 'sends data out'
  | 'weakens a check'
  | 'destroys what does not come back'
  | 'runs code that it contains';

function bareName(pkg: string): string {
  return pkg
    .replace(/^["']|["']$/g, '')
    .replace(/(.)@[^/]*$/, '$1')
    .replace(/[=<>~!^[].*$/, '')
    .toLowerCase();
}

/** Package arguments of an install: no flags, no local paths, no requirement files. */
function packagesOf(rest: string): string[] {
  const words = rest
    .split(/&&|\|\||[;|]/)[0]!
    .trim()
    .split(/\s+/);
  const isNamed = (word: string, before = ''): boolean =>
    !/^-|^\.{0,2}\/|^\.$/.test(word) && !/^(?:-r|--requirement|-e|--editable)$/.test(before);
  return words.filter((word, i) => word !== '' && isNamed(word, words[i - 1]));
}

/** Whether it fetches code that neither the project's manifests nor our table of tools names. */
function fetchesCode(command: string, packages: ReadonlySet<string>): boolean {
  if (REMOTE_CODE.test(command)) return true;
  const run = FETCH_AND_RUN.exec(command)?.[1];
  if (run !== undefined) return !packages.has(bareName(run)) && !TOOLS.has(bareName(run));
  const installed = INSTALL.exec(command)?.[1];
  return installed !== undefined && packagesOf(installed).some((p) => !packages.has(bareName(p)));
}

const LOCAL =
  /\b\w+:\/\/(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?=[:/\s"']|$)[^\s"']*/gi;

/**
 * The command as it is written, and with quotes, wrappers and folders of programs taken off; what
 * goes to this machine alone is left out.
 */
function formsOf(command: string): string[] {
  const all = readable(command);
  const remote = all.replace(LOCAL, '');
  const isLocal = remote !== all && !/:\/\/|\w@\w/.test(remote);
  const plain = isLocal ? remote.replace(/\b(?:curl|wget)\b/g, '') : remote;
  const steps = splitShell(plain).map(({ words, env, joint }) => {
    const at = /^(?:sudo|doas)$/.test(words[0] ?? '') ? 1 : 0;
    const program = (words[at] ?? '').replace(/^.*\//, '');
    return `${[...env, program, ...words.slice(at + 1)].join(' ')} ${joint}`;
  });
  return [plain, steps.join(' ')];
}

/** What a command could do; null when nothing of this is known of it. */
export function riskOf(command: string, packages: ReadonlySet<string> = new Set()): Risk | null {
  if (DISGUISED.test(command)) return 'weakens a check';
  const forms = formsOf(command);
  const has = (sign: RegExp): boolean => forms.some((form) => sign.test(form));
  if (WEAKENING.some(has)) return 'weakens a check';
  if (has(DESTROYING)) return 'destroys what does not come back';
  if (forms.some((form) => fetchesCode(form, packages))) return 'fetches and runs something';
  if (has(SENDER)) return 'sends data out';
  return has(INLINE_CODE) ? 'runs code that it contains' : null;
}

/** `Never …`, `Don't …`, in one sentence without a condition: it asks for nothing. */
export function isForbidding(text: string): boolean {
  return (
    /^[\s*_-]*(?:never|do not|don['’]t|avoid|must not)\s+(?!forget|hesitate|skip|omit|miss|fail|stop)/i.test(
      text,
    ) && !/\b(?:without|unless|except|but|instead|until|rather|before)\b|[.;!?]\s+\S/i.test(text)
  );
}

/** What a sentence asks for outside its code. */
export function riskOfProse(text: string): string | null {
  if (DISGUISED.test(text)) return 'is spelt so that it looks like something else';
  const plain = readable(text);
  // A sign ends at a blank: the comma behind an option is none of its own.
  const prose = plain.replace(/`[^`]*`/g, ' ').replace(/[,.;:!?]+(?=\s|$)/g, '');
  if (REMOTE_CODE.test(prose)) return 'fetches and runs something';
  if (DESTROYING.test(prose)) return 'destroys what does not come back';
  if (WEAKENING.some((sign) => sign.test(prose))) return 'weakens a check';
  return PROSE.find(([sign]) => sign.test(plain.replaceAll('`', ' ')))?.[1] ?? null;
}
