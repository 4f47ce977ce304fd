/**
 * Turns events of facts into candidates for lessons. Taint removes events first, so that no line is
 * made of them. Pure.
 */
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { commandsOf, factsOf, type Fact } from '../../facts/index.js';
import type { Candidate, FactEvent } from '../../types.js';

export type PlacedCandidate = Candidate & { project: string };

/** Trust in an output of a tool. */
export const OUTCOME = 0.6;

/** Facts of a project as candidates, one per event. */
export function factCandidates(events: readonly FactEvent[], project: string): PlacedCandidate[] {
  return factsOf(events).flatMap((fact) =>
    fact.events.map((event) => candidateOf(event, fact, project, [])),
  );
}

/**
 * Each event as a candidate with the commands that it would add to a line, for the check of taint.
 * @returns in the order of the events
 */
export function eventCandidates(events: readonly FactEvent[], project: string): PlacedCandidate[] {
  return events.map((event) => {
    const { fact, key, fields } = event;
    const of = {
      fact,
      key,
      fields,
      kind: 'fact' as const,
      text: '',
      importance: 2 as const,
      worth: 0,
      files: [],
    };
    return candidateOf(event, of, project, commandsOf(event));
  });
}

function candidateOf(
  { agent, session, entry, day, supports, quote }: FactEvent,
  { fact, key, kind, text, fields, importance, worth, files }: Omit<Fact, 'events' | 'commands'>,
  project: string,
  mentions: string[],
): PlacedCandidate {
  return {
    ...{
      project,
      kind,
      scope: 'project',
      text,
      key: `fact:${fact}:${key}`,
      importance,
      worth,
      files,
      fact,
      fields,
    },
    ...{ alone: true, said_by: 'observed', tags: [] },
    evidence: { agent, session, entry, day, trust: OUTCOME, supports, quote },
    mentions,
    extractor: EXTRACTOR_VERSION,
  };
}
