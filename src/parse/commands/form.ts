import { cleanPath, isAbsolute, isTemporary, placeIn, slashed } from '../../shell/index.js';
import type { Step } from '../../shell/index.js';
import { classOfName, type CommandClass } from './class-tool.js';
import { classifyCommand, type Classified } from './classify.js';

/** A command as it can be repeated by anyone in the project. */
export interface Form {
  /** Shown: `cd web && npm test -- FILE`. */
  text: string;
  /** Equal for spellings that differ in the order of options only; forms are joined by it. */
  key: string;
  /** Words without folder and environment, arguments made general. */
  words: string[];
  /** Folder below the project's root, '' for the root. */
  folder: string;
  class: CommandClass;
  /** The project's own script, target or task. */
  entry: boolean;
  /** Narrowed to single files or names. */
  narrow: boolean;
  /** Names a temporary path, a foreign folder, a hash, or is too long: never shown. */
  temporary: boolean;
  /** Name of the tool, script or target. */
  name: string;
  /** Known by its words only: two sessions must agree. */
  unsure: boolean;
}

const NOISE_FLAGS =
  /^(?:-v{1,3}|-q{1,2}|--quiet|--verbose|--silent|-s|--no-color|--color|--colors|--color=\S+|--tb=\S+|-rN|-rA|-ra|--no-header|--no-progress|--progress=\S+|-count=1|--nocapture|--show-output|--console=\S+|--pretty|--pretty=\S+|--reporter=\S+|-j\d*|-y|--yes|--stacktrace|-B|--batch-mode|--ansi|--no-ansi|--message-format=\S+|--output-format=\S+|--durations=\d+|--maxfail=\d+|-x|--bail)$/;
const NAME_OPTION =
  /^(?:-run|--run|-k|-t|--testNamePattern|--test-name-pattern|--grep|-g|--filter|--tests|-m|--only|--testcase|-Dtest|--plain-name|--test|-e|--example|-n|--name|--gtest_filter|--match|-bench)$/;
const ENV_NOISE =
  /^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|TERM|PAGER|GIT_PAGER|GH_PAGER|LANG|LC_\w+|PATH|HOME|TMPDIR|COLUMNS|DEBIAN_FRONTEND|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|CLAUDE\w*|HUSKY|SHELL|XDG_\w+|UV_CACHE_DIR|GOCACHE|GOFLAGS|npm_config_\w+)=/;
const SECRET_ENV = /(?:TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL|PRIVATE)/i;
const FILE_LIKE = /(?:^|\/)[^/\s]+\.[A-Za-z]\w{0,9}(?:::[\w:[\]-]+|:\d+)?$/;
const PLAIN = /^[\w./:@%+=,*#~<>{}|!?^-]+$/;

/** Folders that mean "all of it". */
const WHOLE =
  /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|(?:\.\/)?(?:src|tests?|specs?|lib|app|packages|apps|examples|cmd|internal|scripts|e2e|benches|__tests__)\/?(?:\.\.\.)?)$/;

/** Environment that belongs to the command: neither noise nor secret nor of this session. */
function keptEnv(env: string[]): string[] {
  return env.filter(
    (e) =>
      !ENV_NOISE.test(e) &&
      !SECRET_ENV.test(e.split('=')[0] ?? '') &&
      /^\w+=[\w.,:@/+-]{1,40}$/.test(e) &&
      !isTemporary(e.replace(/^\w+=/, '')) &&
      !/=\/(?:home|Users|root)\//.test(e),
  );
}

/**
 * Variables before a command, their values as places where they are of one machine or session; of
 * secrets nothing.
 */
export function plainEnv(env: string[]): string[] {
  return env.flatMap((each) => {
    const name = each.split('=')[0] ?? '';
    if (SECRET_ENV.test(name)) return [];
    const value = each.slice(name.length + 1);
    return [
      /^[\w.,:@+-]{0,40}$/.test(value)
        ? each
        : `${name}=${/^[/~$.]/.test(value) ? 'PATH' : 'VALUE'}`,
    ];
  });
}

interface Args {
  words: string[];
  /** Words up to the tool or target: never made general. */
  head: number;
  narrow: boolean;
  temporary: boolean;
}

/** Writes a path as seen from `folder`; null when it lies outside the project. */
function fromFolder(roots: string[], folder: string, word: string): string | null {
  if (!isAbsolute(word)) return word;
  const place = placeIn(roots, word);
  if (place === null) return null;
  if (folder === '') return place === '' ? '.' : place;
  if (place === folder) return '.';
  return place.startsWith(`${folder}/`)
    ? place.slice(folder.length + 1)
    : cleanPath(
        `${folder
          .split('/')
          .map(() => '..')
          .join('/')}/${place}`,
      );
}

function generaliseWord(word: string, foreign: boolean): { word: string; narrow: boolean } {
  if (/^(?:https?|git|ssh):\/\//.test(word)) return { word: 'URL', narrow: true };
  if (/^[0-9a-f]{7,40}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word))
    return { word: 'SHA', narrow: true };
  if (/^v?\d+\.\d+\.\d+(?:[-+.]\w+)*$/.test(word))
    return { word: word.startsWith('v') ? 'vX.Y.Z' : 'X.Y.Z', narrow: false };
  if (/^#?\d{1,}$/.test(word)) return { word: 'N', narrow: false };
  if (/\s/.test(word) || !PLAIN.test(word)) return { word: 'TEXT', narrow: true };
  if (foreign && /[-_].*[-_]|\d/.test(word) && !FILE_LIKE.test(word))
    return { word: 'NAME', narrow: true };
  if (WHOLE.test(word)) return { word, narrow: false };
  if (/\*/.test(word)) return { word: 'FILE', narrow: true };
  if (FILE_LIKE.test(word) && !/^\d+(?:\.\d+)*$/.test(word)) return { word: 'FILE', narrow: true };
  if (word.includes('/') && !word.startsWith('@'))
    return {
      word:
        word.startsWith('./') && !FILE_LIKE.test(word) && /\.\.\.$|^\.\/[\w/-]+$/.test(word)
          ? './PACKAGE'
          : 'PATH',
      narrow: true,
    };
  return { word, narrow: false };
}

/**
 * A word behind a test command that names one test or a part of the tests: nothing that its runner
 * would know in another project.
 */
function isTestName(word: string, before: string): boolean {
  if (!/^[A-Za-z][\w:.[\]-]*$/.test(word) || WHOLE.test(word)) return false;
  if (FILE_LIKE.test(word)) return /\.[A-Z]\w*$/.test(word);
  const isIdentifier = /_|::|[a-z][A-Z]|^[A-Z][a-z]/.test(word);
  return before.startsWith('-') && before !== '--'
    ? isIdentifier
    : isIdentifier || classOfName(word) === null;
}

/** Makes the arguments behind the tool or target general, drops what only changes the output. */
function generalise(
  words: string[],
  classified: Classified,
  roots: string[],
  folder: string,
): Args {
  const at = classified.at;
  const head = words
    .slice(0, at + 1)
    .filter((w) => !/^(?:-j\d*|--silent|--no-print-directory|--color=\S+|--yes)$/.test(w));
  const out: Args = { words: head, head: head.length, narrow: false, temporary: false };
  const named = classified.class === 'test';
  const isGh = words[0] === 'gh';
  for (let i = at + 1; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (NOISE_FLAGS.test(word)) continue;
    if (
      isGh &&
      /^(?:--json|--jq|-q|-R|--repo|--template|--limit|-L|--body|--title|-t|-b|--body-file|-F|--branch|--head|-H|--base|-B)$/.test(
        word,
      )
    ) {
      i += 1;
      continue;
    }
    if (
      named &&
      NAME_OPTION.test(word) &&
      i + 1 < words.length &&
      !/^(?:\d+|auto|logical)$/.test(words[i + 1] ?? '')
    ) {
      out.words.push(word, 'NAME');
      out.narrow = true;
      i += 1;
      continue;
    }
    if (named && isTestName(word, words[i - 1] ?? '')) {
      if (out.words[out.words.length - 1] !== 'NAME') out.words.push('NAME');
      out.narrow = true;
      continue;
    }
    const option = /^(-[\w-]+=|[A-Z_]+=)(.+)$/.exec(word);
    const value = option?.[2] ?? word;
    if (isTemporary(value)) out.temporary = true;
    const near = fromFolder(roots, folder, value);
    if (near === null) out.temporary = true;
    const general = /^-/.test(value)
      ? { word: value, narrow: false }
      : generaliseWord(near ?? value, classified.unsure === true);
    if (named && option !== null && NAME_OPTION.test(option[1]?.replace(/=$/, '') ?? '')) {
      out.words.push(`${option[1] ?? ''}NAME`);
      out.narrow = true;
    } else {
      const word2 = `${option?.[1] ?? ''}${general.word}`;
      out.narrow ||= general.narrow;
      if (!(general.narrow && out.words[out.words.length - 1] === word2)) out.words.push(word2);
    }
  }
  while (out.words[out.words.length - 1] === '--') out.words.pop();
  return out;
}

/** Program as anyone would type it: no home, no system folder, relative to the project. */
function programWord(word: string, roots: string[], folder: string): string {
  if (!isAbsolute(word) && !word.startsWith('~')) return word;
  const near = fromFolder(roots, folder, word);
  if (isAbsolute(word) && near !== null) return near.includes('/') ? near : `./${near}`;
  return slashed(word).replace(/^.*\//, '');
}

/** Runners that find their file in a parent folder: where they are called does not matter. */
const FROM_ANYWHERE =
  /^(?:mise (?:run|r|\S+:)|just |task |nx |turbo |moon |uv sync|cargo (?:fmt|clippy)|git |gh |pre-commit |prek )/;

/** Words of an install that name no package. */
const NO_PACKAGE =
  /^(?:-.*|\.|\.\/.*|\.\[.*|FILE|PATH|install|i|ci|sync|add|mod|tidy|download|vendor|bundle|restore|get|fetch|pip|tool|editable|dev|test|all|main|prod|bootstrap|hooks?)$/;

/**
 * Whether an install names packages: a step of one day, and one that fetches what the project may
 * not want.
 */
function namesPackages(classified: Classified, words: string[]): boolean {
  return (
    classified.class === 'install' &&
    !classified.entry &&
    words
      .slice(1)
      .some(
        (w, i, all) =>
          !NO_PACKAGE.test(w) &&
          !/^(?:-r|--requirement|--extra|--group|-G|--with|-c|--python|--frozen|--prefix|-C|--file|-f|-w|--workspace|--filter|-F)$/.test(
            all[i - 1] ?? '',
          ),
      )
  );
}

/**
 * The general form of a step, or null for a probe.
 * @param folder where it runs, below the project's root; null when it is outside
 */
export function formOf(step: Step, folder: string | null, roots: string[]): Form | null {
  if (step.words.length === 0) return null;
  const program = programWord(step.words[0] ?? '', roots, folder ?? '');
  const words = [
    program,
    ...step.words.slice(1).map((w, i) => (i < 3 ? (fromFolder(roots, folder ?? '', w) ?? w) : w)),
  ];
  const classified = classifyCommand(words);
  if (classified === null) return null;
  const args = generalise(words, classified, roots, folder ?? '');
  const env = keptEnv(step.env);
  const shown = args.words.join(' ');
  const inFolder =
    folder === null || folder === '' || FROM_ANYWHERE.test(`${shown} `) ? [] : [`cd ${folder} &&`];
  const text = [...inFolder, ...env, ...args.words].join(' ');
  const head = args.words.slice(0, args.head);
  return {
    text,
    key: [
      ...inFolder,
      ...env.map((e) => (args.narrow ? e.replace(/=.*$/, '=') : e)).sort(),
      head.join(' ').replace(/^mise (?:exec|x) (?:-- )?/, ''),
      ...args.words.slice(args.head).sort(),
    ].join(' '),
    words: args.words,
    folder: folder ?? '',
    class: classified.class,
    entry: classified.entry,
    narrow: args.narrow,
    temporary:
      folder === null ||
      args.temporary ||
      namesPackages(classified, args.words.slice(args.head - 1)) ||
      step.scripted ||
      step.heredoc ||
      text.length > 100 ||
      /(?:^|[\s=])(?:TEXT|URL|SHA)(?:\s|$)|\$|`/.test(text) ||
      head.some((w) => !PLAIN.test(w) || isTemporary(w) || isAbsolute(w)),
    name: classified.name,
    unsure: classified.unsure === true,
  };
}

/** The form of a command of any program: its first two words stand, the others are made general. */
export function generalForm(step: Step, folder: string | null, roots: string[]): string {
  const program = programWord(step.words[0] ?? '', roots, folder ?? '');
  const general = step.words.slice(1).map((word, index) => {
    if (word.startsWith('-')) return word.replace(/=.*$/s, '=VALUE');
    if (index === 0 && /^[a-z][\w:-]*$/.test(word)) return word;
    return isTemporary(word)
      ? 'PATH'
      : generaliseWord(fromFolder(roots, folder ?? '', word) ?? word, true).word;
  });
  return [...keptEnv(step.env), program, ...general.filter((word, at) => word !== general[at - 1])]
    .join(' ')
    .slice(0, 200);
}
