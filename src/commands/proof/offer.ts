/**
 * The part of `dripstone review` about rules that agents go on breaking: a guard, or never again.
 */
import { homeOf, pathsOf } from '../../config.js';
import { noteReviewed } from '../../jobs/learning/reviewed.js';
import { type StoredRule } from '../../store/index.js';
import { putGuard } from './guard.js';
import { renderRule } from './rules.js';
import type { Io } from '../../io.js';

export function renderOffer(rule: StoredRule): string {
  return renderRule(rule, {});
}

const KEYS =
  'w warn each agent that is about to break it · d refuse · n never ask again · s later · q quit ';

/** One rule after the other. @returns whether the person ended it */
export async function offerGuards(io: Io, rules: readonly StoredRule[]): Promise<boolean> {
  for (const [at, rule] of rules.entries()) {
    io.out(`\nbroken rule ${at + 1} of ${rules.length}\n${renderOffer(rule)}`);
    let key: string | null = null;
    while (key === null || !'wdnsq\u0003\u0004'.includes(key)) {
      io.err(KEYS);
      key = io.signal.aborted ? 'q' : ((await io.key!()) ?? 'q');
      io.err('\n');
    }
    if (key === 'w' || key === 'd') await putGuard(io, rule.lesson, key === 'd' ? 'deny' : 'warn');
    else if (key === 'n') noteReviewed(pathsOf(homeOf(io.env)).reviewed, `guard:${rule.lesson}`);
    else if (key !== 's') return true;
  }
  return false;
}
