/**
 * What a person's claim forbids: commands and paths, as fields that steps and edits can be compared
 * with. Pure.
 */
import { isSubCommand } from './commands/class-tool.js';
import { isProbe, isProgram, NEVER_OWN, usualClass } from './commands/programs.js';
import { splitSentences } from './sentences/split.js';

/**
 * A rule: at least one command or path. It is read from its claim's words alone, so the words stay
 * the truth.
 */
export interface RuleFields extends Record<string, string | readonly string[] | null> {
  polarity: 'never';
  /** Program and words that a prohibited command has, e.g. `git push --force`. */
  commands: readonly string[];
  /** Below the project's root, also with `*`; a name without a folder is that file anywhere. */
  paths: readonly string[];
  /** What to run instead; null when the claim names nothing. */
  instead: string | null;
}

/**
 * Words that make a statement hold only sometimes, or turn it round. A rule is counted against
 * every step, so a claim with one of them outside its reason is no rule: better none than a wrong
 * one.
 */
export const CONDITION =
  /(?<![\p{L}])(?:if|when(?:ever)?|unless|until|while|during|before|after|without|except(?:ion)?|only|just|once|sometimes|usually|wenn|falls|außer|ohne|nur|bevor|solange|sauf|sans|seulement|avant|quand|salvo|sin|solo|sólo|cuando|antes)(?![\p{L}])/iu;
/** Words before a prohibition that leave it whole. */
const OPENING =
  /^(?:(?:remember|please|also|and|so|again|rule|note|important|you|we|agents?|must|should|bitte|ok(?:ay)?)[\s:,]*)*$/iu;
/** Words behind it that leave it whole. */
const CLOSING = String.raw`(?:\s*\b(?:instead|here|in this (?:repo(?:sitory)?|project|codebase)|for this (?:repo(?:sitory)?|project)|any ?more|ever|at all|directly|by hand|manually|please|again|yourself|stattdessen|hier)\b)*\s*(?:[.!]?\s*$|[.!]\s|[,;:(–—]|- |because\b|since\b|weil\b)`;

const NEVER = String.raw`(?:never|(?:do not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|may not|cannot|can['’]?t)(?: ever)?|avoid|nie(?:mals)?|ne|jamais|nunca)`;
const RUN = String.raw`(?:use|using|run|running|call|calling|invoke|execute|executing|type|benutze|verwende|nutze|utilise[rz]?|lance[rz]?|uses|ejecut[ae]s?|usar)`;
const EDIT = String.raw`(?:(?:hand-)?edit|editing|touch|touching|modify|modifying|change|changing|write (?:to|in(?:to)?)|overwrite|update|updating|delete|remove|rename|bearbeite|ändere|modifie[rz]?|edites|modifiques)`;
/** A code span, put away as `⟦0⟧`, or a bare program with what stands behind it. */
const NAME = String.raw`(?:⟦\d+⟧|[\w.][\w./@*-]*?(?: [\w./:@=-]+){0,5}?)`;
const NAMES = String.raw`(${NAME}(?:(?:,? (?:or|and|nor|oder|ou|o) |, )${NAME}){0,3})`;
const END = `(?=${CLOSING})`;

/** Each with what is prohibited and, if said, what is to be used. */
const FORMS: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:use|run|benutze|nutze|verwende|utilise[rz]?|usa)\s+(?<use>${NAME})\s*,?\s*(?:and\s+)?(?:not|never|instead of|rather than|over|statt|nicht|au lieu de|en lugar de)\s+(?<not>${NAMES})${END}`,
    'iu',
  ),
  new RegExp(
    String.raw`\binstead of\s+(?<not>${NAMES}),?\s+(?:always )?(?:use|run)\s+(?<use>${NAME})${END}`,
    'iu',
  ),
  new RegExp(
    String.raw`\b${NEVER}\s+(?:${RUN}\s+)?(?<not>${NAMES})(?:\s+(?:here|directly))?\s*[,;:.–—(-]+\s*(?:but\s+|and\s+)?(?:always\s+|please\s+)?(?:use|run|only)\s+(?<use>${NAME})${END}`,
    'iu',
  ),
  new RegExp(
    String.raw`\b${NEVER}\s+(?:${RUN}\s+)?(?<not>⟦\d+⟧(?:(?:,? (?:or|nor|oder|ou|o) |, )⟦\d+⟧)*)${END}`,
    'iu',
  ),
  new RegExp(String.raw`\b${NEVER}\s+${RUN}\s+(?<not>${NAMES})${END}`, 'iu'),
  new RegExp(
    String.raw`\b(?:benutze|verwende|nutze|utilise[rz]?|usa)\s+(?:nie(?:mals)?|jamais|nunca)\s+(?<not>${NAMES})${END}`,
    'iu',
  ),
];
const EDITS = new RegExp(
  String.raw`\b${NEVER}\s+(?:ever\s+)?${EDIT}\s+(?:(?:the|any|files? (?:in|under|below)|anything (?:in|under|below)|die|le|el)\s+)*${NAMES}(?:\s+(?:file|folder|directory|by hand|manually|directly))*${END}`,
  'iu',
);
const GIT = new RegExp(
  String.raw`\b${NEVER}\s+(?:ever\s+)?(?:git\s+)?(?<verb>force[- ]push|push|commit|stash|rebase|amend)(?:ing)?(?: anything)?(?:\s+(?:directly\s+|straight\s+)?(?:to|on|onto|into)\s+(?:the\s+)?(?<branch>⟦\d+⟧|main|master|develop|trunk)(?:\s+branch)?)?${END}`,
  'iu',
);

const GIT_FORMS: Readonly<Record<string, readonly string[]>> = {
  push: ['git push'],
  'force push': ['git push --force', 'git push -f'],
  commit: ['git commit'],
  stash: ['git stash'],
  rebase: ['git rebase'],
  amend: ['git commit --amend'],
};

/** What is longer explains more than one rule. */
const LONGEST = 200;
const NO_RULE: RuleFields = { polarity: 'never', commands: [], paths: [], instead: null };

/**
 * What a claim of the person forbids. Precision before recall: a claim with a condition, with words
 * that are not understood, or about something else than commands and paths gives none.
 */
export function ruleOf(claim: string): RuleFields | null {
  const sentences = splitSentences(claim);
  const whole = ruleOfSentence(claim.trim());
  if (whole !== null) return whole;
  const rules = sentences.flatMap((sentence) => ruleOfSentence(sentence) ?? []);
  const isBound = sentences.length > 1 && CONDITION.test(withoutSpans(sentences.join(' ')));
  if (rules.length === 0 || isBound) return null;
  const insteads = [...new Set(rules.flatMap(({ instead }) => instead ?? []))];
  return {
    ...NO_RULE,
    commands: [...new Set(rules.flatMap(({ commands }) => commands))],
    paths: [...new Set(rules.flatMap(({ paths }) => paths))],
    instead: rules.length === 1 ? (insteads[0] ?? null) : null,
  };
}

function withoutSpans(text: string): string {
  return text.replace(/`[^`]*`/g, ' ');
}

function ruleOfSentence(sentence: string): RuleFields | null {
  if (sentence.length > LONGEST) return null;
  const spans: string[] = [];
  const text = sentence.replace(
    /`([^`]+)`/g,
    (_, span: string) => `⟦${spans.push(span.trim()) - 1}⟧`,
  );
  const named = (name: string): string =>
    name.replace(/⟦(\d+)⟧/g, (_, at: string) => spans[Number(at)]!);
  const isSpan = (name: string): boolean => /^⟦\d+⟧$/.test(name);
  const git = GIT.exec(text);
  if (git !== null && isUnbound(text, git))
    return gitRule(git.groups!['verb']!, git.groups!['branch'], named);
  for (const form of FORMS) {
    const found = form.exec(text);
    if (found === null || !isUnbound(text, found)) continue;
    const { not = '', use } = found.groups!;
    const commands = listOf(not).map((name) => commandOf(named(name), isSpan(name)));
    const instead = use === undefined ? null : commandOf(named(use), isSpan(use));
    if (commands.some((each) => each === null) || (use !== undefined && instead === null)) continue;
    return { ...NO_RULE, commands: commands.flatMap((each) => each ?? []), instead };
  }
  const edits = EDITS.exec(text);
  if (edits === null || !isUnbound(text, edits)) return null;
  const paths = listOf(edits[1]!).map((name) => pathOf(named(name)));
  return paths.some((path) => path === null)
    ? null
    : { ...NO_RULE, paths: paths.flatMap((path) => path ?? []) };
}

/** Whether what stands around a prohibition leaves it as it is. */
function isUnbound(text: string, found: RegExpExecArray): boolean {
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  const clause = before.split(/[.;:–—]\s+/).at(-1)!;
  return OPENING.test(clause.trim()) && !CONDITION.test(before) && !CONDITION.test(after);
}

function listOf(names: string): string[] {
  return names.split(/,? (?:or|and|nor|oder|ou|o) |, /);
}

function gitRule(
  verb: string,
  branch: string | undefined,
  named: (name: string) => string,
): RuleFields | null {
  const forms = GIT_FORMS[verb.toLowerCase().replace('-', ' ')]!;
  // Rows do not tell on which branch a commit is made.
  if (branch !== undefined && !verb.toLowerCase().endsWith('push')) return null;
  const commands = branch === undefined ? forms : forms.map((form) => `${form} ${named(branch)}`);
  return commands.every((each) => /^[\w./@ -]+$/.test(each)) ? { ...NO_RULE, commands } : null;
}

const COMMAND = /^[\w./][\w./@:+-]*(?: [\w./:@=+,*-]+){0,6}$/;
/** In prose these are English words. */
const WORDS =
  /^(?:make|just|go|task|node|next|black|code|say|type|read|test|open|find|cut|sort|patch|watch|act|air|which|less|more|head|tail|file|locate|diff|stat|tree|env)$/;
/** Words of prose that are no argument of a command. */
const PROSE =
  /^(?:for|in|on|to|with|at|as|from|of|by|the|a|an|this|that|it|we|you|is|are|here|instead|directly|manually)$/i;

/** A command as its words, or null: a program by itself, or with a sub-command, flags, names. */
function commandOf(name: string, isSpan: boolean): string | null {
  const text = name.trim().replace(/^\$ /, '');
  const [program = '', ...rest] = text.split(/\s+/);
  if (!COMMAND.test(text)) return null;
  if (isSpan) {
    const isScript = /^\.{0,2}\/?[\w./-]+\/[\w.-]+\.(?:sh|py|js|ts|rb)$/.test(program);
    const isCommand = isKnown(program) || isProbe(program) || isScript;
    return isCommand ? text : null;
  }
  if (WORDS.test(program) || !isKnown(program) || rest.some((word) => PROSE.test(word)))
    return null;
  return rest.every(
    (word) => word.startsWith('-') || isSubCommand(program, word) || /^[a-z][\w:-]*$/.test(word),
  )
    ? text
    : null;
}

function isKnown(program: string): boolean {
  return isProgram(program) || NEVER_OWN.has(program) || usualClass(program) !== 'other';
}

const PATH = /^(?!-)(?:\.\/)?(?:[\w@.*+-]+\/)*[\w@.*+-]*\/?$/;

/**
 * A file or folder below the root, without `./` and the last `/`; null for a word without a folder
 * or an ending.
 */
function pathOf(name: string): string | null {
  if (!PATH.test(name) || !/[/.]/.test(name) || /^[.*/]+$/.test(name) || name.includes('..'))
    return null;
  return name.replace(/^\.\//, '').replace(/\/(?:\*{1,2})?$/, '') || null;
}
