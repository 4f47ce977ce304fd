import type { Candidate, Entry } from '../../types.js';
import { splitSentences } from '../sentences-split.js';
import { fit, plain, polish, tighten } from '../wording.js';
import type { Turn } from '../user-turns.js';

const TROUBLE =
  /\b(?:bug|error|fail\w*|broken|crash\w*|wrong|issue|problem|does(?:n['’]t| not)|can(?:['’]t|not)|missing|slow|stuck|why|regression|flaky|fehler|erreur|problème|ошибка)\b|报错|错误|问题|失败|バグ|エラー|오류/iu;
const DONE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:added|fixed|updated|changed|removed|replaced|refactored|implemented|moved|renamed|created|wired|rewrote|made|switched|merged|committed|released|the fix|the (?:root )?cause|created|extended|corrected|simplified|documented)\b/i;

/** Output that was pasted, and bare paths: they word no trouble. */
const OUTPUT = /^(?:make(?:\[\d+\])?: |npm (?:ERR|error)|\s*at \S+ ?\(|traceback\b|E {2,}|[❯$>%] |\S*[\\/]\S*$)|\*\*\*/iu;

function worded(text: string): string | null {
  const whole = fit(polish(tighten(plain(text))));
  return whole !== null && whole.length >= 15 ? whole : null;
}

/** The sentence of the request that tells the trouble; else the request's own first sentence when it says more than the title. */
export function problemOf(turn: Turn, title: string): string | null {
  const sentences = turn.sentences
    .slice(0, 12)
    .map((s) => s.text)
    .filter((s) => !OUTPUT.test(s.trim()));
  const all = sentences.map(worded).filter((s) => s !== null);
  const found =
    sentences
      .filter((s) => TROUBLE.test(s))
      .map(worded)
      .find((s): s is string => s !== null) ?? all.find((s) => s.length > title.length + 20);
  return found !== undefined && found.toLowerCase() !== title.toLowerCase() ? found : null;
}

/** A claim that it works now: only a tool's or the person's word makes it true. */
const CLAIM =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:fixed|corrected|the fix|the (?:root )?cause|resolved|solved)\b|\b(?:works?|working|passes|passing|green|complete|successfully)\b/i;

/**
 * What the last answers say was done.
 * @param confirmed a check, a commit or the person bore it out; without that, what claims success is left out
 */
export function solutionOf(entries: Entry[], confirmed: boolean): string | null {
  const finals = entries.filter((e) => e.role === 'assistant' && e.origin === 'agent' && !e.copied && e.text.trim().length > 30);
  for (const entry of [...finals].reverse().slice(0, 4)) {
    const sentences = splitSentences(entry.text).map((s) => s.text);
    const found = sentences
      .filter((s) => DONE.test(s) && (confirmed || !CLAIM.test(s)))
      .map(worded)
      .find((s) => s !== null);
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

/** The best thing learnt in the session, when it is good. */
export function lessonOf(candidates: Candidate[]): string | null {
  const good = candidates.filter(
    (c) => c.alone && c.evidence.supports && /^(?:gotcha|correction|decision)$/.test(c.kind) && c.worth >= 0.5,
  );
  return [...good].sort((a, b) => b.importance - a.importance || b.worth - a.worth || (a.key < b.key ? -1 : 1))[0]?.text ?? null;
}
