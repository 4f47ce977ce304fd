/** Decides which sessions may be sent to a model, and in which order. */
import { programIn } from '../../llm/index.js';
import { type Db, type OpenQuestion, openQuestions } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { compareText } from '../../text/order.js';

type Llm = JobContext['config']['llm'];

/** The company that each agent sends its data to; any other agent is its own company. */
const VENDORS: Readonly<Record<string, string>> = {
  'claude-code': 'anthropic',
  codex: 'openai',
  'gemini-cli': 'google',
  antigravity: 'google',
  copilot: 'github',
  'copilot-cli': 'github',
  'vscode-copilot': 'github',
};

function isOneVendor(one: string, other: string): boolean {
  return (VENDORS[one] ?? one) === (VENDORS[other] ?? other);
}

/**
 * Whether the model may get an agent's sessions. An agent's own program sends them to its vendor,
 * so sessions of other vendors need the person's permission. A server, an API or any other program
 * may get all sessions.
 */
export function maySend(agent: string, { provider, command, other_vendors: others }: Llm): boolean {
  const reader = provider === 'command' ? (programIn(command)?.agent ?? null) : null;
  return reader === null || others || isOneVendor(reader, agent);
}

export interface WaitingSessions {
  /** Sessions for the model, newest first. */
  open: OpenQuestion[];
  /** Number of sessions of other vendors' agents, which are not sent. */
  withheld: number;
}

/** Sessions that wait for the model of this configuration. */
export async function waitingFor(db: Db, llm: Llm): Promise<WaitingSessions> {
  const all = await openQuestions(db, MOST_OPEN);
  const open = all.filter(({ agent }) => maySend(agent, llm));
  return { open, withheld: all.length - open.length };
}

/** Number of newest sessions that are considered; later calls take the others. */
const MOST_OPEN = 10_000;

/**
 * Oldest first within a project, so that later sessions can contradict earlier claims; the project
 * with the newest work first. If the budget is too small for all, the newest ten of each project
 * come first. Pure; the order of the input has no effect.
 * @param room how many sessions the budget allows now
 */
export function orderBacklog<Q extends OpenQuestion>(open: readonly Q[], room: number): Q[] {
  const worked = new Map<string, number>();
  for (const question of open)
    worked.set(question.project, Math.max(worked.get(question.project) ?? 0, timeOf(question)));
  const phaseOf = ({ recent }: Q): number => (open.length <= room || recent ? 0 : 1);
  return [...open].sort(
    (a, b) =>
      phaseOf(a) - phaseOf(b) ||
      worked.get(b.project)! - worked.get(a.project)! ||
      compareText(a.project, b.project) ||
      timeOf(a) - timeOf(b) ||
      compareNames(a, b),
  );
}

/** Estimate of the tokens of a session in and out, for planning. */
export const USUAL_TOKENS = 2800;

/** Number of sessions that a budget is enough for. */
export function roomOf(tokens: number): number {
  return Math.floor(Math.max(0, tokens) / USUAL_TOKENS);
}

function timeOf({ newest }: OpenQuestion): number {
  const time = newest === null ? Number.NaN : Date.parse(newest);
  return Number.isNaN(time) ? 0 : time;
}

function compareNames(a: OpenQuestion, b: OpenQuestion): number {
  return compareText(`${a.agent}\0${a.session}`, `${b.agent}\0${b.session}`);
}
