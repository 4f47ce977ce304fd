import { CHOOSE } from './language-cues.js';
import { BEHAVES, RULE } from './conclusions-cues.js';
import { PICK } from './language-turns.js';
import { countNamed, findEntities } from './statement-entities.js';
import type { Turn } from './user-turns.js';
import { fit, isWhole, plain, polish, tighten } from './wording.js';
import { dangles } from './wording-subject.js';

/** A choice that the person made among the agent's offers, in the agent's words. */
export interface Pick {
  text: string;
  /** The agent's offer, verbatim. */
  offer: string;
}

const OFFER = /^\s*(?:[-*]\s+)?(?:#{1,4}\s+)?(?:\*\*)?\(?(?:option|approach|variant|plan|alternative|choice|方案|选项)?\s*\(?([1-9]|[A-Ea-e])[.):：]+\)?\s*(?:[-–—:]\s*)?(.+)$/iu;

/** The offer that "option 2", "let's go with 1" or "b" names, or that a bare "yes" agrees to; null when none is clear. */
export function readPick(turn: Turn): Pick | null {
  if (!turn.answered) return null;
  const offers = readOffers(turn.answered.text);
  if (turn.type === 'pick') {
    const wanted = PICK.exec(turn.typed)?.[1]?.toLowerCase();
    const offer = wanted === undefined ? undefined : offers.get(wanted);
    return offer ? word(offer) : null;
  }
  return turn.type === 'approval' ? readProposal(turn.answered.text) : null;
}

/** Numbered or lettered offers of a text; of a number used twice the later list counts. */
function readOffers(text: string): Map<string, string> {
  const offers = new Map<string, string>();
  for (const line of text.replace(/```[\s\S]*?```/g, '').split('\n')) {
    const hit = OFFER.exec(line);
    if (hit?.[1] && hit[2]) offers.set(hit[1].toLowerCase(), hit[2]);
  }
  return offers;
}

/** The rule in the agent's last question: "Should we always run X before Y?" A proposal of a single step is none. */
function readProposal(text: string): Pick | null {
  const last = text.trim().split('\n').filter((line) => line.trim() !== '').at(-1) ?? '';
  const question = /(?:^|[.!]\s+)(?:so\s+)?(?:(?:should|shall) (?:we|i)|(?:do you )?want (?:me|us) to|would you like (?:me|us) to|sollen wir|soll ich) ((?:always|never|only|use|keep|prefer|avoid)\s[^?]{15,180})\?\s*$/iu.exec(plain(last));
  if (!question?.[1] || !(RULE.test(question[1]) || CHOOSE.test(question[1]))) return null;
  return word(question[1]);
}

function word(offer: string): Pick | null {
  const first = plain(offer).replace(/\s*\((?:recommended|my recommendation|preferred)[^)]*\)/iu, '').split(/(?<=[.!?])\s+/)[0] ?? '';
  const text = fit(polish(tighten(first)));
  if (text === null || text.length < 30 || dangles(text) || !isWhole(text) || countNamed(findEntities(text)) === 0) return null;
  return RULE.test(text) || BEHAVES.test(text) || /^(?:use|keep|store|make|always|never|only|treat|follow|derive|read)\b/i.test(text) ? { text, offer } : null;
}
