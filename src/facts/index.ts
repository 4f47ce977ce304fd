/**
 * From events of facts to the facts themselves: status, thresholds and the line of each kind. Pure.
 */
import { FACT_NAMES, type FactEvent, type FactName, type LessonKind } from '../types.js';
import { TEMPLATES, type FactLine } from './templates.js';
import { compareText } from '../text/order.js';

/** A fact with the events that make it: of each session one for it and one against it. */
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

/** Commands that an event would bring into a line: as they were run, not as their form. */
export function commandsOf({ fact, fields, quote, supports }: FactEvent): string[] {
  if (!supports) return [];
  if (fact === 'works' || fact === 'slow') return [quote];
  return ['works', 'needs', 'instead'].flatMap((name) =>
    typeof fields[name] === 'string' ? [fields[name]] : [],
  );
}

/** The facts that events prove, by name and key; the order of the events does not matter. */
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

/** One event of a session counts for a fact and one against it: the newest. */
function onePerSession(events: readonly FactEvent[]): FactEvent[] {
  const kept = new Map(
    events.map((event) => [`${event.agent}\0${event.session}\0${event.supports}`, event]),
  );
  return events.filter(
    (event) => kept.get(`${event.agent}\0${event.session}\0${event.supports}`) === event,
  );
}
