import type { Candidate } from '../types.js';
import type { SessionInput } from './session.js';
import { toCandidate } from './statement.js';
import type { Turn } from './user-turns.js';

const TONGUES: readonly [string, RegExp][] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Korean', /\p{Script=Hangul}/u],
  ['Chinese', /\p{Script=Han}/u],
  ['Russian', /(?:^|\s)(?:и|не|что|на|это|как|для|с|в)(?=\s)/iu],
  ['German', /(?:^|\s)(?:und|nicht|das|ist|bitte|die|der|wir|auch)(?=\s)/iu],
  ['French', /(?:^|\s)(?:les|des|est|pas|une|pour|dans|avec|le)(?=\s)/iu],
  ['Spanish', /(?:^|\s)(?:los|las|que|para|una|por favor|está|con|el)(?=\s)/iu],
  ['Portuguese', /(?:^|\s)(?:não|que|para|uma|você|isso|está|com|os)(?=\s)/iu],
  ['Italian', /(?:^|\s)(?:che|non|gli|per|una|con|questo|il|è)(?=\s)/iu],
];

/** The language of a text when it is not English, else null; two common words are asked for where scripts do not tell. */
function tongueOf(text: string): string | null {
  for (const [name, sign] of TONGUES) {
    const hits = text.match(new RegExp(sign.source, `${sign.flags}g`)) ?? [];
    const script = sign.source.includes('Script');
    if (script ? hits.length >= 3 : new Set(hits.map((hit) => hit.trim().toLowerCase())).size >= 3) return name;
  }
  return null;
}

/** The person's language when most turns of a session share one that is not English. Needs a second session to count. */
export function readTongue(session: SessionInput, turns: Turn[]): Candidate | null {
  const own = turns.filter((turn) => turn.type !== 'pasted' && turn.typed.length >= 8);
  const counts = new Map<string, number>();
  for (const turn of own) {
    const tongue = tongueOf(turn.typed);
    if (tongue) counts.set(tongue, (counts.get(tongue) ?? 0) + 1);
  }
  const [name, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  const shown = own.find((turn) => tongueOf(turn.typed) === name);
  if (!shown || count < 2 || count * 2 <= own.length) return null;
  return toCandidate(session, {
    kind: 'preference',
    text: `The user writes ${name}: answer in ${name}`,
    key: 'user language',
    quote: shown.typed,
    entry: shown.entry,
    saidBy: 'observed',
    importance: 3,
    trust: 0.6,
    worth: 0.55,
    alone: false,
    tags: ['language'],
  });
}
