import { findEntities } from './statement-entities.js';

/** The grammar of a statement worth keeping. `behaviour`: a named thing does or is so; `rule`: an instruction; `condition`: when X, Y. */
export interface Frame {
  shape: 'behaviour' | 'rule' | 'condition';
  /** Words before the predicate, code spans kept. */
  subject: string;
  /** The rest. */
  predicate: string;
}

/** A clause of time, place or condition that stands in front. */
const CONDITION =
  /^(?:when(?:ever)?|if|after|before|once|unless|until|while|in|on|for|with|without|inside|outside|during|under|since|because|as|at|from|to|by|despite|even (?:if|when|though|with)|every time|each time|wenn|falls|nach|vor|bei|quand|si|après|avant|cuando|después de|antes de|quando|se|depois de|dopo|prima di|als|na|voor|если|когда|после|перед|при)\s(?:[^,;:`]|`[^`]*`){2,140}?,\s+(?:then\s+)?/iu;

const INSTRUCTION =
  /^(?:use|run|keep|avoid|prefer|never|always|do not|don['’]t|pass|set|commit|edit|restart|read|check|call|stage|install|start|stop|put|place|write|regenerate|rebuild|export|quote|escape|pin|bump|tag|push|pull|rebase|merge|fetch|import|return|wrap|treat|expect|watch|inspect|query|name|only|must|benutze|verwende|nutze|utilise[rz]?|lance[rz]?|usa|ejecuta|execute|esegui|gebruik|используй(?:те)?|запускай(?:те)?)(?![\p{L}])/iu;

/** Verbs of behaviour in the present; the first one ends the subject. */
const VERB =
  /(?<![\p{L}`'’-])(?:(?:(?:never|always|silently|automatically|only) (?!(?:the|a|an|if|when|on|in|for)\b)\p{L}+|is|are|does|do|has|have|can|cannot|can['’]t|could|will|won['’]t|must|mustn['’]t|should|shouldn['’]t|may|isn['’]t|aren['’]t|doesn['’]t|don['’]t|hasn['’]t|haven['’]t|was|were|had|did|didn['’]t|wasn['’]t)|(?:(?:never|always|only|silently|also|already|just|still|currently|now|automatically|actually|deliberately|explicitly|merely|both|each|then|often|usually|quietly)\s+)*(?:need|require|expect|ignore|override|overwrite|rewrite|reject|refuse|fail|break|skip|strip|drop|default|depend|run|read|write|live|take|inherit|propagate|throttle|count|cache|exit|return|throw|raise|print|hang|block|win|use|call|come|go|get|give|put|set|keep|show|hide|match|trigger|fire|create|produce|generate|emit|send|receive|accept|allow|deny|forbid|prevent|support|provide|contain|include|exclude|cover|validate|check|compile|build|install|load|import|export|resolve|render|parse|convert|treat|assume|mean|follow|own|point|map|track|store|hold|stop|start|close|open|delete|remove|add|replace|update|restore|reset|clear|merge|sort|limit|cap|wait|time|sit|stay|remain|end|begin|work|apply|affect|cause|lead|result|happen|exist|belong|appear|differ|conflict|collide|shadow|mask|swallow|leak|lose|discard|truncate|cut|escape|quote|prefix|suffix|expand|collapse|reload|refresh|restart|spawn|fork|attach|bind|listen|serve|publish|deploy|push|pull|fetch|commit|tag|bump|pin|lock|require|demand|enforce|guard|gate|protect|consume|feed|derive|compute|estimate|measure|log|report|warn|complain|error|crash|die|survive|persist|expire|rotate|inject|wrap|unwrap|delegate|forward|redirect|proxy|intercept|record|mirror|duplicate|lag|link|symlink|mount|exec|execute|evaluate|invoke|register|subscribe|notify|handle|catch|retry|sandbox|scope|share|reuse|copy|move|rename)(?:e?s)?)(?![\p{L}'’-])/iu;

/** Things of which a repository has one, so that "the …" names them. */
const UNIQUE =
  /(?<![\p{L}])(?:ci|pre-?commit|pre-?push|commit-msg|prepare-commit-msg|post-\w+|git hooks?|hooks?|linter|lint|formatter|type-?check(?:er)?|test suite|unit tests?|integration tests?|e2e tests?|tests|docs|documentation|changelog|readme|release (?:workflow|build|job|script)|default branch|main branch|dev server|lock ?file|sandbox|build|bundler|compiler|pipeline|deployment|production|staging|database|schema|migrations?|api|cli|daemon|docker image|dockerfile|makefile|justfile|manifest|monorepo|workspace|submodules?|virtualenv|venv|python|node|shell|worktrees?|working directory|remote|origin|commit messages?|pull requests?|prs?|branches|tags?|releases?|versions?|secrets?|env(?:ironment)? (?:vars?|variables?|files?)|imports?|exports?|stack traces?|logs?|fixtures?|snapshots?|mocks?|generated (?:files|code)|subcommands?|subprocess(?:es)?|sub-?agents?|package manager|registry|proxy|cache|port)(?![\p{L}])/iu;

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CYRILLIC_OR_OTHER = /[\p{Script=Cyrillic}]|(?<![\p{L}-])(?:der|die|das|und|nicht|les|des|est|pas|los|las|que|não|uma|che|non|het|een)(?![\p{L}-])/iu;

/** Openings that name nothing by themselves. */
const COMMON_OPENING =
  /^(?:the|a|an|this|that|these|those|it|its|there|here|no|not|none|nothing|only|one|two|three|four|five|six|all|both|most|some|today|what|which|who|how|why|where|pr|prs|would|should|could|pin|memory|docs|conflict|line)$|^(?:the|an?|no|one) (?:only|one|real|single|main|first|second|last|next|other|remaining|decisive|old|new|current|existing|actual|real|fix|change|bug|issue|problem|cause|creation|state|collision|action|migration|comment|test|session|question|answer|option|choice|difference|result|reason|goal|plan|gap|risk|cost|rest|code|function|method|logic|approach|implementation|design|pattern)(?![\p{L}])(?![^.]*`)|^(?:pr|issue|commit|finding|task|step|option) ?#?\d|^all\s(?:\w+\s)*$/iu;

/** Paperwork of a plan: its state is told, not how the project works. */
function isProcess(subject: string): boolean {
  return /(?:^|[`/])(?:research|design|tasks|proposal|plan|spec|baseline|todo|progress|memory|handoff|state|roadmap|summary|notes)\.md/i.test(subject);
}

/** Whether a noun phrase names something that a reader can find. */
export function isNamed(phrase: string): boolean {
  if (/`[^`]+`/.test(phrase) || UNIQUE.test(phrase)) return true;
  const found = findEntities(phrase);
  if (found.paths.length + found.names.length + found.flags.length + found.errors.length > 0) return true;
  return /(?<![.!?]\s)(?<=\s)\p{Lu}[\p{L}\d]+/u.test(phrase) || (/^\p{Lu}[\p{L}\d.+-]+(?:['’]s)?$/u.test(phrase.trim()) && !COMMON_OPENING.test(phrase.trim())) || /^[a-z]+(?:-[a-z]+)+\s*$/u.test(phrase.trim()) || /(?<![\p{L}\d])[a-z]{2,}\d\w*(?![\p{L}\d])/u.test(phrase);
}

const VERBS = new RegExp(VERB.source, 'giu');

/** Whether a verb agrees with what stands before it: after one singular noun its bare form is a noun ("documentation rewrite", "docker build"). */
function agrees(subject: string, verb: string): boolean {
  if (!/^[a-z]+$/.test(verb) || /(?:s|^(?:is|are|do|have|can|cannot|could|will|must|should|may|was|were|had|did|put|set|cut))$/.test(verb)) return true;
  const noun = /(\p{L}+)\s*$/u.exec(subject)?.[1] ?? '';
  return noun === '' || /s$|^(?:we|you|they|i|people|children|data|media|criteria|who|which|that|to|not|don|all|both)$/i.test(noun) || /(?<![\p{L}])(?:and|or)(?![\p{L}])/iu.test(subject);
}

/** The frame of a worded sentence, or null when its grammar is none of the kept ones. */
export function readFrame(text: string): Frame | null {
  let front = CONDITION.exec(text)?.[0] ?? '';
  front += CONDITION.exec(text.slice(front.length))?.[0] ?? '';
  const rest = text.slice(front.length);
  if (/^(?:it|this|that|they|these|those|he|she)\s/i.test(rest) && /(?<![\p{L}])(?:was|were|had|did)(?![\p{L}])/iu.test(rest)) return null;
  if (INSTRUCTION.test(rest)) return { shape: 'rule', subject: front, predicate: rest };
  if (WIDE.test(text) || CYRILLIC_OR_OTHER.test(text)) return isNamed(text.slice(0, 60)) ? { shape: 'behaviour', subject: text.slice(0, 60), predicate: text } : null;
  const masked = rest.replace(/`[^`]*`/g, (code) => `\`${'x'.repeat(code.length - 2)}\``).replace(/\([^)]*\)/g, (inner) => `(${'x'.repeat(inner.length - 2)})`).replace(/"[^"]*"/g, (inner) => `"${'x'.repeat(inner.length - 2)}"`);
  const verb = [...masked.matchAll(VERBS)].find((hit) => hit.index === 0 || agrees(masked.slice(0, hit.index), hit[0]));
  if (!verb || verb.index === 0) return null;
  const subject = rest.slice(0, verb.index);
  const open = masked.slice(0, verb.index);
  if (/[,;:—–]|\s-\s|(?:^|\s)(?:that|which|who|because)\s/.test(open) || open.split(/\s+/).length > 14) return null;
  if (COMMON_OPENING.test(subject) || isProcess(subject)) return null;
  if (/^(?:was|were|had|did|didn|wasn)/i.test(verb[0])) return null;
  const generic = /^(?:the|this|that|our|its|their)\s/i.test(subject);
  if (!isNamed(subject) && (generic || front === '' || !isNamed(front))) return null;
  if (/^(?:one|two|three|four|five|six|seven|eight|nine|ten|both|another|most|some|several|today|neither|either|nothing|something|what|how|why|where|who)\b/i.test(subject)) return null;
  return { shape: front === '' ? 'behaviour' : 'condition', subject: front + subject, predicate: rest.slice(verb.index) };
}
