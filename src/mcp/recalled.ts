/** What memory_recall gave already in this session, so that it says nothing twice. Pure. */
import { normaliseQuery } from '../terms/index.js';

interface Recalled {
  /** Ids of lessons that were given. */
  given: ReadonlySet<string>;
  /** Terms of the tasks since the topic began. */
  topic: ReadonlySet<string>;
  calls: number;
}

export const NOTHING_RECALLED: Recalled = { given: new Set(), topic: new Set(), calls: 0 };

/**
 * After so many calls an agent has compacted its conversation: what was given is out of its sight.
 */
const MOST_CALLS = 50;
/** A task with less than this share of its terms in the topic so far is another topic. */
const SAME_TOPIC = 0.2;

/** What counts as given when a task comes: nothing when the topic changed or the calls are many. */
export function beginRecall(before: Recalled, task: string): Recalled {
  const terms = new Set(normaliseQuery(task));
  const common = [...terms].filter((term) => before.topic.has(term)).length;
  const isOver = before.calls >= MOST_CALLS || (terms.size > 0 && common < terms.size * SAME_TOPIC);
  const kept = isOver ? NOTHING_RECALLED : before;
  return { given: kept.given, topic: new Set([...kept.topic, ...terms]), calls: kept.calls + 1 };
}

export function withGiven(recalled: Recalled, ids: readonly string[]): Recalled {
  return { ...recalled, given: new Set([...recalled.given, ...ids]) };
}
