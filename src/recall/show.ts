/** Finds one entry, session or lesson by the beginning of its id and shows all of it. */
import { AppError, EXIT, usage } from '../errors.js';
import {
  entriesById,
  entryIds,
  entryNeighbours,
  lessonByPrefix,
  sessionByPrefix,
  sessionHead,
  type EntryHit,
} from '../store/index.js';
import { lessonWhole } from './lessons.js';
import { type Reader, noteUses } from './recall.js';
import { clipped } from '../text/verbatim.js';

const CANDIDATES = 10;

const LEAST_PREFIX = 3;

/** @throws AppError exit 2 if the word is too short for a search */
export function prefixOf(word: string): string {
  const prefix = word.replace(/^\^/, '').toLowerCase();
  if (prefix.length < LEAST_PREFIX)
    throw usage(`${word} is too short`, `type at least ${LEAST_PREFIX} characters of the id`);
  return prefix;
}

interface Shown {
  text: string;
  json: Record<string, unknown>;
}

/**
 * The entry, session or lesson with this prefix of its id.
 * @throws AppError exit 2 when none or several have it
 */
export async function show(app: Reader, prefix: string, around: number): Promise<Shown> {
  const found = await findOne(app, prefix);
  if (found.type === 'lesson') {
    const { text, json } = await lessonWhole(app, found.id);
    return { text, json: { type: 'lesson', id: found.id, ...json } };
  }
  if (found.type === 'session') return await showSession(app, found);
  return await showEntry(app, found.id, around);
}

type Found =
  { type: 'entry' | 'lesson'; id: string } | { type: 'session'; id: string; agent: string };

async function findOne(app: Reader, prefix: string): Promise<Found> {
  const found = await app.store.read(async (db): Promise<Found[]> => [
    ...(await lessonByPrefix(db, prefix)).map((lesson) => ({
      type: 'lesson' as const,
      id: lesson.id,
    })),
    ...(await entryIds(db, prefix, CANDIDATES)).map((id) => ({ type: 'entry' as const, id })),
    ...(await sessionByPrefix(db, prefix, CANDIDATES)).map(({ agent, session }) => ({
      type: 'session' as const,
      id: session,
      agent,
    })),
  ]);
  const whole = found.filter(({ id }) => id === prefix);
  if (whole.length === 1) return whole[0]!;
  if (found.length === 1) return found[0]!;
  throw found.length === 0
    ? new AppError('NOT_FOUND', `nothing has an id that starts with ${prefix}`, {
        hint: 'ids are in `dripstone search --json`, `lessons list` and context.md',
        exitCode: EXIT.usage,
      })
    : usage(
        `${prefix} may mean ${found.map(({ type, id }) => `${type} ${id}`).join(', ')}`,
        'type more of the id',
      );
}

/** The text is null if there is none: for a call, or a text that was never written. */
function entryJson({ time, text, ...hit }: EntryHit) {
  return { ...hit, text: text === '' ? null : text, at: time };
}

async function showEntry(app: Reader, id: string, around: number): Promise<Shown> {
  const { entry, near } = await app.store.read(async (db) => ({
    entry: (await entriesById(db, [id]))[0]!,
    near: around > 0 ? await entryNeighbours(db, id, around) : [],
  }));
  noteUses(app, 'show', [{ type: 'entry', id, project: entry.project }]);
  const list = near.length > 0 ? near : [entry];
  return {
    text: `${list.map((hit) => renderEntry(hit, hit.id === id)).join('\n\n')}\n`,
    json: {
      type: 'entry',
      id,
      entry: entryJson(list.find((hit) => hit.id === id)!),
      neighbours: list.filter((hit) => hit.id !== id).map(entryJson),
    },
  };
}

function renderEntry(hit: EntryHit, main: boolean): string {
  const head =
    `${main ? '>' : ' '} ${hit.role}${hit.tool ? ` ${hit.tool}` : ''} · ${hit.time ?? 'no time'} · ` +
    `${hit.path}:${hit.line} · ${hit.id.slice(0, 12)}`;
  const text = main ? hit.text : clipped(hit.text, 600);
  return `${head}\n${text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}`;
}

async function showSession(
  app: Reader,
  { id, agent }: { id: string; agent: string },
): Promise<Shown> {
  const head = await app.store.read((db) => sessionHead(db, agent, id));
  const rows = Object.entries(head).map(
    ([name, value]) =>
      `${name.padEnd(9)} ${Array.isArray(value) ? value.join(', ') : String(value ?? '')}`,
  );
  return { text: `${rows.join('\n')}\n`, json: { type: 'session', id, ...head } };
}
