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
import { toldTo } from '../store/index.js';
import type { Clock, Project } from '../types.js';
import { PATIENCE_MS, type MomentRequest, type HookMoment } from './wire.js';
import { hashOf, Receipts } from './receipts.js';
import type { Answer, Reply } from './server.js';
import { giveAll, Hearers, type Hearer } from './told.js';

/**
 * Answers one home's hooks.
 * @param patienceMs how long a database that is not free is waited for; then what is held answers
 */
export function createAnswers(app: App, patienceMs = 10_000): Answer {
  const held = new HeldRows(app.store, patienceMs);
  const hearers = new Hearers(async (session, most) => {
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
    const hearer = await hearers.of(asked.session);
    if (hearer === null) return null;
    return asked.type === 'start'
      ? tellPage(from, project, asked, hearer)
      : tellItems(from, project, asked, hearer, isWanted);
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
  hearer: Hearer,
): Reply | null {
  const page = readContext(app.paths, project);
  if (!existsSync(page.path)) return null;
  hearer.page = page.text;
  if (readLinks(app.paths.links).some((link) => leads(link, project, agent))) return null;
  return {
    text: page.text,
    ended(isPrinted) {
      const items = [{ type: 'page' as const, id: hashOf(page.text), tokens: page.tokens }];
      if (isPrinted) receipts.note({ moment: 'start', agent, session, project: project.id, items });
      else hearer.page = null;
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
  { given, page, hadPage }: Hearer,
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
export class Pace {
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
