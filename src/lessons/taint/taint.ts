/**
 * Withholds lessons that ask to fetch and run code, send data out, weaken a check or destroy
 * something, until the person types them. A successful run of the command is not enough.
 */
import type { Candidate, Lesson } from '../../types.js';
import { nameKey } from '../../text/signs.js';
import { mergeCandidates } from '../merge.js';
import { inGroup } from '../sessions.js';
import { isForbidding, riskOf, riskOfProse } from './risk.js';
import { codeSpans } from '../../text/code.js';

/** Data that the taint check uses besides the text. */
export interface TaintGround {
  /** Everything that the person typed, one prompt per line, in the form of `nameKey`. */
  typed: string;
  /** Packages that the project's manifests name. */
  packages: ReadonlySet<string>;
}

/** Whether the person typed a command, as whole words of one prompt. */
function isTyped(command: string, typed: string): boolean {
  const plain = nameKey(command.trim().replace(/^[$>%#]\s+/, ''));
  for (let at = typed.indexOf(plain); at >= 0 && plain !== ''; at = typed.indexOf(plain, at + 1)) {
    const after = typed.slice(at + plain.length, at + plain.length + 2);
    if (!/[\w./@-]/.test(typed[at - 1] ?? '') && !/^(?:[\w/@-]|\.\w)/.test(after)) return true;
  }
  return false;
}

/** Why a text is withheld; null if it is not. */
function whyWithheld(
  text: string,
  mentions: readonly string[],
  said_by: Lesson['said_by'],
  { typed, packages }: TaintGround,
): string | null {
  if (said_by === 'user') return null;
  const isAgents = said_by === 'agent';
  if (isAgents && isForbidding(text)) return null;
  const shown = new Set(codeSpans(text));
  for (const token of new Set([...mentions, ...shown])) {
    const risk = isTyped(token, typed) ? null : riskOf(token, packages);
    // Code inside a command counts only if the text shows the command.
    if (risk === null || (risk === 'runs code that it contains' && !shown.has(token))) continue;
    return `\`${token}\` ${risk}, and nobody typed it`;
  }
  const prose = isAgents ? riskOfProse(text) : null;
  return prose === null ? null : `it ${prose}, and nobody typed it`;
}

function whyCandidate(c: Candidate, ground: TaintGround): string | null {
  return c.evidence.supports ? whyWithheld(c.text, c.mentions, c.said_by, ground) : null;
}

/** Why a lesson's words are withheld; null if they are not. */
export function whyLesson(
  { text, said_by }: Pick<Lesson, 'text' | 'said_by'>,
  ground: TaintGround,
): string | null {
  return whyWithheld(text, [], said_by, ground);
}

/** The candidates that contain nothing tainted. */
export function withoutTainted(candidates: readonly Candidate[], ground: TaintGround): Candidate[] {
  return candidates.filter((c) => whyCandidate(c, ground) === null);
}

/** A withheld lesson, and why it is withheld. */
export interface Withheld {
  lesson: Lesson;
  reason: string;
}

/**
 * The lessons that only the taint check withholds, in id order; `known`: ids that clean evidence
 * admits.
 */
export function withheldLessons(
  project: string | null,
  candidates: readonly Candidate[],
  ground: TaintGround,
  known: ReadonlySet<string>,
  groups: ReadonlyMap<string, string>,
): Withheld[] {
  const reasons = new Map<Candidate, string>();
  for (const c of candidates) {
    const reason = whyCandidate(c, ground);
    if (reason !== null) reasons.set(c, reason);
  }
  const byEntry = new Map(
    [...reasons].map(([c, reason]) => [`${c.kind}\0${c.key}`, reason] as const),
  );
  return mergeCandidates(
    project,
    [...reasons.keys()].map((candidate) => inGroup(candidate, groups)),
    [],
  )
    .filter((f) => f.admitted && !known.has(f.lesson.id))
    .map(({ lesson }) => ({ lesson, reason: byEntry.get(`${lesson.kind}\0${lesson.key}`)! }));
}
