import type { Candidate, Entry, LessonKind } from '../../types.js';
import { dayOf, EXTRACTOR_VERSION, type SessionInput } from '../session.js';
import { mentionsOf } from '../sightings-tokens.js';

/** What an observed candidate is made of; the rest follows from the session. */
interface Observed {
  kind: LessonKind;
  text: string;
  key: string;
  importance: Candidate['importance'];
  alone: boolean;
  worth: number;
  entry: Entry;
  /** A command or an error signature; never other tool text. */
  quote: string;
  supports?: boolean;
  trust?: number;
  tags: string[];
  files?: string[];
  subject?: string | null;
  value?: string | null;
  /** Commands as they were run. */
  commands: string[];
}

/** Longest text of a lesson. */
export const MAX_TEXT = 200;

/** A candidate that tools showed, at the trust of a repeated outcome. */
export function observed(session: SessionInput, seen: Observed): Candidate {
  return {
    kind: seen.kind,
    scope: 'project',
    text: seen.text,
    key: seen.key,
    importance: seen.importance,
    saidBy: 'observed',
    alone: seen.alone,
    worth: Math.round(Math.min(1, Math.max(0, seen.worth)) * 1000) / 1000,
    evidence: {
      agent: session.agent,
      session: session.session,
      entry: seen.entry.id,
      day: dayOf(seen.entry),
      trust: seen.trust ?? 0.6,
      supports: seen.supports ?? true,
      quote: seen.quote.replace(/\s+/g, ' ').trim().slice(0, 300),
    },
    tags: [...new Set(seen.tags)].sort(),
    files: seen.files ?? [],
    subject: seen.subject ?? null,
    value: seen.value ?? null,
    mentions: mentionsOf(seen.text, seen.commands),
    extractor: EXTRACTOR_VERSION,
  };
}
