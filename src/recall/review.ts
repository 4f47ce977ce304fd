/** What `dripstone review` offers: rules for guards, new lessons, sentences for new rules. */
import {
  offeredGuards,
  offeredWishes,
  reviewableLessons,
  storedRules,
  storedWishes,
  waitingFor,
  withPlaces,
  type StoredRule,
  type Wish,
} from '../store/index.js';
import type { Config } from '../config.js';
import { sessionKey, type Lesson, type Project } from '../types.js';
import type { RuleJson } from '../types/answers.js';
import { byWeight, lessonJson, lessonsSeenIn, slugsOf } from './lessons.js';
import type { Reader } from './recall.js';

/** A wish with the place of its entry. */
export type PlacedWish = Wish & { path: string | null; line: number | null };

export interface ToReview {
  guards: StoredRule[];
  waiting: Lesson[];
  wishes: PlacedWish[];
  slugs: Map<string, string>;
}

/** Everything that waits for review, the most valuable first. @param project null: all */
export async function toReview(app: Reader, project: Project | null): Promise<ToReview> {
  const { all, ids, wishes } = await app.store.read(async (db) => ({
    all: await lessonsSeenIn(db, project?.id ?? null),
    ids: await reviewableLessons(db),
    wishes: await withPlaces(
      db,
      offeredWishes(app.paths.reviewed, await storedWishes(db), app.clock.now()),
    ),
  }));
  const wanted = new Set(waitingFor(app.paths.reviewed, ids));
  const waiting = all.filter(({ id }) => wanted.has(id)).sort(byWeight);
  // Filtered last, since wishes of other projects count for the weekly limit, too.
  const own = wishes.filter((wish) => project === null || wish.project === project.id);
  return {
    guards: await guardOffers(app, project),
    waiting,
    wishes: own,
    slugs: await slugsOf(app),
  };
}

/** As `review --json` prints it. */
export function reviewJson({ guards, waiting, wishes, slugs }: ToReview) {
  return {
    guards: guards.map(offerJson),
    waiting: waiting.map((lesson) => lessonJson(lesson, slugs)),
    wishes: wishes.map(wishJson),
  };
}

/** Rules without a guard that two sessions broke. @param project null: all */
async function guardOffers(app: Reader, project: Project | null): Promise<StoredRule[]> {
  const { paths, config, clock } = app;
  return app.store.read(async (db) => {
    const open = await offeredGuards(db, paths.reviewed, config.hooks.guard);
    if (open.length === 0) return [];
    const rules = await storedRules(db, project?.id ?? null, clock.now().toISOString());
    return rules.filter(({ lesson }) => open.some(({ id }) => id === lesson));
  });
}

function offerJson(rule: StoredRule) {
  const { id, text, project, told, broken, last_broken, agents } = ruleJson(rule, {});
  return { id, text, project, told, broken, last_broken, agents };
}

/** Field names as in `review --json`. */
function wishJson({ id, text, slug, agent, session, day, path, line }: PlacedWish) {
  return { id, text, project: slug, day, agent, session, path, line };
}

/** Field names as in `rules --json`. */
export function ruleJson(rule: StoredRule, guards: Config['hooks']['guard']): RuleJson {
  const last = rule.breaks.at(-1);
  return {
    id: rule.lesson,
    text: rule.text,
    project: rule.project,
    commands: rule.commands,
    paths: rule.paths,
    instead: rule.instead,
    told: rule.times.length,
    first_told: rule.times[0] ?? null,
    last_told: rule.times.at(-1) ?? null,
    kept: rule.kept,
    broken: brokenIn(rule),
    last_broken: last?.time ?? null,
    agents: agentsOf(rule),
    guard: guards[rule.lesson] ?? null,
    breaks: rule.breaks.map(({ day: _, ...each }) => each),
  };
}

/** Number of sessions that broke a rule, however often. */
export function brokenIn({ breaks }: StoredRule): number {
  return new Set(breaks.map(({ agent, session }) => sessionKey(agent, session))).size;
}

export function agentsOf({ breaks }: StoredRule): string[] {
  return [...new Set(breaks.map(({ agent }) => agent))].sort();
}
