/**
 * The part of `dripstone review` about rules that agents go on breaking: a guard, or never again.
 */
import type { App } from '../../app.js';
import { homeOf, pathsOf } from '../../config.js';
import { noteReviewed, unguarded } from '../../jobs/learning/reviewed.js';
import { brokenRules, storedRules, type StoredRule } from '../../store/index.js';
import type { Project } from '../../types.js';
import { putGuard } from './guard.js';
import { renderRule, ruleJson } from './rules.js';
import type { Io } from '../../io.js';

/**
 * Rules that were broken in two sessions since they were said, without a guard. @param project
 * null: of all
 */
export async function guardOffers(app: App, project: Project | null): Promise<StoredRule[]> {
  const id = project?.id ?? null;
  const broken = await app.store.read((db) => brokenRules(db, id === null ? null : [id]));
  const open = unguarded(app.paths.reviewed, app.config.hooks.guard, broken(id));
  if (open.size === 0) return [];
  const rules = await app.store.read((db) => storedRules(db, id, app.clock.now().toISOString()));
  return rules.filter(({ lesson }) => open.has(lesson));
}

export function renderOffer(rule: StoredRule): string {
  return renderRule(rule, {});
}

export function offerJson(rule: StoredRule) {
  const { id, text, project, told, broken, last_broken, agents } = ruleJson(rule, {});
  return { id, text, project, told, broken, last_broken, agents };
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
