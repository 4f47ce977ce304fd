/** A search as typed: its filters, its project, and its hits with their neighbours. */
import { usage } from '../errors.js';
import { agentsRead, entryNeighbours } from '../store/index.js';
import { dayFrom } from '../text/days.js';
import {
  HIT_TYPES,
  LESSON_KINDS,
  ROLES,
  SEARCH_MODES,
  type Hit,
  type Mode,
  type Project,
  type SearchOptions,
} from '../types.js';
import type { HitJson } from '../types/answers.js';
import { contextOf } from './hits.js';
import { projectHere } from './projects.js';
import type { Reader } from './recall.js';
import { needsModel, search, type SearchAnswer } from './search.js';

/** The filters of a search, as typed. */
export const NARROWING = ['mode', 'agent', 'kind', 'role', 'file', 'since', 'until'] as const;

export type SearchBase = Omit<SearchOptions, 'query'>;

/**
 * Checks the filters of a search.
 * @throws AppError exit 2 for an unknown name or an invalid day
 */
export function readSearch(
  typed: Readonly<Partial<Record<(typeof NARROWING)[number], string | null | undefined>>>,
  now: Date,
): Omit<SearchBase, 'project' | 'limit'> {
  for (const [name, known] of [
    ['mode', SEARCH_MODES],
    ['kind', [...HIT_TYPES, ...LESSON_KINDS]],
    ['role', ROLES],
  ] as const) {
    const word = typed[name] ?? null;
    if (word !== null && !(known as readonly string[]).includes(word))
      throw usage(`there is no ${name} ${word}`, `use one of ${known.join(', ')}`);
  }
  const { agent = null, kind = null, role = null, file = null, since = null, until = null } = typed;
  const mode = (typed.mode ?? 'hybrid') as Mode;
  return {
    mode,
    agent,
    kind,
    role,
    file,
    since: dayOf('since', since, now),
    until: dayOf('until', until, now),
  };
}

function dayOf(name: string, text: string | null, now: Date): string | null {
  const day = text === null ? null : dayFrom(text, now);
  if (text !== null && day === null)
    throw usage(
      `--${name} takes a day such as 2026-11-20, not ${text}`,
      'write year, month and day, or `today`, `yesterday`, `7d`, `2w`',
    );
  return day;
}

/** The options of a search without its query, and the project that is meant. */
export async function prepareSearch(
  app: Reader,
  wanted: Omit<SearchBase, 'project'>,
  { spec, cwd }: { spec: string | null; cwd: string },
): Promise<{ base: SearchBase; project: Project | null }> {
  await checkAgent(app, wanted.agent);
  // The model takes longest to load, and loads in its own process while other work goes on.
  if (needsModel(wanted.mode)) app.embedder.warm();
  const project = await projectHere(app, spec, cwd);
  return { base: { ...wanted, project: project?.id ?? null }, project };
}

/** @param turns entries to give before and after each hit that is an entry */
export async function findHits(
  app: Reader,
  options: SearchOptions,
  turns: number,
): Promise<SearchAnswer> {
  const answer = await search(app, options);
  if (turns === 0) return answer;
  const hits = await app.store.read(async (db) => {
    const found: Hit[] = [];
    for (const hit of answer.hits)
      found.push(
        hit.type === 'entry'
          ? { ...hit, context: contextOf(hit.id, await entryNeighbours(db, hit.id, turns)) }
          : hit,
      );
    return found;
  });
  return { ...answer, hits };
}

/** As `search --json` prints it. */
export function searchJson(answer: SearchAnswer): Omit<SearchAnswer, 'hits'> & { hits: HitJson[] } {
  return { ...answer, hits: answer.hits.map(({ origin: _, tool: __, ...hit }) => hit) };
}

/** Accepts known agents, and other tools that wrote to the inbox. */
async function checkAgent(app: Reader, agent: string | null): Promise<void> {
  if (agent === null) return;
  const { adapters } = await import('../agents/index.js');
  const known = [
    ...new Set([...adapters.map((each) => each.agent), ...(await app.store.read(agentsRead))]),
  ].sort();
  if (!known.includes(agent))
    throw usage(`there is no agent ${agent}`, `use one of ${known.join(', ')}`);
}
