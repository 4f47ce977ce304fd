import { BEHAVES, CAUSE, KNOWLEDGE_LABEL, RULE, SUPPOSED } from './conclusions-cues.js';
import { readFrame, type Frame } from './conclusions-frame.js';
import { pointsBack } from './conclusions-pointing.js';
import { isRecipe } from './conclusions-recast.js';
import { CHANGED, CODEISH, INVENTORY, LIST_REFERENCE, CODE_LINE, MOMENT, NARROW, OUTCOME, OVER, PASSING, PAST, POINTS, PROBE, PROPOSAL, SPEAKS, SUBJECTLESS, TO_YOU, VERDICT } from './conclusions-noise.js';
import { REPORT, REPORT_OTHER, STEP } from './conclusions-report.js';
import type { Source } from './conclusions-sources.js';
import type { Sentence } from './sentences-split.js';
import { aboutOf, hardNames, type About } from './statement-about.js';
import { countNamed, countTies, findEntities } from './statement-entities.js';

/** What a sentence says about itself, before the session's log is asked. */
export interface Reading {
  score: number;
  about: About;
  /** What the statement starts from, before its predicate. */
  subject: string;
  cause: boolean;
  behaves: boolean;
  rule: boolean;
  /** Without the grammar of a statement. */
  loose: boolean;
}

/** Where a sentence stood is the strongest single sign. */
const BASE: Record<Source, number> = { rules: 0.38, final: 0.28, turning: 0.2, comment: 0.24, commit: 0.22, request: 0.22, document: 0.14, plan: 0.08, talk: 0.16 };

/** Tools, commands, files and settings outlive the code's symbols. */
const WEIGHT: Record<About, number> = { tool: 0.12, command: 0.1, setting: 0.08, file: 0.06, other: 0, symbol: -0.1 };

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Reads one worded sentence of the agent: null when it cannot be a conclusion, else how much it looks like one (0..1). */
export function readConclusion(text: string, sentence: Sentence, source: Source): Reading | null {
  const bare = text.replace(/`[^`]*`/g, 'x');
  if (isNoise(text, bare, source)) return null;
  const frame = readFrame(text);
  if (isRemark(text, source) || pointsBack(text, frame?.shape === 'behaviour' ? frame.predicate : null)) return null;
  const recipe = isRecipe(text);
  const loose = !frame && source !== 'rules' && !recipe;
  if (loose && (source === 'plan' || source === 'talk' || source === 'turning' || (isPassing(text, bare) && !isPostMortem(text, source)))) return null;
  if (sentence.item && sentence.intro !== null && CASES.test(sentence.intro)) return null;
  if (frame && (source === 'talk' || source === 'turning') && !standsByName(frame, text)) return null;
  const entities = findEntities(text);
  const named = countNamed(entities);
  const cause = CAUSE.test(bare);
  const behaves = BEHAVES.test(bare);
  const rule = RULE.test(bare) || (source === 'rules' && DOES.test(text));
  const told = cause || behaves || rule || recipe;
  const about = aboutOf(text);
  if (named === 0 || (!told && !isPlainFact(frame, about, source, named))) return null;
  if (WIDE.test(text) && source !== 'rules' && Number(cause) + Number(behaves) + Number(rule) + Number(STRONG.test(bare)) < 2) return null;
  const hard = hardNames(entities);
  let score = BASE[source] + WEIGHT[about];
  score += (cause ? 0.08 : 0) + (behaves ? 0.08 : 0) + (rule ? 0.08 : 0) + (STRONG.test(bare) ? 0.1 : 0);
  score += Math.min(0.1, 0.04 * (countTies(entities) - 1) + 0.02 * (named - 1));
  score += hard > 0 ? 0.05 : about === 'tool' ? 0 : -0.12;
  score -= (about === 'symbol' || about === 'other') && (source === 'talk' || source === 'turning' || source === 'plan') ? 0.1 : 0;
  score += isLabelled(sentence) ? 0.08 : 0;
  score += sentence.first ? 0.03 : 0;
  score += frame && frame.shape !== 'behaviour' ? 0.05 : 0;
  return { score: score - weakness(text, bare, source, named, hard, recipe), about, subject: frame?.subject ?? '', cause, behaves, rule, loose: loose || !told || isSupposedThing(frame, rule) || isSwap(frame, bare) || (source !== 'rules' && isPassing(text, bare)) || isThin({ text, bare, source, frame, hard }) };
}

/** Tells of a moment, a change or a symbol: too little to stand without the grammar of a statement. */
const isPassing = (text: string, bare: string): boolean =>
  MOMENT.test(text.replace(/`[^`]*\s[^`]*`/g, 'x')) || CHANGED.test(bare) || PAST.test(bare) || VERDICT.test(text) || STEP.test(text) || SUPPOSED.test(bare) || /^["'“(]|^(?:line|var|test)s? |^\p{Lu}\p{Ll}+(?:ed|s) /u.test(text);

/** What a last answer tells of a failure and its cause, both named: history, but the next failure may be like it. */
const isPostMortem = (text: string, source: Source): boolean =>
  source === 'final' && !SUPPOSED.test(text) && /(?:,\s(?:so|because|which (?:is why|made|broke))|\bbecause)\s/iu.test(text) && /(?<![\p{L}])(?:fail|broke|crash|hung|wrong)/iu.test(text) && !MOMENT.test(text.replace(/`[^`]*\s[^`]*`/g, 'x')) && hardNames(findEntities(text)) >= 1 && countNamed(findEntities(text)) >= 2;

/** Said of code while working: a hypothesis as often as not (measured: such lines hit junk, and few are worth keeping). */
const isRemark = (text: string, source: Source): boolean => (source === 'talk' || source === 'turning') && !WIDE.test(text) && !['tool', 'command'].includes(aboutOf(text));

/** "A guard of that kind reads x": one that there may be, not one that is there. */
const isSupposedThing = (frame: Frame | null, rule: boolean): boolean => frame?.shape === 'behaviour' && !rule && /^an?\s[^`]*$/i.test(frame.subject);

/** "The footer uses a instead of b": a change of code told in the present, with no cause. */
const isSwap = (frame: Frame | null, bare: string): boolean => frame?.shape === 'behaviour' && /^uses?\s[^.]*(?<!\p{L})(?:instead of|rather than)(?!\p{L})/iu.test(frame.predicate) && !CAUSE.test(bare) && hardNames(findEntities(frame.subject)) === 0;

/** Why an instruction holds. */
const BECAUSE = /(?<![\p{L}])(?:because|since|otherwise|or else|as (?:the|it|`)|so (?:that|the|it|a|an|`)|to (?:fix|satisfy|avoid|prevent|work around|stop|keep|make|get)|before|after|when(?:ever)?|if|unless|every time|fails?|breaks?|needs?|requires?|must|never|always|instead of|rather than)(?![\p{L}])/iu;

/** A statement that tells a stranger too little: an instruction of code without its reason; a few words without a hard fact. */
function isThin(one: { text: string; bare: string; source: Source; frame: Frame | null; hard: number }): boolean {
  if (one.source === 'rules' || WIDE.test(one.text)) return false;
  if (one.frame?.shape === 'rule' && !isRecipe(one.text)) {
    const why = BECAUSE.test(one.source === 'comment' || one.hard === 0 ? one.bare.replace(/(?<![\p{L}])(?:instead of|rather than|if|when|before|after|never|always|otherwise)(?![\p{L}])/giu, ' ') : one.bare);
    if (!why) return true;
  }
  return one.bare.split(/\s+/).length < 7 && !STRONG.test(one.bare);
}

/** Said while working: an instruction is a step unless it names more than code, and "the linter" is this moment's. */
const standsByName = (frame: Frame, text: string): boolean =>
  WIDE.test(text) || (frame.shape === 'rule' ? hardNames(findEntities(text)) > 0 : /`[^`]+`/.test(frame.subject) || /(?<=\s)\p{Lu}[\p{L}\d]+|^(?!The\s|An?\s)\p{Lu}|[a-z]-[a-z]|[a-z]\d|\w\/\w|\w_\w/u.test(frame.subject));

/** How a tool, command, file or setting is, told without a cue of cause or rule: worth finding, seldom worth showing. */
const isPlainFact = (frame: Frame | null, about: About, source: Source, named: number): boolean =>
  frame?.shape === 'behaviour' && about !== 'symbol' && about !== 'other' && !(about === 'tool' && /^(?:the )?`/i.test(frame.subject)) && named >= 2 && source !== 'plan' && source !== 'talk' && source !== 'document';

/** Items under such a line are conditions, not statements. */
const CASES = /(?:when|if|unless|where|while|cases?|following|that|conditions?|scenarios?|either|both|any of|all of|verif\w+|check\w*|test\w*)\s*[:：]$/iu;

/** Shapes that are never a conclusion. */
function isNoise(text: string, bare: string, source: Source): boolean {
  if (/[?？]["')\s]*$/u.test(text) || REPORT.test(text) || REPORT_OTHER.test(text) || (CODEISH.test(bare) && !(source === 'rules' && !CODEISH.test(bare.replace(/→/g, ' ')))) || LIST_REFERENCE.test(bare)) return true;
  if (INVENTORY.test(text) || SUBJECTLESS.test(text)) return true;
  if (OVER.test(bare) || OUTCOME.test(text) || PASSING.test(text)) return true;
  if (source !== 'rules' && (SUPPOSED.test(bare) || PROBE.test(text) || [...text.matchAll(/`([^`]*)`/g)].some((code) => CODE_LINE.test(code[1] ?? '')))) return true;
  return source !== 'rules' && (POINTS.test(bare) || SPEAKS.test(bare) || PROPOSAL.test(text) || NARROW.test(bare));
}

/** What takes away from a conclusion: guesses, moments, steps, past, change, length. */
function weakness(text: string, bare: string, source: Source, named: number, hard: number, recipe: boolean): number {
  const words = bare.split(/\s+/).length;
  let loss = SUPPOSED.test(bare) ? 0.24 : 0;
  loss += MOMENT.test(text.replace(/`[^`]*\s[^`]*`/g, 'x')) ? 0.2 : 0;
  loss += STEP.test(text) && source !== 'rules' && !recipe ? (hard > 0 ? 0.2 : 0.3) : 0;
  loss += CHANGED.test(bare) ? 0.2 : 0;
  loss += PAST.test(bare) ? 0.12 : 0;
  loss += source !== 'rules' && VERDICT.test(text) ? 0.2 : 0;
  loss += source !== 'rules' && TO_YOU.test(bare) ? 0.12 : 0;
  loss += words < 7 && !WIDE.test(text) ? 0.12 : 0;
  loss += words > 34 ? 0.05 : 0;
  return loss + (named > 6 ? 0.08 : 0);
}

function isLabelled(sentence: Sentence): boolean {
  const opening = /^[^:：]{2,30}[:：]/u.exec(sentence.text)?.[0] ?? '';
  return KNOWLEDGE_LABEL.test(opening) || (sentence.heading !== null && KNOWLEDGE_LABEL.test(sentence.heading));
}

const DOES = /^(?:run|use|keep|avoid|prefer|never|always|do not|don['’]t|check|set|pass|read|edit|commit|stage|write|put|place|call|see|ask|test|start|stop|restart|open|follow)\b/i;

/** Cues that a careful reader nearly always keeps. */
const STRONG =
  /(?<![\p{L}])(?:must not|never|always|silently|root cause|cannot|instead of|rather than|only (?:when|if|after|in|on|for|works?|reads?|covers?)|ignores?|(?:does not|doesn['’]t|do not|don['’]t) (?:read|respect|support|propagate|inherit|include|run|work|check|cover|see|honou?r|apply|follow|exist|accept|use|know|trigger|match|reload)|overrides?|rewrites?|overwrites?|regenerated?|single source of truth|takes precedence|otherwise|fails with|by default|unless|gitignored|before (?:committing|pushing|running)|no way to|provides? no|has no)(?![\p{L}])|必须|不会|静默|不支持|必ず|반드시/iu;
