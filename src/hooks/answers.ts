/**
 * The daemon's answers to hooks: the page at a session's start, known items at other moments,
 * mostly nothing.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { App } from '../app.js';
import { headLines, neutralise } from '../context/index.js';
import { countTokens } from '../text/tokens.js';
import { readLinks, type Link } from '../links/registry.js';
import { lookAtFolder } from '../projects/folder-project.js';
import { noteLines, stepsAhead } from '../parse/index.js';
import { readContext } from '../recall/context-file.js';
import { answerSoon, noteShown, type Pace } from '../recall/moments/answer.js';
import { costOf } from '../recall/moments/at-moment.js';
import type { MOMENT_TYPES } from '../recall/moments/moment.js';
import { guardsIn, guardsMet, type Guards } from '../recall/moments/guard.js';
import { KeptRows } from '../recall/moments/kept-rows.js';
import { projectOfFolder } from '../recall/projects.js';
import { entriesById, sessionRows, type Receipt } from '../store/index.js';
import { HOOK_MOMENTS, type Clock, type HookMoment, type Project } from '../types.js';
import { giveAll, hashOf, Receipts, ShownBySession, type Shown } from './shown.js';
import { soFar } from './so-far.js';
import { type MomentRequest, type Answer, type Reply } from '../wire.js';

/**
 * Answers one home's hooks.
 * @param patienceMs longest wait for the database, for all reads of a request together
 */
export function createAnswers(app: App, patienceMs = 10_000): Answer {
  const memory = new KeptRows(app.store);
  const shown = new ShownBySession(app.paths);
  const receipts = new Receipts(app);
  const pace = new Rests(app.clock);
  app.defer(() => receipts.settle());
  return async (request) => {
    const asked = requestIn(request);
    if (asked === null) return null;
    const isMoment = app.config.hooks.moments.includes(asked.type);
    const guards = GUARDED.includes(asked.type) ? guardsIn(app.paths, asked.session) : {};
    if (asked.type === 'compaction') shown.anew(asked.session);
    if (!isMoment && (asked.type === 'compaction' || Object.keys(guards).length === 0)) return null;
    const late = AbortSignal.timeout(patienceMs);
    const projects = await memory.projects(late);
    const project = projects && projectOfFolder(projects, asked.cwd, app.userHome);
    // For a folder without a project, lessons of other projects do not apply.
    if (project === null) return null;
    const from = { app, memory, receipts, pace, late };
    const warning = await warn(from, guards, project, asked);
    if (warning !== null || !isMoment) return warning;
    const about = { ...from, project, asked, seen: shown.of(asked.session) };
    if (asked.type === 'prompt' && !(await isFirstPrompt(about))) return null;
    if (asked.type === 'end') return askForNotes(about);
    return asked.type === 'start'
      ? replyWith(about, [], pageFor(about))
      : asked.type === 'compaction'
        ? afterCompaction(about, guards)
        : replyWith(about, [await itemsFor(about, asked)]);
  };
}

/** Moments that show or check guarded rules. */
const GUARDED: readonly HookMoment[] = ['command', 'edit', 'compaction'];

interface Answering {
  app: App;
  memory: KeptRows;
  receipts: Receipts;
  pace: Pace;
  /** Aborted when the answer is due; only rows in memory are used then. */
  late: AbortSignal;
}

type Complete = MomentRequest & { cwd: string; session: string };

/** One request at a moment of `hooks.moments`. */
interface About extends Answering {
  project: Project;
  asked: Complete;
  seen: Shown;
}

/** Null if the value is no request, or one of another version. */
function requestIn(value: unknown): Complete | null {
  const { version, ask, type, text, output, cwd, session, agent } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const isKnown = version === 1 && ask === 'recall' && HOOK_MOMENTS.some((each) => each === type);
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

/** A part of an answer, with the items for its receipt. */
interface Part {
  text: string;
  items: readonly Pick<Receipt, 'type' | 'id' | 'tokens'>[];
  /** Changes the session's state at once; `takeBack` restores it if the answer was not printed. */
  give?(): void;
  takeBack?(): void;
  printed?(): void;
}

/** The parts under one head, then the page; null if there is nothing. */
function replyWith(
  { receipts, project, asked }: About,
  parts: readonly (Part | null)[],
  page: Part | null = null,
): Reply | null {
  const found = parts.filter((part) => part !== null);
  const shown = page === null ? found : [...found, page];
  if (shown.length === 0) return null;
  const { type: moment, agent, session } = asked;
  // Two hooks of a session may run at once, and must not show the same item.
  for (const { give } of shown) give?.();
  const lines = found.map(({ text }) => text);
  const texts = [
    ...(lines.length === 0 ? [] : [underHead(project, lines)]),
    page?.text ?? [],
  ].flat();
  return {
    text: texts.join('\n\n'),
    ended(isPrinted) {
      for (const { printed, takeBack } of shown) (isPrinted ? printed : takeBack)?.();
      const items = shown.flatMap((part) => part.items);
      if (isPrinted) receipts.note({ moment, agent, session, project: project.id, items });
    },
  };
}

/** The page, unless a line of `link` already points this agent to it. */
function pageFor({ app, project, asked, seen }: About): Part | null {
  const page = readContext(app.paths, project);
  if (!existsSync(page.path)) return null;
  seen.page = page.text;
  if (readLinks(app.paths.links).some((link) => leads(link, project, asked.agent))) return null;
  return {
    text: page.text,
    items: [{ type: 'page', id: hashOf(page.text), tokens: page.tokens }],
    takeBack: () => (seen.page = null),
  };
}

/** The guarded rules, the failure that is still open with its known cure, then the page. */
async function afterCompaction(about: About, guards: Guards): Promise<Reply | null> {
  const { memory, project, asked, seen, late } = about;
  const page = pageFor(about);
  const rules = ((await memory.lessons(project.id, late)) ?? []).filter(
    ({ id, text }) => Object.hasOwn(guards, id) && !seen.page?.includes(neutralise(text)),
  );
  const open = await memory.soon(late, async (db) => {
    const failure = soFar(await sessionRows(db, asked.session)).open;
    const [entry] = failure === null ? [] : await entriesById(db, [failure.id]);
    return failure && { ...failure, output: entry?.text ?? failure.error };
  });
  const lines = [
    ...rules.map(({ text }) => `- Checked before each command and edit: ${neutralise(text)}`),
    ...(open === null ? [] : [`- Not passed since: ${neutralise(failureText(open))}`]),
  ];
  const items = rules.map(({ id, text }) => ({
    type: 'lesson' as const,
    id,
    tokens: countTokens(text),
  }));
  const cure =
    open &&
    (await itemsFor(about, { ...asked, type: 'failure', text: open.command, output: open.output }));
  const reminder = lines.length === 0 ? null : { text: lines.join('\n'), items };
  return replyWith(about, [reminder, cure], page);
}

const MOST_COMMAND = 90;

function failureText({ command, error }: { command: string; error: string }): string {
  const line = command.replace(/\s+/g, ' ').trim();
  const short = line.length <= MOST_COMMAND ? line : `${line.slice(0, MOST_COMMAND - 1)}…`;
  return `\`${short}\` failed with \`${error}\``;
}

/** Agents write the text into their logs; the head marks it, so that it is no evidence. */
function underHead({ name }: Project, lines: readonly string[]): string {
  return [headLines(name, '')[0], ...lines].join('\n');
}

/**
 * Asks the agent for notes, once a session: if something useful happened, the agent left no note,
 * the person did not interrupt, and no program runs the session.
 */
async function askForNotes(about: About): Promise<Reply | null> {
  const { memory, asked, seen, late } = about;
  if (seen.isAsked || noteLines(asked.text).length > 0) return null;
  const rows = await memory.soon(late, (db) => sessionRows(db, asked.session));
  if (rows === null || rows.some(({ machine }) => machine)) return null;
  const { isTelling, isNoted, isInterrupted } = soFar(rows);
  if (!isTelling || isNoted || isInterrupted) return null;
  const items = [
    { type: 'notes' as const, id: hashOf(NOTES_WANTED), tokens: countTokens(NOTES_WANTED) },
  ];
  return replyWith(about, [
    {
      text: NOTES_WANTED,
      items,
      give: () => (seen.isAsked = true),
      takeBack: () => (seen.isAsked = false),
    },
  ]);
}

/**
 * Only the first prompt gets an answer. The log may already have this prompt, and prompts that an
 * earlier daemon answered.
 */
async function isFirstPrompt({ memory, asked, seen, late }: About): Promise<boolean> {
  if (seen.hasPrompt) return false;
  seen.hasPrompt = true;
  const rows = (await memory.soon(late, (db) => sessionRows(db, asked.session))) ?? [];
  return rows.every(
    ({ role, origin, text }) =>
      role !== 'user' || origin !== 'user' || text.trim() === asked.text.trim(),
  );
}

/** No line of this text may look like a note. */
const NOTES_WANTED =
  '- Before you end: did this session show something lasting about this repository, such as what fixed an error, ' +
  'what the user corrected, or a command that works? Then write each fact as one line that begins with ' +
  '`Remember: …`, three at most. If there is nothing of that kind, only say "Done."';

/**
 * Whether the agent reads a linked file of this project. Agents without a file of their own read
 * AGENTS.md.
 */
function leads({ slug, files, servers = [] }: Link, project: Project, agent: string): boolean {
  if (slug !== project.slug) return false;
  const hooked = servers.filter(({ path }) => path.endsWith('settings.local.json'));
  const readers = [...files, ...hooked].map((each) => each.agent);
  return readers.includes(agent) || (!OWN_FILE.includes(agent) && readers.includes('codex'));
}

const OWN_FILE = ['claude-code', 'gemini-cli', 'qwen-code'];

/** The known items for a moment. */
async function itemsFor(
  { app, memory, pace, project, seen, late }: About,
  { agent, type, text, output, cwd, session }: Complete,
): Promise<Part | null> {
  const { given, page, hadPage } = seen;
  const hasPage = (): boolean =>
    hadPage || readLinks(app.paths.links).some((link) => leads(link, project, agent));
  const before = page ?? (hasPage() ? readContext(app.paths, project).text : '');
  const moment = {
    type: type as (typeof MOMENT_TYPES)[number],
    text: type === 'edit' ? pathBelow(cwd, text) : text,
    output,
    session,
  };
  const known = { given, page: before };
  const answer = await answerSoon(memory, project, moment, known, { pace, late });
  if (answer.text === '') return null;
  const ids = answer.items.map(({ id }) => id);
  return {
    text: answer.text,
    items: answer.items.map((item) => ({ type: item.kind, id: item.id, tokens: costOf(item) })),
    give: () => giveAll(given, ids),
    takeBack: () => ids.forEach((id) => given.delete(id)),
    printed: () => noteShown(app, answer),
  };
}

/** The warning of guarded rules, each time, even if the page has the rule. */
async function warn(
  { memory, receipts, late }: Answering,
  guards: Guards,
  project: Project,
  { agent, type, text, cwd, session }: Complete,
): Promise<Reply | null> {
  if (Object.keys(guards).length === 0 || type === 'compaction') return null;
  const top = lookAtFolder(cwd).top ?? cwd;
  const steps = type === 'command' ? stepsAhead(text, cwd, [...project.folders, top]) : [];
  const file = type === 'edit' ? pathBelow(cwd, text) : null;
  const found = guardsMet((await memory.lessons(project.id, late)) ?? [], guards, { steps, file });
  if (found === null) return null;
  const shown = underHead(project, [found.text]);
  return {
    text: shown,
    deny: found.deny,
    ended(isPrinted) {
      if (!isPrinted) return;
      const items = found.rules.map((id) => ({
        type: 'lesson' as const,
        id,
        tokens: countTokens(shown),
      }));
      receipts.note({ moment: type, agent, session, project: project.id, items });
    },
  };
}

/** The path relative to the repository, as in lessons. */
function pathBelow(cwd: string, path: string): string {
  return isAbsolute(path) ? relative(lookAtFolder(cwd).top ?? cwd, path) : path;
}

/** Pause after a search that took too long. It grows, since a large store stays large. */
const FIRST_REST_MS = 15_000;
const LONGEST_REST_MS = 600_000;

class Rests implements Pace {
  private restUntil = -Infinity;
  private rest = FIRST_REST_MS;

  constructor(private readonly clock: Pick<Clock, 'mono'>) {}

  mayRank(): boolean {
    return this.clock.mono() >= this.restUntil;
  }

  ranked(isInTime: boolean): void {
    if (isInTime) this.rest = FIRST_REST_MS;
    else {
      this.restUntil = this.clock.mono() + this.rest;
      this.rest = Math.min(2 * this.rest, LONGEST_REST_MS);
    }
  }
}
