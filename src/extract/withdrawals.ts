import type { Candidate, Entry } from '../types.js';
import { observed } from './commands/candidate.js';
import { viewLog, type LogView } from './conclusions-log.js';
import { agentTexts } from './agent-texts.js';
import { takesBack } from './conclusions-withdrawn.js';
import { AGREE, PUSHBACK } from './language-turns.js';
import { splitSentences } from './sentences-split.js';
import type { SessionInput } from './session.js';
import { entityKeys, findEntities, isCommandSpan } from './statement-entities.js';

/** Tells that a thing is gone for good; out of one place only ("removed `x` from `y`") is not told by it. */
const GONE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also )?(?:removed|deleted|dropped|ripped out|got rid of|retired)\s(?!.*(?<!\p{L})(?:from|in(?! favou?r)|out of|and re-?added)(?!\p{L}))|(?<![\p{L}])(?:is gone|are gone|no longer exists?|(?:has|have) been (?:removed|deleted|dropped|retired)|(?:was|were) (?:removed|deleted|dropped) (?:entirely|completely|everywhere))(?![\p{L}])|^no (?:more |remaining |other )?(?:references?|usages?|uses|callers?|imports?|mentions?)(?: (?:to|of))?\s.*(?<!\p{L})(?:remains?|left|exists?)(?!\p{L})/iu;
/** What takes its place or is kept stands behind these words. */
const REST = /(?<![\p{L}])(?:in favou?r of|and (?:use|added|kept|replaced)|replaced (?:by|with)|instead|but|except|now|kept|uses?)(?![\p{L}])/iu;

const nameOf = (span: string): string => span.replace(/\(.*\)$/, '').replace(/^\.\//, '');

/** A file name without its folder: another folder may hold one of that name. */
const PLAIN_FILE = /^\.?[\w-]+\.[a-z]{1,5}$/;

/** A name that is not a word of the language. */
const isCoined = (name: string): boolean => name.length >= 4 && /[a-z][A-Z]|[A-Z]{2}|[_./-]|\d/.test(name);

/** The name if the log shows that it is gone: an edit took it away and none wrote it again, or a command removed the file (then with its path). */
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
  const spans = findEntities(text.slice(0, end)).code.filter((span) => !/\s/.test(span) || isCommandSpan(span)).map(nameOf);
  return new Set(spans.filter(isCoined).flatMap((name) => takenAway(name, entry, view)).filter((name) => name.includes('/') || !PLAIN_FILE.test(name)));
}

const MOST = 12;

/**
 * What a session takes back of lessons that others learnt: things that it removed, claims that the agent found wrong, and claims that the person denied.
 * Never lessons; evidence against those that name the same things. Entries must be in order.
 */
export function extractWithdrawals(session: SessionInput): Candidate[] {
  const view = viewLog(session.entries);
  const out = new Map<string, Candidate>();
  const against = (entry: Entry, said: string, text: string, key: string, value: string, tags: string[], saidBy: 'agent' | 'user' | 'observed'): void => {
    if (out.size >= MOST) return;
    const one = observed(session, { kind: 'fact', text, key, importance: 2, alone: false, worth: 0, entry, quote: said, supports: false, trust: 0.9, tags, value, commands: [] });
    out.set(key, { ...one, saidBy });
  };
  for (const { entry, text } of agentTexts(session.entries)) {
    for (const { text: said } of splitSentences(text)) {
      for (const name of goneIn(said, entry, view)) against(entry, said, `\`${name}\` is gone`, `gone:${name}`, name, ['absent', 'removed'], 'observed');
      const names = takesBack(said) ? [...entityKeys(said)] : [];
      if (names.length >= 2) against(entry, said, said.slice(0, 300), `denied:${names.sort().join(' ')}`, names.join('\n'), ['denied'], 'agent');
    }
  }
  for (const turn of view.turns) {
    const first = turn.sentences[0]?.text ?? '';
    const names = PUSHBACK.test(first.slice(0, 40)) && !/^\W*(?:please )?(?:revert|undo|restore)/iu.test(first) && !AGREE.test(turn.typed) ? [...entityKeys(first)] : [];
    if (names.length >= 2 && turn.type !== 'pasted') against(turn.entry, first, first.slice(0, 300), `denied:${names.sort().join(' ')}`, names.join('\n'), ['denied'], 'user');
  }
  return [...out.values()];
}
