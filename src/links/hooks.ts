/**
 * Hooks in agents' settings: adds and removes our entries as text beside the entries of others. A
 * mark at the end of each command records what was made for the entry, so that a removal restores
 * every byte.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentHome, type Surroundings } from './agents.js';
import { lookAtOther, lookIfFit, utf8Of, type Change } from './files.js';
import type { HookMoment } from '../types.js';
import { eventsAt, HOOK_PLACES, isSame, type HookEvent, type HookPlace } from './hook-places.js';
import { memberOf, parseJson, withAdded, withoutChild, type JsonNode } from './json-text.js';

/**
 * What was made around an entry: nothing, the list of its event, the object of all events, or the
 * file.
 */
type Made = 'entry' | 'event' | 'hooks' | 'file';

/** To a shell the mark is a comment. */
const MARK = /# dripstone(?: made (event|hooks|file))?"/;

interface PlannedHook {
  agent: string;
  title: string;
  path: string;
  /** Names of the agent's events, in the order of the moments. */
  events: string[];
  change: 'added' | 'replaced' | 'kept' | 'removed' | 'left';
  note: string | null;
}

interface HookPlan {
  hooks: PlannedHook[];
  changes: Change[];
}

/** Agents that are used on this machine. */
export function usedPlaces(where: Surroundings): HookPlace[] {
  return HOOK_PLACES.filter((place) => existsSync(agentHome(place, where)));
}

/**
 * Plans linking: reads files, changes none.
 * @param command the shell command of the hooks for an agent
 * @throws AppError for a file that cannot be read
 */
export function planHooks(
  places: readonly HookPlace[],
  moments: readonly HookMoment[],
  command: (place: HookPlace) => string,
  where: Surroundings,
): HookPlan {
  const plan: HookPlan = { hooks: [], changes: [] };
  for (const place of places) {
    const file = lookAtOther(join(agentHome(place, where), ...place.file.split('/')));
    const before = utf8Of(file);
    const bare = typeof before === 'string' ? withoutHooks(before) : before;
    const events = eventsAt(place, moments);
    // A file that had only our entries is made again.
    const after = before === null ? null : withHooks(bare ?? undefined, place, events, command);
    const change =
      after === null ? 'left' : after === before ? 'kept' : bare === before ? 'added' : 'replaced';
    const { agent, title } = place;
    const names = events.map(({ event }) => event);
    plan.hooks.push({
      agent,
      title,
      path: file.path,
      events: names,
      change,
      note: noteOf(place, moments, change),
    });
    if (after !== null && after !== before)
      plan.changes.push({ file, after: Buffer.from(after, 'utf8') });
  }
  return plan;
}

function noteOf(
  place: HookPlace,
  moments: readonly HookMoment[],
  change: PlannedHook['change'],
): string | null {
  if (change === 'left')
    return 'the file is not JSON that can be edited safely: correct it, then link again';
  const missing = moments.filter((moment) => place.events[moment] === undefined);
  const silent =
    missing.length === 0 ? [] : [`it documents no way to speak at: ${missing.join(', ')}`];
  return [...(place.note === null ? [] : [place.note]), ...silent].join('; ') || null;
}

/**
 * The moments that an agent documents but its settings lack; null if the settings have no hook of
 * ours.
 */
export function missingMoments(
  place: HookPlace,
  moments: readonly HookMoment[],
  where: Surroundings,
): HookMoment[] | null {
  const file = lookIfFit(join(agentHome(place, where), ...place.file.split('/')));
  const text = file === null ? null : utf8Of(file);
  const there = typeof text === 'string' ? hooksIn(text) : [];
  const isMissing = (event: HookEvent): boolean => !there.some((each) => isSame(each, event));
  return there.length === 0
    ? null
    : moments.filter((moment) => place.events[moment]?.some(isMissing) === true);
}

/** Events with an entry of ours. */
function hooksIn(text: string): HookEvent[] {
  const root = parseJson(text);
  const hooks = root === null ? undefined : memberOf(root, 'hooks');
  const lists = hooks?.value.kind === 'object' ? hooks.value.members : [];
  return lists.flatMap(({ key, value }) =>
    value.items.flatMap(({ start, end }) => {
      const entry = text.slice(start, end);
      if (!MARK.test(entry)) return [];
      const matcher = /"matcher"\s*:\s*"([^"]*)"/.exec(entry)?.[1];
      return [{ event: key, ...(matcher !== undefined && { matcher }) }];
    }),
  );
}

/** Plans unlinking: removes our entries from every file that an agent may have. */
export function planHooksOut(places: readonly HookPlace[], where: Surroundings): HookPlan {
  const plan: HookPlan = { hooks: [], changes: [] };
  for (const place of places) {
    const file = lookIfFit(join(agentHome(place, where), ...place.file.split('/')));
    const before = file === null ? null : utf8Of(file);
    const after = before === null || before === undefined ? before : withoutHooks(before);
    if (file === null || after === before) continue;
    plan.hooks.push({
      agent: place.agent,
      title: place.title,
      path: file.path,
      events: [],
      change: 'removed',
      note: null,
    });
    plan.changes.push({ file, after: after === null ? null : Buffer.from(after!, 'utf8') });
  }
  return plan;
}

/**
 * Adds our entries after those of others. Pure.
 * @param text undefined when there is no file
 * @returns null when the edit is not safe
 */
export function withHooks(
  text: string | undefined,
  place: HookPlace,
  events: readonly HookEvent[],
  command: (place: HookPlace) => string,
): string | null {
  let now = text ?? `${JSON.stringify(place.head, null, 2)}\n`;
  for (const { event, matcher } of events) {
    const root = parseJson(now);
    const hooks = root === null ? null : memberOf(root, 'hooks');
    const list = hooks == null ? hooks : memberOf(hooks.value, event);
    if (root === null || hooks === null || list === null) return null;
    if (
      (hooks !== undefined && hooks.value.kind !== 'object') ||
      (list !== undefined && list.value.kind !== 'list')
    )
      return null;
    const made: Made =
      text === undefined && hooks === undefined
        ? 'file'
        : hooks === undefined
          ? 'hooks'
          : list === undefined
            ? 'event'
            : 'entry';
    const mark = made === 'entry' ? '# dripstone' : `# dripstone made ${made}`;
    const entry = place.entry(`${command(place)} ${mark}`, matcher);
    now =
      hooks === undefined
        ? withAdded(now, root, 1, { [event]: [entry] }, 'hooks')
        : list === undefined
          ? withAdded(now, hooks.value, 2, [entry], event)
          : withAdded(now, list.value, 3, entry);
  }
  return now;
}

/**
 * Removes all our entries. Pure.
 * @returns null if we made the file and it has nothing else; the same text if it has no entry of
 * ours
 */
export function withoutHooks(text: string): string | null {
  const root = parseJson(text);
  const hooks = root === null ? undefined : memberOf(root, 'hooks');
  if (root === null || hooks?.value.kind !== 'object') return text;
  const madeIn = ({ start, end }: JsonNode): Made | null => {
    const found = MARK.exec(text.slice(start, end));
    return found === null ? null : ((found[1] as Made | undefined) ?? 'entry');
  };
  const marks = hooks.value.members.flatMap(({ value }) => value.items.map(madeIn));
  const areAllOurs =
    marks.length > 0 &&
    marks.every((made) => made !== null) &&
    hooks.value.members.every(({ value }) => value.items.length > 0);
  if (
    areAllOurs &&
    marks.includes('file') &&
    root.members.every(({ key }) => key === 'hooks' || key === 'version')
  )
    return null;
  if (areAllOurs && (marks.includes('hooks') || marks.includes('file')))
    return withoutChild(text, root, root.members.indexOf(hooks), 1);
  // From the end, so that earlier offsets stay valid.
  for (let at = hooks.value.members.length - 1; at >= 0; at--) {
    const { items } = hooks.value.members[at]!.value;
    const own = items.map(madeIn);
    const last = own.findLastIndex((made) => made !== null);
    if (last < 0) continue;
    const isListOurs = own.every((made) => made !== null) && own.some((made) => made !== 'entry');
    const next = isListOurs
      ? withoutChild(text, hooks.value, at, 2)
      : withoutChild(text, hooks.value.members[at]!.value, last, 3);
    return withoutHooks(next);
  }
  return text;
}
