/**
 * What the daemon says to a hook: the page at a session's start, what memory knows at other
 * moments, mostly nothing.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { App } from '../app.js';
import { headLines } from '../context/index.js';
import { countTokens } from '../text/tokens.js';
import { readLinks, type Link } from '../links/registry.js';
import { lookAtFolder } from '../projects/folder-project.js';
import { stepsAhead } from '../parse/index.js';
import { readContext } from '../recall/context-file.js';
import { answerSoon, noteTold } from '../recall/moments/answer.js';
import { costOf } from '../recall/moments/at-moment.js';
import { MOMENT_TYPES } from '../recall/moments/moment.js';
import { guardsIn, guardsMet, type Guards } from '../recall/moments/guard.js';
import { HeldRows } from '../recall/moments/held.js';
import { projectOfFolder } from '../recall/projects.js';
import { toldTo, addReceipts, type Receipt } from '../store/index.js';
import type { Clock, Project } from '../types.js';
import {
  PATIENCE_MS,
  type MomentRequest,
  type HookMoment,
  type Answer,
  type Reply,
} from './wire.js';
import { messageOf } from '../errors.js';
import type { JobContext } from '../jobs/job.js';
import { keepReceipts } from '../jobs/upkeep/receipts.js';
import { shortHash } from '../text/fingerprint.js';

/**
 * Answers one home's hooks.
 * @param patienceMs how long a database that is not free is waited for; then what is held answers
 */
export function createAnswers(app: App, patienceMs = 10_000): Answer {
  const held = new HeldRows(app.store, patienceMs);
  const shown = new ShownBySession(async (session, most) => {
    const told = await held.soon((db) => toldTo(db, session, most));
    if (told === null) return null;
    return {
      given: new Set(told.map(({ id }) => id)),
      page: null,
      hadPage: told.some(({ type }) => type === 'page'),
    };
  });
  const receipts = new Receipts(app);
  const pace = new Pace(app.clock);
  app.defer(() => receipts.settle());
  return async (request, isWanted) => {
    const asked = requestIn(request);
    if (asked === null) return null;
    const isMoment = app.config.hooks.moments.includes(asked.type);
    const guards =
      asked.type === 'command' || asked.type === 'edit' ? guardsIn(app.paths, asked.session) : {};
    if (!isMoment && Object.keys(guards).length === 0) return null;
    const project = projectOfFolder(await held.projects(), asked.cwd, app.userHome);
    // What other projects know says nothing about a folder without a project.
    if (project === null || !isWanted()) return null;
    const from = { app, held, receipts, pace };
    const warning = await warn(from, guards, project, asked);
    if (warning !== null || !isMoment) return warning;
    const seen = await shown.of(asked.session);
    if (seen === null) return null;
    return asked.type === 'start'
      ? tellPage(from, project, asked, seen)
      : tellItems(from, project, asked, seen, isWanted);
  };
}

interface Answering {
  app: App;
  held: HeldRows;
  receipts: Receipts;
  pace: Pace;
}

type Complete = MomentRequest & { cwd: string; session: string };

/** Null for a request that is none, or of another version. */
function requestIn(value: unknown): Complete | null {
  const { version, ask, type, text, output, cwd, session, agent } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const isKnown =
    version === 1 &&
    ask === 'recall' &&
    (type === 'start' || MOMENT_TYPES.some((each) => each === type));
  const areTexts = [text, cwd, session, agent].every((each) => typeof each === 'string');
  if (
    !isKnown ||
    !areTexts ||
    !isAbsolute(cwd as string) ||
    (output !== null && typeof output !== 'string')
  )
    return null;
  return { version, ask, type: type as HookMoment, text, output, cwd, session, agent } as Complete;
}

/** The page, if no line of `link` leads this agent to it already. */
function tellPage(
  { app, receipts }: Answering,
  project: Project,
  { agent, session }: Complete,
  seen: Shown,
): Reply | null {
  const page = readContext(app.paths, project);
  if (!existsSync(page.path)) return null;
  seen.page = page.text;
  if (readLinks(app.paths.links).some((link) => leads(link, project, agent))) return null;
  return {
    text: page.text,
    ended(isPrinted) {
      const items = [{ type: 'page' as const, id: hashOf(page.text), tokens: page.tokens }];
      if (isPrinted) receipts.note({ moment: 'start', agent, session, project: project.id, items });
      else seen.page = null;
    },
  };
}

/**
 * Whether the agent reads a file of this project that names its page. Agents without a file of
 * their own read AGENTS.md.
 */
function leads({ slug, files, servers = [] }: Link, project: Project, agent: string): boolean {
  if (slug !== project.slug) return false;
  const hooked = servers.filter(({ path }) => path.endsWith('settings.local.json'));
  const readers = [...files, ...hooked].map((each) => each.agent);
  return readers.includes(agent) || (!OWN_FILE.includes(agent) && readers.includes('codex'));
}

const OWN_FILE = ['claude-code', 'gemini-cli', 'qwen-code'];

async function tellItems(
  { app, held, receipts, pace }: Answering,
  project: Project,
  { agent, type, text, output, cwd, session }: Complete,
  { given, page, hadPage }: Shown,
  isWanted: () => boolean,
): Promise<Reply | null> {
  const hasPage = (): boolean =>
    hadPage || readLinks(app.paths.links).some((link) => leads(link, project, agent));
  const before = page ?? (hasPage() ? readContext(app.paths, project).text : '');
  const moment = {
    type: type as (typeof MOMENT_TYPES)[number],
    text: type === 'edit' ? pathBelow(cwd, text) : text,
    output,
    session,
  };
  let ranking: number | null = null;
  const mayRank = (): boolean => {
    ranking = isWanted() ? pace.begin() : null;
    return ranking !== null;
  };
  const answer = await answerSoon(
    held,
    project,
    moment,
    { given, page: before },
    { mayRank, isWanted },
  );
  if (ranking !== null) pace.end(ranking);
  if (answer.text === '') return null;
  const ids = answer.items.map(({ id }) => id);
  // Two hooks of a session may run at once: what one of them is about to say the other does not.
  giveAll(given, ids);
  return {
    text: `${headLines(project.name, '')[0]}\n${answer.text}`,
    ended(isPrinted) {
      if (!isPrinted) return ids.forEach((id) => given.delete(id));
      noteTold(app, answer);
      const items = answer.items.map((item) => ({
        type: item.kind,
        id: item.id,
        tokens: costOf(item),
      }));
      receipts.note({ moment: type, agent, session, project: project.id, items });
    },
  };
}

/** What guarded rules say: again at each moment, whatever the page holds. */
async function warn(
  { held, receipts }: Answering,
  guards: Guards,
  project: Project,
  { agent, type, text, cwd, session }: Complete,
): Promise<Reply | null> {
  if (Object.keys(guards).length === 0) return null;
  const top = lookAtFolder(cwd).top ?? cwd;
  const steps = type === 'command' ? stepsAhead(text, cwd, [...project.folders, top]) : [];
  const file = type === 'edit' ? pathBelow(cwd, text) : null;
  const found = guardsMet(await held.lessons(project.id), guards, { steps, file });
  if (found === null) return null;
  const told = `${headLines(project.name, '')[0]}\n${found.text}`;
  return {
    text: told,
    deny: found.deny,
    ended(isPrinted) {
      if (!isPrinted) return;
      const items = found.rules.map((id) => ({
        type: 'lesson' as const,
        id,
        tokens: countTokens(told),
      }));
      receipts.note({ moment: type, agent, session, project: project.id, items });
    },
  };
}

/** The path as lessons have it: below the repository. */
function pathBelow(cwd: string, path: string): string {
  return isAbsolute(path) ? relative(lookAtFolder(cwd).top ?? cwd, path) : path;
}

/**
 * How long nothing is looked for after it took too long: a busy moment passes, a store that is too
 * large stays so.
 */
const FIRST_REST_MS = 15_000;
const LONGEST_REST_MS = 600_000;

/**
 * Whether it pays to look for what was said: where that takes longer than a hook waits, nobody
 * hears it.
 */
class Pace {
  private restUntil = -Infinity;
  private rest = FIRST_REST_MS;

  constructor(private readonly clock: Pick<Clock, 'mono'>) {}

  /** @returns when it began, in milliseconds of the clock; null: not now */
  begin(): number | null {
    const now = this.clock.mono();
    return now < this.restUntil ? null : now;
  }

  end(begun: number): void {
    const now = this.clock.mono();
    if (now - begun <= PATIENCE_MS) this.rest = FIRST_REST_MS;
    else {
      this.restUntil = now + this.rest;
      this.rest = Math.min(2 * this.rest, LONGEST_REST_MS);
    }
  }
}

// What hooks showed in each session: each item once, and never what the page has.

/** What hooks showed in a session. */
interface Shown {
  /** Ids of items. */
  given: Set<string>;
  /** The page at its start; null when this daemon did not see the start. */
  page: string | null;
  /** An earlier daemon showed a page, whose text is not known. */
  hadPage: boolean;
}

/** Sessions that are remembered, and items of each; a page is at most some kilobytes. */
const MOST_SESSIONS = 200;
const MOST_GIVEN = 500;

/**
 * Known in memory, and at a session's first request from its receipts: a daemon ends with each
 * change of config.yaml.
 */
class ShownBySession {
  private readonly sessions = new Map<string, Promise<Shown | null>>();

  /**
   * @param before what receipts say was shown in a session, at most so many items; null while they
   * cannot be read
   */
  constructor(private readonly before: (session: string, most: number) => Promise<Shown | null>) {}

  /**
   * The session, as the newest of those that are remembered. Known by its id alone: some agents
   * start the hooks in another agent's settings, too. Null: what was shown is not known, so an item
   * may be shown twice.
   */
  of(session: string): Promise<Shown | null> {
    const seen = this.sessions.get(session) ?? this.before(session, MOST_GIVEN);
    this.sessions.delete(session);
    this.sessions.set(session, seen);
    if (this.sessions.size > MOST_SESSIONS)
      this.sessions.delete(this.sessions.keys().next().value!);
    // Receipts that could not be read are read at the next request.
    void seen.catch(() => null).then((known) => known === null && this.sessions.delete(session));
    return seen;
  }
}

/** Adds ids, and lets the oldest go. */
function giveAll(given: Set<string>, ids: readonly string[]): void {
  for (const id of ids) given.add(id);
  for (const id of given) {
    if (given.size <= MOST_GIVEN) return;
    given.delete(id);
  }
}

// Writes what hooks showed: at once into the file, and into the database as soon as it is free.

/** What a hook showed at one moment. */
interface Items extends Pick<Receipt, 'moment' | 'agent' | 'session' | 'project'> {
  items: readonly Pick<Receipt, 'type' | 'id' | 'tokens'>[];
}

/** The id of a text that was shown: it serves only to see a change. */
function hashOf(text: string): string {
  return shortHash(text, 16);
}

class Receipts {
  /** In the file, not in the database yet. */
  private waiting: Receipt[] = [];
  private writing: Promise<void> | null = null;

  constructor(private readonly context: Pick<JobContext, 'paths' | 'store' | 'clock' | 'log'>) {}

  note({ items, ...moment }: Items): void {
    const time = this.context.clock.now().toISOString();
    const receipt = hashOf(
      [moment.agent, moment.session, time, ...items.map(({ id }) => id)].join('\0'),
    );
    const receipts = items.map((item) => ({ receipt, time, ...moment, ...item }));
    try {
      keepReceipts(this.context.paths, receipts);
    } catch (error) {
      this.context.log.warn(
        { error: messageOf(error) },
        'a receipt could not be written to its file',
      );
    }
    this.waiting.push(...receipts);
    void this.settle();
  }

  /** What could not be written waits for the next one; the file has it, too. */
  settle(): Promise<void> {
    return (this.writing ??= this.write().finally(() => (this.writing = null)));
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const receipts = this.waiting;
      this.waiting = [];
      try {
        await this.context.store.write((db) => addReceipts(db, receipts));
      } catch (error) {
        this.context.log.debug({ error: messageOf(error) }, 'receipts wait for the database');
        return;
      }
    }
  }
}
