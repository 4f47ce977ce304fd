/** Resumes sessions of agents, and reads them in full. */
import { AppError, EXIT, usage } from '../errors.js';
import {
  placeInSession,
  sessionByPrefix,
  sessionHead,
  sessionWindow,
  type Db,
} from '../store/index.js';
import type { WindowEntry } from '../types.js';
import type { Reader } from './recall.js';

/** The command that resumes a session, from the documentation of each agent that has one. */
const RESUMES: Readonly<Record<string, (session: string) => string>> = {
  'claude-code': (session) => `claude --resume ${session}`,
  codex: (session) => `codex resume ${session}`,
  'gemini-cli': (session) => `gemini --resume ${session}`,
  opencode: (session) => `opencode --session ${session}`,
  'copilot-cli': (session) => `copilot --resume ${session}`,
};

/** Ids come from logs: one that a shell could read as more than a plain word gives no command. */
const PLAIN_ID = /^\w[\w.:-]*$/;

/** The command that resumes a session in its agent and folder; null if the agent has none. */
export function resumeLine(agent: string, session: string): string | null {
  return Object.hasOwn(RESUMES, agent) && PLAIN_ID.test(session) ? RESUMES[agent]!(session) : null;
}

/** A session with its entries in order. */
export interface Whole {
  head: Record<string, unknown>;
  agent: string;
  session: string;
  resume: string | null;
  entries: WindowEntry[];
}

/** Entries that are read at once, and most characters of one text. */
const PAGE = 500;
const WHOLE_CHARS = 1_000_000;

export async function readWhole(app: Reader, prefix: string): Promise<Whole> {
  return app.store.read(async (db) => {
    const found = await sessionByPrefix(db, prefix, 10);
    if (found.length !== 1)
      throw found.length === 0
        ? new AppError('NOT_FOUND', `no session has an id that starts with ${prefix}`, {
            hint: '`dripstone sessions` lists them',
            exitCode: EXIT.usage,
          })
        : usage(
            `${prefix} may mean ${found.map(({ session }) => session).join(', ')}`,
            'type more of the id',
          );
    return wholeOf(db, found[0]!);
  });
}

async function wholeOf(
  db: Db,
  { agent, session }: { agent: string; session: string },
): Promise<Whole> {
  const { total } = await placeInSession(db, { agent, session, entry: null });
  const entries: WindowEntry[] = [];
  for (let from = 0; from < total; from += PAGE)
    entries.push(
      ...(await sessionWindow(db, { agent, session, from, limit: PAGE, clip: WHOLE_CHARS })),
    );
  return {
    head: await sessionHead(db, agent, session),
    agent,
    session,
    resume: resumeLine(agent, session),
    entries,
  };
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function roleOf({ role, tool }: WindowEntry): string {
  return tool === null ? role : `${role} ${tool}`;
}

/** Puts a text into a fence longer than any run of backticks in it, so that no text ends it. */
function fenced(body: string): string {
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${body}\n${fence}`;
}

export function markdown({ head, agent, session, resume, entries }: Whole): string {
  const title = text(head['title']) || `${agent} ${session}`;
  const facts = [
    `- Agent: ${agent}`,
    `- Session: ${session}`,
    `- Folder: ${text(head['cwd'])}`,
    `- Started: ${text(head['started'])}`,
  ];
  const passages = entries
    .filter((entry) => (entry.text ?? '') !== '')
    .map((entry) => {
      const isSpeech =
        (entry.role === 'user' && entry.origin === 'user') || entry.role === 'assistant';
      const time = entry.time === null ? '' : ` · ${entry.time}`;
      return `## ${roleOf(entry)}${time}\n\n${isSpeech ? entry.text! : fenced(entry.text!)}`;
    });
  const again = resume === null ? [] : [`- Resume: \`${resume}\``];
  return `# ${title}\n\n${[...facts, ...again].join('\n')}\n\n${passages.join('\n\n')}\n`;
}
