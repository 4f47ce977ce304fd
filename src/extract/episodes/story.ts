import type { Candidate, Entry } from '../../types.js';
import { splitSentences } from '../sentences-split.js';
import { fit, plain, polish, tighten } from '../wording.js';
import type { Turn } from '../user-turns.js';

const TROUBLE = /\b(?:bug|error|fail\w*|broken|crash\w*|wrong|issue|problem|does(?:n['’]t| not)|can(?:['’]t|not)|missing|slow|stuck|why|regression|flaky|fehler|erreur|problème|ошибка)\b|报错|错误|问题|失败|バグ|エラー|오류/iu;
const DONE = /^(?:(?:i|we)(?:['’]ve| have)? )?(?:added|fixed|updated|changed|removed|replaced|refactored|implemented|moved|renamed|created|wired|rewrote|made|switched|merged|committed|released|the fix|the (?:root )?cause|created|extended|corrected|simplified|documented)\b/i;

function worded(text: string): string | null {
  const whole = fit(polish(tighten(plain(text))));
  return whole !== null && whole.length >= 15 ? whole : null;
}

/** The sentence of the request that tells the trouble; else the request's own first sentence when it says more than the title. */
export function problemOf(turn: Turn, title: string): string | null {
  const sentences = turn.sentences.slice(0, 12).map((s) => s.text);
  const all = sentences.map(worded).filter((s) => s !== null);
  const found = sentences.filter((s) => TROUBLE.test(s)).map(worded).find((s): s is string => s !== null) ?? all.find((s) => s.length > title.length + 20);
  return found !== undefined && found.toLowerCase() !== title.toLowerCase() ? found : null;
}

/** What the last answer says was done. */
export function solutionOf(entries: Entry[]): string | null {
  const finals = entries.filter((e) => e.role === 'assistant' && e.origin === 'agent' && !e.copied && e.text.trim().length > 30);
  for (const entry of [...finals].reverse().slice(0, 4)) {
    const sentences = splitSentences(entry.text).map((s) => s.text);
    const found = sentences.filter((s) => DONE.test(s)).map(worded).find((s) => s !== null);
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

/** The best thing learnt in the session, when it is good. */
export function lessonOf(candidates: Candidate[]): string | null {
  const good = candidates.filter((c) => c.alone && c.evidence.supports && /^(?:gotcha|correction|decision)$/.test(c.kind) && c.worth >= 0.5);
  return [...good].sort((a, b) => b.importance - a.importance || b.worth - a.worth || (a.key < b.key ? -1 : 1))[0]?.text ?? null;
}
