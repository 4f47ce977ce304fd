import type { Candidate, Entry, LessonKind, SaidBy, Scope } from '../../types.js';
import { ownNotesIn } from '../own-notes.js';
import { EXTRACTOR_VERSION, type SessionInput, dayOf } from '../session.js';
import { mentionsOf } from '../sightings-tokens.js';
import { findEntities } from './entities.js';
import { quoteOf } from '../../text/verbatim.js';

/** What makes a candidate of a statement. */
interface StatementParts {
  kind: LessonKind;
  text: string;
  /** The words that the statement was made from. */
  quote: string;
  entry: Entry;
  saidBy: SaidBy;
  importance: Candidate['importance'];
  trust: number;
  worth: number;
  alone: boolean;
  scope?: Scope;
  tags?: string[];
  /** Fixed key where wordings differ but the point is one. */
  key?: string;
}

/** A candidate from a statement; key, subject, files and mentions are read from its text. */
export function toCandidate(session: SessionInput, parts: StatementParts): Candidate {
  const found = findEntities(parts.text);
  const about = findSubject(parts.text);
  return {
    kind: parts.kind,
    scope: parts.scope ?? 'project',
    text: parts.text,
    key: parts.key ?? keyOf(parts.text),
    importance: parts.importance,
    saidBy: parts.saidBy,
    alone: parts.alone,
    worth: Math.round(Math.min(1, Math.max(0, parts.worth)) * 1000) / 1000,
    evidence: {
      agent: session.agent,
      session: session.session,
      entry: parts.entry.id,
      day: dayOf(parts.entry),
      trust: parts.trust,
      supports: true,
      quote: quoteOf(parts.quote),
    },
    tags: [...new Set(parts.tags ?? [])].sort(),
    files: [
      ...new Set(
        found.paths
          .filter((path) => !path.startsWith('~') && !path.includes('*'))
          .map((path) => relativeTo(path, session.project.folders)),
      ),
    ].slice(0, 6),
    subject: about?.subject ?? null,
    value: about?.value ?? null,
    mentions: mentionsOf(parts.text, found.commands),
    extractor: EXTRACTOR_VERSION,
  };
}

/** A path without the project's folder in front. */
function relativeTo(path: string, folders: string[]): string {
  for (const folder of folders) if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  return path;
}

/** What a statement decides about: same subject, other value is a contradiction. */
interface SubjectValue {
  subject: string;
  value: string;
}

/** Closed sets: of each only one is in use for its purpose. */
const RIVALS: readonly { subject: string; values: RegExp; frame: RegExp }[] = [
  {
    subject: 'package manager',
    values: /(?<![\w-])(npm|pnpm|yarn|bun)(?![\w-])/i,
    frame: /\b(?:use|using|uses|package manager|install|instead|not|with)\b/i,
  },
  {
    subject: 'python environment',
    values: /(?<![\w-])(uv|poetry|pipenv|pdm|conda|pip)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|not|with|install)\b/i,
  },
  {
    subject: 'javascript test runner',
    values: /(?<![\w-])(vitest|jest|mocha|ava|node:test)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|test runner|tests? (?:run|with)|not)\b/i,
  },
  {
    subject: 'formatter',
    values: /(?<![\w-])(prettier|biome|dprint|black)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|format\w*|not)\b/i,
  },
  {
    subject: 'container tool',
    values: /(?<![\w-])(docker|podman|nerdctl)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|not)\b/i,
  },
];

const NAMED: readonly [RegExp, string][] = [
  [/(?:default|main|base|release) branch (?:is|should be|must be)(?: called| named)? `?([\w./-]+)`?/i, 'default branch'],
  [/(?:module|import) path (?:is|should be|must be|became) `?([\w./-]+)`?/i, 'module path'],
  [/(?:node|node\.js) (?:version )?(?:is |must be |should be )?v?(\d+(?:\.\d+)*)/i, 'node version'],
  [/python (?:version )?(?:is |must be |should be )?v?(\d+\.\d+(?:\.\d+)?)/i, 'python version'],
  [/(?:java|jdk|openjdk) ?-?(?:version )?(?:is |must be |should be )?(\d+)\b/i, 'java version'],
  [/(?:stay|keep|remain) (?:on|at|with) v?(\d+(?:\.\d+)*(?:\.x)?)/i, 'version line'],
  [/(?:listens?|runs?|serves?) on port (\d{2,5})/i, 'port'],
];

/**
 * Subject and value that a statement fixes, or null. Of rival tools the wanted one is the value: "use pnpm, not npm" gives pnpm.
 */
function findSubject(text: string): SubjectValue | null {
  for (const [pattern, subject] of NAMED) {
    const value = pattern.exec(text)?.[1];
    if (value) return { subject, value: value.toLowerCase().replace(/\.$/, '') };
  }
  for (const { subject, values, frame } of RIVALS) {
    if (!frame.test(text)) continue;
    const wanted = text
      .replace(/`/g, '')
      .replace(
        /(?:,? not|instead of|rather than|over|never(?: use)?|don['’]t(?: use)?|do not(?: use)?|avoid|no more|stop using)\s+(?:the\s+)?(?:`?[\w:.-]+`?(?:\s*(?:,|or|and)\s*)?)+/gi,
        ' ',
      );
    const hits = [...wanted.matchAll(new RegExp(values.source, 'gi'))].map((hit) => (hit[1] ?? '').toLowerCase());
    if (new Set(hits).size === 1 && /\b(?:use|using|uses|manager|runner)\b/i.test(wanted))
      return { subject, value: hits[0] as string };
  }
  return null;
}

/** An agent's sentence that repeats this many foreign words in a row is not its own. */
const RUN = 8;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
}

/** Runs of eight foreign words, each with the place (`seq`) where it first stood. */
export type ForeignRuns = ReadonlyMap<string, number>;

/**
 * All runs of eight words in texts that are neither the user's nor the agent's: web pages, MCP answers, injected instructions;
 * and our own notes however they were read, each of their lines whole, since an agent that repeats them has learnt nothing.
 * Entries must be in order.
 */
export function foreignRuns(entries: Entry[]): ForeignRuns {
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const own = entry.origin === 'agent' ? [] : ownNotesIn(entry.text);
    const foreign = entry.origin === 'external' || entry.origin === 'injected' ? [entry.text] : [];
    for (const run of [
      ...foreign.flatMap((text) => runsOf(wordsOf(text))),
      ...own.flatMap((line) => wholeOrRuns(wordsOf(line))),
    ]) {
      if (!runs.has(run)) runs.set(run, entry.seq);
    }
  }
  return runs;
}

function runsOf(words: string[]): string[] {
  return Array.from({ length: Math.max(0, words.length - RUN + 1) }, (_, i) => words.slice(i, i + RUN).join(' '));
}
function wholeOrRuns(words: string[]): string[] {
  return words.length < RUN ? [words.join(' ')] : runsOf(words);
}

/** Whether a sentence said at `seq` repeats eight foreign words in a row that were seen before it. */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  return wholeOrRuns(wordsOf(text)).some((run) => (runs.get(run) ?? Infinity) < seq);
}

const STOP = new Set(
  (
    'a an the this that these those it its i me my we us our you your he she they them their is are was were be been being ' +
    'am do does did done have has had will would can could may might shall should ' +
    'to of in on at by for from with as into onto about and or but so if then than when while there here also just please ' +
    'pls really very more most some any all each both such own same too let lets make sure always ' +
    'der die das ein eine und oder ist sind zu im in den dem mit für auf bitte immer le la les un une des de du et ou est ' +
    'sont à au aux pour dans avec toujours el los las una y o es son en con para por siempre ' +
    'и в на с по для не это как что всегда пожалуйста'
  ).split(' '),
);

const NEGATION =
  /^(?:not|no|never|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|can['’]?t|cannot|isn['’]?t|aren['’]?t|shouldn['’]?t|mustn['’]?t|without|avoid|stop|nicht|kein\w*|nie(?:mals)?|pas|jamais|sin|nunca|não|mai|non|niet|geen|никогда|нельзя)$/u;

/** A word without its common English endings; code words stay. */
function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word
    .replace(/(?:sses)$/, 'ss')
    .replace(/ies$/, 'y')
    .replace(/([^aeious])s$/, '$1')
    .replace(/([aeo])s$/, '$1')
    .replace(/(?:ingly|edly|ing|ed|ly)$/, '');
  const root = cut.length >= 3 ? cut : word;
  return root.replace(/([bdfgklmnprt])\1$/, '$1').replace(/e$/, '');
}

/** Content words of a text: lower case, stemmed, stop words out; negations become `not`. CJK is taken in pairs of signs. */
export function contentWords(text: string): string[] {
  const out: string[] = [];
  for (const hit of text
    .toLowerCase()
    .matchAll(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}][\p{L}\p{N}_./:@+-]*(?:['’]\p{L}+)?/gu,
    )) {
    const word = hit[0].replace(/[./:'’-]+$/, '');
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word)) {
      for (let i = 0; i < Math.max(1, word.length - 1); i += 1) out.push(word.slice(i, i + 2));
    } else if (NEGATION.test(word)) out.push('not');
    else if (!STOP.has(word)) out.push(stem(word.replace(/['’]s$/, '')));
  }
  return out;
}

/**
 * Exact key of a statement: its content words, sorted, each once. Near-equal wordings of one instruction share it; what is denied
 * goes with its negation, since "tabs, not spaces" has the words of "spaces, not tabs".
 */
export function keyOf(text: string): string {
  const words = contentWords(text);
  const joined = words.flatMap((word, at) =>
    word === 'not' ? `not ${words[at + 1] ?? ''}` : words[at - 1] === 'not' ? [] : word,
  );
  return [...new Set(joined)].sort().join(' ').slice(0, 240);
}

/** Share of content words that two texts have in common (Jaccard), 0..1. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let same = 0;
  for (const word of a) if (b.has(word)) same += 1;
  return same / (a.size + b.size - same);
}
