import type { Reason } from '../judge/index.js';
import { JUDGED_TAG, type Candidate, type Entry, type LessonKind, type SaidBy, type Scope } from '../types.js';
import { dayOf, EXTRACTOR_VERSION, type SessionInput } from './session.js';
import { mentionsOf } from './sightings-tokens.js';
import { findEntities } from './statement-entities.js';
import { keyOf } from './statement-key.js';
import { findSubject } from './statement-subject.js';
import { quoteOf } from './wording.js';

/** What makes a candidate of a statement. */
export interface StatementParts {
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

const MOST_REASONS = 4;

/** The probability and what carried it, in words, as a tag that stays with the lesson. */
export const reasonTag = (worth: number, reasons: readonly Reason[]): string =>
  `${JUDGED_TAG}${worth.toFixed(2)}: ${reasons
    .filter(({ weight }) => weight > 0)
    .slice(0, MOST_REASONS)
    .map(({ what }) => what)
    .join(', ')}`;

/** A path without the project's folder in front. */
function relativeTo(path: string, folders: string[]): string {
  for (const folder of folders) if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  return path;
}
