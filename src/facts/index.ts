/** Makes facts from their events: status, thresholds and the line of each kind. Pure. */
import { FACT_NAMES, type FactEvent, type FactName, type LessonKind } from '../types.js';
import { TEMPLATES, type FactLine } from './templates.js';
import { compareText } from '../text/order.js';

/** A fact with its events: at most one for and one against it from each session. */
export interface Fact extends FactLine {
  fact: FactName;
  key: string;
  kind: LessonKind;
}

const KIND: Readonly<Record<FactName, LessonKind>> = {
  works: 'command',
  changed: 'gotcha',
  before: 'gotcha',
  absent: 'gotcha',
  slow: 'command',
  edited: 'gotcha',
  broken: 'preference',
};

/** Commands that an event adds to a line, as they were run and not as their form. */
export function commandsOf({ fact, fields, quote, supports }: FactEvent): string[] {
  if (!supports) return [];
  if (fact === 'works' || fact === 'slow') return [quote];
  return ['works', 'needs', 'instead'].flatMap((name) =>
    typeof fields[name] === 'string' ? [fields[name]] : [],
  );
}

/**
 * The facts that the events prove, sorted by name and key; the order of the events has no effect.
 */
export function factsOf(events: readonly FactEvent[]): Fact[] {
  const groups = new Map<string, FactEvent[]>();
  for (const event of [...events].sort(compareEvents)) {
    const group = `${event.fact}\0${event.key}`;
    const list = groups.get(group);
    if (list) list.push(event);
    else groups.set(group, [event]);
  }
  return [...groups.values()].flatMap((group): Fact[] => {
    const { fact, key } = group[0]!;
    const line = TEMPLATES[fact](group);
    return line === null
      ? []
      : [{ fact, key, kind: KIND[fact], ...line, events: onePerSession(line.events) }];
  });
}

function compareEvents(a: FactEvent, b: FactEvent): number {
  return (
    FACT_NAMES.indexOf(a.fact) - FACT_NAMES.indexOf(b.fact) ||
    compareText(a.key, b.key) ||
    compareText(a.known_at, b.known_at) ||
    compareText(a.entry, b.entry) ||
    compareText(JSON.stringify(a.fields), JSON.stringify(b.fields))
  );
}

/** Keeps the newest event of each session for a fact and the newest against it. */
function onePerSession(events: readonly FactEvent[]): FactEvent[] {
  const kept = new Map(
    events.map((event) => [`${event.agent}\0${event.session}\0${event.supports}`, event]),
  );
  return events.filter(
    (event) => kept.get(`${event.agent}\0${event.session}\0${event.supports}`) === event,
  );
}
