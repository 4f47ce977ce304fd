/**
 * Commands and paths that a person's claim forbids or a note recommends, as fields to compare with
 * steps and edits. Pure.
 */
import {
  formOf,
  generalForm,
  isOfSystem,
  isProbe,
  isProgram,
  splitShell,
  usualClass,
} from '../shell/index.js';
import { typedFreely } from '../text/typed-lines.js';
import { lineOf } from '../text/verbatim.js';
import { findEntities } from './entities.js';
import { splitSentences } from './sentences.js';
import { withoutSpans } from '../text/code.js';

/** Parts of a rule. A rule without a command or a path cannot be counted. */
interface RuleFields extends Record<string, string | readonly string[] | null> {
  polarity: 'never';
  /** Programs with words of prohibited commands, e.g. `git push --force`. */
  commands: readonly string[];
  /** Paths below the root, also with `*`; a name without a folder matches in every folder. */
  paths: readonly string[];
  /** What to run instead; null if the claim names nothing. */
  instead: string | null;
}

const NOT_COUNTED: RuleFields = { polarity: 'never', commands: [], paths: [], instead: null };

const FORBIDS =
  /^(?:please\s+)?(?:never|do not|don['’]?t|no)(?![\p{L}\p{N}'’])(?:\s+(?:use|run|call)\s)?/iu;
const REPLACES =
  /^(?:please\s+|always\s+)*use\s.*?(?:(?<!\p{L})(?:not|never)|instead of|rather than)(?!\p{L})/iu;
/** Words of a condition, which a step cannot show. */
const CONDITION =
  /(?<!\p{L})(?:if|when(?:ever)?|unless|until|while|during|before|after|without|except|only|sometimes)(?!\p{L})/iu;
const EDITS =
  /(?<!\p{L})(?:(?:hand-)?edit|touch|modify|change|write|overwrite|update|delete|remove|rename)(?!\p{L})/iu;
/** End of the forbidden part; a reason or an alternative follows. */
const END = /[.;:–—(]|,?\s(?:but\s|always\s|please\s)?use\s/iu;

/**
 * The rule of a claim, whose commands and paths are in code spans; null if the claim is not a rule.
 * @param forms commands and paths that the person added
 */
export function ruleOf(claim: string, forms: readonly string[] = []): RuleFields | null {
  const stated = ruleIn(claim);
  const named = forms.flatMap((form) => forbiddenBy(form) ?? []);
  if (named.length === 0) return stated;
  const { commands, paths, instead } = stated ?? NOT_COUNTED;
  return {
    ...{ polarity: 'never', instead },
    commands: [...new Set([...commands, ...named.flatMap(({ command = [] }) => command)])],
    paths: [...new Set([...paths, ...named.flatMap(({ path = [] }) => path)])],
  };
}

/** A typed command or path; null if it is neither or more than one. */
export function forbiddenBy(form: string): { command?: string; path?: string } | null {
  const [step, ...more] = splitShell(form);
  if (step === undefined || more.length > 0 || step.words.length === 0) return null;
  const [word = '', ...words] = step.words;
  const path = words.length > 0 || SCRIPT.test(word) || isProgram(word) ? null : pathOf(word);
  return path === null ? { command: step.words.join(' ') } : { path };
}

function ruleIn(claim: string): RuleFields | null {
  const spans: string[] = [];
  const text = withoutSpans(claim.trim(), (span) => `⟦${spans.push(span) - 1}⟧`);
  const isSwap = REPLACES.test(text);
  if (!isSwap && !FORBIDS.test(text)) return null;
  if (CONDITION.test(text)) return NOT_COUNTED;
  const begun = REPLACES.exec(text) ?? FORBIDS.exec(text)!;
  const [before, after] = [text.slice(0, begun[0].length), text.slice(begun[0].length)];
  const forbidden = after.split(END, 1)[0]!;
  const named = (part: string): string[] =>
    [...part.matchAll(/⟦(\d+)⟧/g)].map(([, n]) => spans[Number(n)]!);
  const read = EDITS.test(forbidden) ? pathOf : commandOf;
  const [names, instead] = [
    named(forbidden).map(read),
    named(isSwap ? before : after.slice(forbidden.length)).map(commandOf)[0] ?? null,
  ];
  if (names.length === 0 || names.includes(null)) return NOT_COUNTED;
  const known = names.flatMap((name) => name ?? []);
  return read === pathOf
    ? { ...NOT_COUNTED, paths: known }
    : { ...NOT_COUNTED, commands: known, instead };
}

const COMMAND = /^[\w./][\w./@:+-]*(?: [\w./:@=+,*-]+){0,6}$/;
const SCRIPT = /^\.{0,2}\/?[\w./-]+\/[\w.-]+\.(?:sh|py|js|ts|rb)$/;

/** A known program or a script of the project, with its words. */
function commandOf(span: string): string | null {
  const text = span.replace(/^\$ /, '');
  const program = text.split(' ', 1)[0]!;
  const isKnown =
    isProgram(program) ||
    isOfSystem(program) ||
    usualClass(program) !== 'other' ||
    isProbe(program);
  return COMMAND.test(text) && (isKnown || SCRIPT.test(program)) ? text : null;
}

const PATH = /^(?!-)(?:\.\/)?(?:[\w@.*+-]+\/)*[\w@.*+-]*\/?$/;

/** A file or folder below the root, without `./` and the last `/`. */
function pathOf(span: string): string | null {
  const isPath = PATH.test(span) && /[/.]/.test(span) && !/^[.*/]+$/.test(span);
  if (!isPath || span.includes('..')) return null;
  return span.replace(/^\.\//, '').replace(/\/(?:\*{1,2})?$/, '') || null;
}

/** Words before a code span by which a note recommends a command. */
const TELLS =
  /(?<!(?:not|never|don['’]?t|cannot|no|avoid|instead of)\s+)\b(?:re)?(?:run|use|call|execute|type|with|via|start|invoke)(?:ning|ing)?:?\s*$/i;
/** Words by which a note itself reports a removal. */
const SAYS_GONE =
  /\b(?:gone|remov\w+|delet\w+|dropp\w+|renam\w+|replac\w+|moved|obsolete|deprecated|former\w*|no longer|used to)\b/i;

/** The forms of the commands that a note recommends, and the files that it names. */
export function noteNames(text: string): { forms: string[]; files: string[] } {
  const forms = [...text.matchAll(/`([^`]+)`/g)].flatMap(({ 1: span, index }) => {
    const [, folder = '', command = ''] = /^(?:cd (\S+) && )?(.*)$/.exec(span!.trim())!;
    if (!TELLS.test(text.slice(0, index)) || commandOf(command) === null) return [];
    const [step, ...more] = splitShell(command);
    if (step === undefined || more.length > 0) return [];
    return formOf(step, folder, [])?.text ?? generalForm(step, folder, []);
  });
  const files = SAYS_GONE.test(text) ? [] : findEntities(text).paths.flatMap(pathOf);
  return { forms: [...new Set(forms)], files: [...new Set(files.filter((file) => file !== null))] };
}

const RULE =
  /^(?:(?:please|also|and|so|but|ok(?:ay)?)[\s,:]+)*(?:never|don['’]?t|do not|always|no)(?![\p{L}'’])|(?<!\p{L})use .{1,80}(?:(?<!\p{L})not |instead of|rather than)/iu;
const SHORTEST = 8;
const LONGEST = 200;

/**
 * Sentences of a prompt that look like rules; `review` asks the person about them.
 * @param typed the prompt, whose `Remember:` lines are already claims
 */
export function ruleSentences(typed: string): string[] {
  return splitSentences(typedFreely(typed)).flatMap((sentence) => {
    const text = lineOf(sentence, LONGEST) ?? '';
    const isRule = text.length >= SHORTEST && RULE.test(text) && !/[?？]["')\s]*$/u.test(text);
    return isRule ? [text] : [];
  });
}
