import type { Candidate, Entry } from '../types.js';
import { observed } from './commands/candidate.js';
import type { LogView } from './agent-texts.js';
import { AGREE, cue, PUSHBACK } from './sentences/language-turns.js';
import type { SessionInput } from './session.js';
import { entityKeys, findEntities, isCommandSpan } from './sentences/entities.js';

/** A claim with its place in the session. */
interface Claim {
  text: string;
  /** Running number among all sentences of the session's agent. */
  order: number;
}

/** A later sentence that takes something back: its place and what it names. */
export interface Retraction {
  order: number;
  names: ReadonlySet<string>;
  text: string;
}

/** Takes back what was said. */
const RETRACTS = cue(
  [
    'i was wrong',
    'i (?:mis(?:read|understood|took|stated|diagnosed)|incorrectly|wrongly|mistakenly)',
    'my (?:earlier|previous|initial|first|original) .{0,40}(?:was|were) (?:wrong|incorrect|mistaken|off|not)',
    "(?:turns out|actually|in fact).{0,60}(?:not|isn[’']t|wasn[’']t|doesn[’']t|didn[’']t|no|never|wrong)",
    "was(?:n[’']t| not) (?:the (?:cause|problem|issue|reason|culprit|real)|actually|because)",
    "(?:is|are)(?:n['’]t| not) (?:actually|really|the (?:cause|problem|issue|reason|culprit))",
    'false (?:alarm|positive|lead)',
    'correction',
    'i retract',
    'disregard',
    'scratch that',
    'that claim',
    'red herring',
    'ruled out',
    'not the (?:cause|problem|culprit|root cause)',
    'contrary to',
    'does not (?:hold|survive)',
    'is a false positive',
    'disproved',
    'refuted',
    'stand corrected',
    'ich lag falsch',
    'je me suis trompé',
    'me equivoqué',
    'eu estava errado',
    'mi sono sbagliato',
    'я ошиб(?:ся|лась)',
  ],
  ['我错了', '之前.{0,20}错', '误报', '并不是', '其实不是', '間違って', '誤り', '제가 틀렸', '잘못'],
);

/** An agent that says outright that it was wrong, or that something is not as it was told. */
const OUTRIGHT =
  /(?<![\p{L}])(?:(?:i|we) (?:was|were) wrong|i (?:misread|misunderstood|misstated|misdiagnosed|incorrectly|wrongly|mistakenly)|(?:my|the) (?:earlier|previous|initial|first|original) (?:claim|note|statement|conclusion|diagnosis|assumption|lesson|memory|finding)[^.]{0,60}(?:was|were|is) (?:wrong|incorrect|mistaken|outdated|stale|no longer true)|contrary to (?:my|the|what)|i retract|scratch that|disproved|refuted|stand corrected|(?:is|are) (?:outdated|no longer true))(?![\p{L}])|我错了|之前.{0,20}错|間違って|제가 틀렸/iu;

/** Whether a sentence takes back outright what was told before. */
function takesBack(text: string): boolean {
  return OUTRIGHT.test(text.replace(/`[^`]*`/g, 'x'));
}

/** The sentence as a retraction, or null when it takes nothing back. */
export function asRetraction(text: string, order: number): Retraction | null {
  if (!RETRACTS.test(text)) return null;
  const names = entityKeys(text);
  return names.size > 0 ? { order, names, text } : null;
}

/** Whether a later sentence on the same things takes the claim back: two shared names, or one that is all the claim names. */
export function isWithdrawn(claim: Claim, retractions: readonly Retraction[]): boolean {
  const names = [...entityKeys(claim.text)];
  return retractions.some((one) => {
    if (one.order <= claim.order || one.text === claim.text) return false;
    const shared = names.filter((name) => one.names.has(name)).length;
    return shared >= 2 || (shared === 1 && names.length <= 2);
  });
}

/** Tells that a thing is gone for good; out of one place only ("removed `x` from `y`") is not told by it. */
const GONE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also )?(?:removed|deleted|dropped|ripped out|got rid of|retired)\s(?!.*(?<!\p{L})(?:from|in(?! favou?r)|out of|and re-?added)(?!\p{L}))|(?<![\p{L}])(?:is gone|are gone|no longer exists?|(?:has|have) been (?:removed|deleted|dropped|retired)|(?:was|were) (?:removed|deleted|dropped) (?:entirely|completely|everywhere))(?![\p{L}])|^no (?:more |remaining |other )?(?:references?|usages?|uses|callers?|imports?|mentions?)(?: (?:to|of))?\s.*(?<!\p{L})(?:remains?|left|exists?)(?!\p{L})/iu;
/** Behind these words stands what replaces it or is kept. */
const REST =
  /(?<![\p{L}])(?:in favou?r of|and (?:use|added|kept|replaced)|replaced (?:by|with)|instead|but|except|now|kept|uses?)(?![\p{L}])/iu;

function nameOf(span: string): string {
  return span.replace(/\(.*\)$/, '').replace(/^\.\//, '');
}

/** A file name without its folder: another folder may hold one of that name. */
const PLAIN_FILE = /^\.?[\w-]+\.[a-z]{1,5}$/;

/** A name that is not a word of the language. */
function isCoined(name: string): boolean {
  return name.length >= 4 && /[a-z][A-Z]|[A-Z]{2}|[_./-]|\d/.test(name);
}

/**
 * The name if the log shows that it is gone: an edit took it away and none wrote it again, or a command removed the file (then
 * with its path).
 */
function takenAway(name: string, entry: Entry, view: LogView): string[] {
  const key = name.toLowerCase();
  const path = view.removed.get(key);
  if (path !== undefined) return [path];
  const removing = view.edits.filter((edit) => edit.seq < entry.seq && edit.names.has(key) && !edit.added.has(key));
  const again = view.edits.some((edit) => edit.added.has(key) && removing.every((one) => one.seq < edit.seq));
  return removing.length > 0 && !again ? [name] : [];
}

/** What a sentence of the agent reports as gone and the log bears out; empty for all others. */
export function goneIn(text: string, entry: Entry, view: LogView): Set<string> {
  const open = text.replace(/`[^`]*`/g, (code) => code.replace(/[^`]/g, 'x'));
  if (!GONE.test(open) || (/(?<!\p{L})from(?!\p{L})/iu.test(open) && !/^no /i.test(open))) return new Set();
  const end = REST.exec(open)?.index ?? text.length;
  const spans = findEntities(text.slice(0, end))
    .code.filter((span) => !/\s/.test(span) || isCommandSpan(span))
    .map(nameOf);
  return new Set(
    spans
      .filter(isCoined)
      .flatMap((name) => takenAway(name, entry, view))
      .filter((name) => name.includes('/') || !PLAIN_FILE.test(name)),
  );
}

const MOST = 12;

/**
 * What a session takes back of lessons that others learnt: things that it removed, claims that the agent found wrong, and
 * claims that the person denied. Never lessons; evidence against those that name the same things. Entries must be in order.
 */
export function extractWithdrawals(session: SessionInput, view: LogView): Candidate[] {
  const out = new Map<string, Candidate>();
  const against = (
    entry: Entry,
    said: string,
    text: string,
    key: string,
    value: string,
    tags: string[],
    saidBy: 'agent' | 'user' | 'observed',
  ): void => {
    if (out.size >= MOST) return;
    const one = observed(session, {
      kind: 'fact',
      text,
      key,
      importance: 2,
      alone: false,
      worth: 0,
      entry,
      quote: said,
      supports: false,
      trust: 0.9,
      tags,
      value,
      commands: [],
    });
    out.set(key, { ...one, saidBy });
  };
  for (const { entry, sentences } of view.told) {
    for (const { text: said } of sentences) {
      for (const name of goneIn(said, entry, view))
        against(entry, said, `\`${name}\` is gone`, `gone:${name}`, name, ['absent', 'removed'], 'observed');
      const names = takesBack(said) ? [...entityKeys(said)] : [];
      if (names.length >= 2)
        against(entry, said, said.slice(0, 300), `denied:${names.sort().join(' ')}`, names.join('\n'), ['denied'], 'agent');
    }
  }
  for (const turn of view.turns) {
    const first = turn.sentences[0]?.text ?? '';
    const names =
      PUSHBACK.test(first.slice(0, 40)) && !/^\W*(?:please )?(?:revert|undo|restore)/iu.test(first) && !AGREE.test(turn.typed)
        ? [...entityKeys(first)]
        : [];
    if (names.length >= 2 && turn.type !== 'pasted')
      against(turn.entry, first, first.slice(0, 300), `denied:${names.sort().join(' ')}`, names.join('\n'), ['denied'], 'user');
  }
  return [...out.values()];
}
