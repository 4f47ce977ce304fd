import { BEHAVES, CAUSE, KNOWLEDGE_LABEL, MOMENT, REPORT, REPORT_OTHER, RULE, STEP, SUPPOSED } from './conclusions-cues.js';
import type { Source } from './conclusions-sources.js';
import type { Sentence } from './sentences-split.js';
import { countNamed, countTies, findEntities, type Entities } from './statement-entities.js';

/** What a sentence says about itself, before the session's log is asked. */
export interface Reading {
  score: number;
  entities: Entities;
  cause: boolean;
  behaves: boolean;
  rule: boolean;
}

const BASE: Record<Source, number> = { rules: 0.42, final: 0.3, turning: 0.24, comment: 0.24, commit: 0.22, request: 0.22, document: 0.18, plan: 0.1, talk: 0.14 };

/** Lists of parts, not statements: "`x` - does y", "file.go: …", "Finding 4", test names. */
const INVENTORY =
  /^(?:`[^`]+`|\*\*[^*]+\*\*|[\w./-]+\.\w{1,5})(?:\s*\([^)]*\))?\s*(?:[-–—:→]|->|=>)\s|^(?:finding|option|approach|step|phase|part|fix|test|case|scenario|issue|bug|task|change|round|tier|stage|layer|level|[a-z]?\d+)\s*(?:[#.]?\d+|[a-e])?\s*[:.)–—-]|^(?:Test|test_|it\(|describe\()\w*|^(?:file|files|location|path|line|lines|where|usage|example|input|output|type|returns?|args?|param\w*|default|status|severity|commit|branch|title|author|date|version|url|link|source|target|before|after|old|new|why it matters|current|proposed|expected|actual|pros?|cons?|effort|risk|impact|priority|confidence|scope|goal|objective|deliverable|question|answer|action|recommendation|verification|next steps?|summary|description|evidence|scenario|effect|severity|class|category|owner)\s*[:：]/iu;

/** Code that slipped out of its fence. */
const CODEISH = /[{};]\s*$|=>|:=|===|&&|\|\||\w+\([^)]*\)\s*[{;]|^\s*(?:if|for|while|return|const|let|var|func|def|class|import|export)\b.*[({:]|^\$ |→.*→/;

/** Reads one worded sentence of the agent: null when it cannot be a conclusion, else how much it looks like one (0..1). */
export function readConclusion(text: string, sentence: Sentence, source: Source): Reading | null {
  const bare = text.replace(/`[^`]*`/g, 'x');
  if (/[?？]["')\s]*$/u.test(text) || REPORT.test(text) || REPORT_OTHER.test(text) || CODEISH.test(bare)) return null;
  if (source !== 'rules' && (INVENTORY.test(text) || /(?<![\p{L}])(?:i|i['’]\w+|me|my|we['’]ll|you['’](?:d|ve)|the user|your)(?![\p{L}])/iu.test(bare))) return null;
  const entities = findEntities(text);
  const named = countNamed(entities);
  const cause = CAUSE.test(bare);
  const behaves = BEHAVES.test(bare);
  const rule = RULE.test(bare) || (source === 'rules' && STEP_OR_RULE.test(text));
  if (named === 0 || !(cause || behaves || rule)) return source === 'rules' && named > 0 ? { score: 0.35, entities, cause, behaves, rule } : null;
  const words = text.split(/\s+/).length;
  const label = sentence.heading !== null && KNOWLEDGE_LABEL.test(sentence.heading);
  const opening = KNOWLEDGE_LABEL.test(/^[^:：]{2,30}[:：]/u.exec(sentence.text)?.[0] ?? '');
  let score = BASE[source];
  score += cause ? 0.1 : 0;
  score += behaves ? 0.1 : 0;
  score += rule ? 0.1 : 0;
  score += STRONG.test(bare) ? 0.1 : 0;
  score += Math.min(0.12, 0.05 * (countTies(entities) - 1) + 0.03 * (named - 1));
  score += label || opening ? 0.08 : 0;
  score += sentence.first ? 0.04 : 0;
  score -= SUPPOSED.test(bare) ? 0.22 : 0;
  score -= MOMENT.test(text.replace(/`[^`]*\s[^`]*`/g, 'x')) ? 0.16 : 0;
  score -= STEP.test(text) && source !== 'rules' ? 0.22 : 0;
  score -= /\b(?:now|new|newly|was|were|had|has been|have been)\b/i.test(bare) ? 0.07 : 0;
  score -= words < 7 && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(text) ? 0.12 : 0;
  score -= words > 34 ? 0.05 : 0;
  score -= named > 6 ? 0.08 : 0;
  return { score, entities, cause, behaves, rule };
}

const STEP_OR_RULE = /^(?:run|use|keep|avoid|prefer|never|always|do not|don['’]t|check|set|pass|read|edit|commit|stage|write|add|put|place|call|see|ask|test|start|stop|restart|open|follow)\b/i;

/** Cues that a careful reader nearly always keeps. */
const STRONG =
  /(?<![\p{L}])(?:must not|never|always|silently|root cause|not the|cannot|instead of|rather than|only (?:when|if|after|in|on|for|works?|reads?|covers?)|ignores?|does not (?:read|respect|support|propagate|inherit|include|run|work|check|cover|see|honou?r|apply|follow)|doesn['’]t (?:read|respect|support|propagate|inherit|include|run|work|check|cover|see|honou?r|apply|follow)|overrides?|rewrites?|overwrites?|regenerated?|single source of truth|takes precedence|otherwise|fails with|no longer|by default|unless|even (?:if|though|when)|despite|gitignored|before (?:committing|pushing|running))(?![\p{L}])|必须|不会|静默|不支持|必ず|반드시/iu;
