/** A command in the form in which anyone in the project can repeat it. Pure. */
import { classifyCommand, type Classified } from './classify.js';
import type { Step } from './parse.js';
import { cleanPath, isAbsolute, isTemporary, placeIn, slashed } from './paths.js';
import { classOfName, type CommandClass } from './tools.js';

export interface Form {
  /** The text that is shown: `cd web && npm test -- FILE`. */
  text: string;
  class: CommandClass;
  /** The project's own script, target or task. */
  entry: boolean;
  /** Limited to single files or names. */
  narrow: boolean;
  /** Contains a temporary path, a foreign folder or a hash, or is too long; never shown. */
  temporary: boolean;
}

/** Options that only change the output. */
const NOISE_FLAGS =
  /^(?:-v{1,3}|-q{1,2}|--quiet|--verbose|--silent|-s|--(?:no-)?color|--colors|--color=\S+|--tb=\S+|-rN|-rA|-ra|--no-header|--no-progress|--progress=\S+|-count=1|--nocapture|--show-output|--console=\S+|--pretty|--pretty=\S+|--reporter=\S+|-j\d*|-y|--yes|--stacktrace|-B|--batch-mode|--(?:no-)?ansi|--message-format=\S+|--output-format=\S+|--durations=\d+|--maxfail=\d+|-x|--bail)$/;
const NOISE_IN_HEAD = /^(?:-j\d*|--silent|--no-print-directory|--color=\S+|--yes)$/;
const NAME_OPTION =
  /^(?:-run|--run|-k|-t|--testNamePattern|--test-name-pattern|--grep|-g|--filter|--tests|-m|--only|--testcase|-Dtest|--plain-name|--test|-e|--example|-n|--name|--gtest_filter|--match|-bench)$/;
/** Options of `gh` whose value concerns one request. */
const GH_VALUED =
  /^(?:--json|--jq|-q|-R|--repo|--template|--limit|-L|--body|--title|-t|-b|--body-file|-F|--branch|--head|-H|--base|-B)$/;
const ENV_NOISE =
  /^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|TERM|PAGER|GIT_PAGER|GH_PAGER|LANG|LC_\w+|PATH|HOME|TMPDIR|COLUMNS|DEBIAN_FRONTEND|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|CLAUDE\w*|HUSKY|SHELL|XDG_\w+|UV_CACHE_DIR|GOCACHE|GOFLAGS|npm_config_\w+)=/;
const SECRET_ENV = /^[^=]*(?:TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL|PRIVATE)/i;
const FILE_LIKE = /(?:^|\/)[^/\s]+\.[A-Za-z]\w{0,9}(?:::[\w:[\]-]+|:\d+)?$/;
const PLAIN = /^[\w./:@%+=,*#~<>{}|!?^-]+$/;
/** Folders that contain everything. */
const WHOLE =
  /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|(?:\.\/)?(?:src|tests?|specs?|lib|app|packages|apps|examples|cmd|internal|scripts|e2e|benches|__tests__)\/?(?:\.\.\.)?)$/;

/** Variables that the command needs: not noise, not secret, not of this session. */
function keptEnv(env: readonly string[]): string[] {
  return env.filter(
    (each) =>
      !ENV_NOISE.test(each) &&
      !SECRET_ENV.test(each) &&
      /^\w+=(?!\/(?:home|Users|root)\/)[\w.,:@/+-]{1,40}$/.test(each) &&
      !isTemporary(each.replace(/^\w+=/, '')),
  );
}

/** Variables before a command without secrets; a value of one machine or session is replaced. */
export function plainEnv(env: readonly string[]): string[] {
  return env
    .filter((each) => !SECRET_ENV.test(each))
    .map((each) => {
      const [name = '', value = ''] = each.split(/=(.*)/s);
      if (/^[\w.,:@+-]{0,40}$/.test(value)) return each;
      return `${name}=${/^[/~$.]/.test(value) ? 'PATH' : 'VALUE'}`;
    });
}

/** Where a command runs. */
interface Place {
  roots: string[];
  /** Path below the project's root. */
  folder: string;
}

/** A path relative to the folder; null if it is outside the project. */
function fromFolder({ roots, folder }: Place, word: string): string | null {
  if (!isAbsolute(word)) return word;
  const place = placeIn(roots, word);
  if (place === null) return null;
  if (place === folder) return '.';
  if (folder === '' || place.startsWith(`${folder}/`))
    return folder === '' ? place : place.slice(folder.length + 1);
  return cleanPath(`${folder.replace(/[^/]+/g, '..')}/${place}`);
}

interface General {
  word: string;
  /** The word was about one file or name. */
  narrow: boolean;
}

function generaliseWord(word: string, isForeign: boolean): General {
  const one = (place: string): General => ({ word: place, narrow: true });
  if (/^(?:https?|git|ssh):\/\//.test(word)) return one('URL');
  if (/^[0-9a-f]{7,40}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word)) return one('SHA');
  if (/^v?\d+\.\d+\.\d+(?:[-+.]\w+)*$/.test(word))
    return { word: word.startsWith('v') ? 'vX.Y.Z' : 'X.Y.Z', narrow: false };
  if (/^#?\d+$/.test(word)) return { word: 'N', narrow: false };
  if (!PLAIN.test(word)) return one('TEXT');
  const isFile = FILE_LIKE.test(word);
  if (isForeign && /[-_].*[-_]|\d/.test(word) && !isFile) return one('NAME');
  if (WHOLE.test(word)) return { word, narrow: false };
  if (word.includes('*') || (isFile && !/^\d+(?:\.\d+)*$/.test(word))) return one('FILE');
  if (!word.includes('/') || word.startsWith('@')) return { word, narrow: false };
  return one(!isFile && /^\.\/.*\.\.\.$|^\.\/[\w/-]+$/.test(word) ? './PACKAGE' : 'PATH');
}

/** Whether a word names one test of this project and is no word of the runner. */
function isTestName(word: string, before: string): boolean {
  if (!/^[A-Za-z][\w:.[\]-]*$/.test(word) || WHOLE.test(word)) return false;
  if (FILE_LIKE.test(word)) return /\.[A-Z]\w*$/.test(word);
  if (/_|::|[a-z][A-Z]|^[A-Z][a-z]/.test(word)) return true;
  return !(before.startsWith('-') && before !== '--') && classOfName(word) === null;
}

interface Args {
  words: string[];
  /** Words up to the tool or target. */
  head: number;
  narrow: boolean;
  temporary: boolean;
}

/** Generalises the arguments after the tool or target; drops options for the output. */
function generalise(words: readonly string[], classified: Classified, place: Place): Args {
  const head = words.slice(0, classified.at + 1).filter((word) => !NOISE_IN_HEAD.test(word));
  const out: Args = { words: head, head: head.length, narrow: false, temporary: false };
  const isTest = classified.class === 'test';
  for (let i = classified.at + 1; i < words.length; i += 1) {
    const [word, next] = [words[i]!, words[i + 1]];
    if (NOISE_FLAGS.test(word)) continue;
    if (words[0] === 'gh' && GH_VALUED.test(word)) i += 1;
    else if (isTest && NAME_OPTION.test(word) && next && !/^(?:\d+|auto|logical)$/.test(next)) {
      out.words.push(word, 'NAME');
      out.narrow = true;
      i += 1;
    } else if (isTest && isTestName(word, words[i - 1]!)) {
      if (out.words.at(-1) !== 'NAME') out.words.push('NAME');
      out.narrow = true;
    } else addGeneral(out, word, classified, place);
  }
  while (out.words.at(-1) === '--') out.words.pop();
  return out;
}

function addGeneral(out: Args, word: string, { unsure, ...of }: Classified, place: Place): void {
  const [, option = '', value = word] = /^(-[\w-]+=|[A-Z_]+=)(.+)$/.exec(word) ?? [];
  const near = fromFolder(place, value);
  out.temporary ||= near === null || isTemporary(value);
  const isName = of.class === 'test' && NAME_OPTION.test(option.slice(0, -1));
  const general = value.startsWith('-')
    ? { word: value, narrow: false }
    : isName
      ? { word: 'NAME', narrow: true }
      : generaliseWord(near ?? value, unsure);
  const written = `${option}${general.word}`;
  if (isName || !general.narrow || out.words.at(-1) !== written) out.words.push(written);
  out.narrow ||= general.narrow;
}

/** The program as anyone would type it: without home or system folder, relative to the project. */
function programWord(word: string, place: Place): string {
  if (!isAbsolute(word) && !word.startsWith('~')) return word;
  const near = isAbsolute(word) ? fromFolder(place, word) : null;
  if (near !== null) return near.includes('/') ? near : `./${near}`;
  return slashed(word).replace(/^.*\//, '');
}

/** Runners that find their file in a parent folder: they work in every folder of the project. */
const FROM_ANYWHERE =
  /^(?:mise (?:run|r|\S+:)|just |task |nx |turbo |moon |uv sync|cargo (?:fmt|clippy)|git |gh |pre-commit |prek )/;

/** Words of an install that are no package, and options whose value is no package. */
const NO_PACKAGE =
  /^(?:-.*|\.|\.\/.*|\.\[.*|FILE|PATH|install|i|ci|sync|add|mod|tidy|download|vendor|bundle|restore|get|fetch|pip|tool|editable|dev|test|all|main|prod|bootstrap|hooks?)$/;
const OF_INSTALL =
  /^(?:-r|--requirement|--extra|--group|-G|--with|-c|--python|--frozen|--prefix|-C|--file|-f|-w|--workspace|--filter|-F)$/;

/** Whether an install names packages. Such a command is not general: it is needed only once. */
function namesPackages(classified: Classified, words: readonly string[]): boolean {
  return (
    classified.class === 'install' &&
    !classified.entry &&
    words.some(
      (word, i) => i > 0 && !NO_PACKAGE.test(word) && !(i > 1 && OF_INSTALL.test(words[i - 1]!)),
    )
  );
}

/**
 * The general form of a step, or null for a probe.
 * @param folder where the step runs, below the project's root; null if outside
 */
export function formOf(step: Step, folder: string | null, roots: string[]): Form | null {
  if (step.words.length === 0) return null;
  const place = { roots, folder: folder ?? '' };
  const words = step.words.map((word, i) =>
    i === 0 ? programWord(word, place) : i < 4 ? (fromFolder(place, word) ?? word) : word,
  );
  const classified = classifyCommand(words);
  if (classified === null) return null;
  const args = generalise(words, classified, place);
  const isAnywhere = place.folder === '' || FROM_ANYWHERE.test(`${args.words.join(' ')} `);
  const inFolder = isAnywhere ? [] : [`cd ${place.folder} &&`];
  const env = keptEnv(step.env);
  const text = [...inFolder, ...env, ...args.words].join(' ');
  const head = args.words.slice(0, args.head);
  return {
    text,
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
      head.some((word) => !PLAIN.test(word) || isTemporary(word) || isAbsolute(word)),
  };
}

/** The form of a command of any program: its first two words stay, the others are generalised. */
export function generalForm(step: Step, folder: string | null, roots: string[]): string {
  const place = { roots, folder: folder ?? '' };
  const general = step.words.slice(1).map((word, i) => {
    if (word.startsWith('-')) return word.replace(/=.*$/s, '=VALUE');
    if (i === 0 && /^[a-z][\w:-]*$/.test(word)) return word;
    return isTemporary(word) ? 'PATH' : generaliseWord(fromFolder(place, word) ?? word, true).word;
  });
  const arguments_ = general.filter((word, at) => word !== general[at - 1]);
  return [...keptEnv(step.env), programWord(step.words[0] ?? '', place), ...arguments_]
    .join(' ')
    .slice(0, 200);
}
