/** What a person is told before a model is sent anything, and the one question. */
import { createApp } from '../../app.js';
import type { Config } from '../../config.js';
import { AppError, EXIT } from '../../errors.js';
import { type Costs, estimateCosts } from '../../jobs/asking/costs.js';
import { counted } from '../../text/amounts.js';
import type { Io } from '../command.js';

export const SENT =
  'what is sent of a session: what you typed, commands with their outcome, at most 200 characters of lines that name an error, ' +
  'and what the agent concluded; secrets are masked first; never a file, a web page or other output of a tool';

/** @returns whether the model may be asked: a person at a terminal is asked once; elsewhere who typed the command has decided */
export async function isWanted(io: Io, config: Config, name: string): Promise<boolean> {
  const lines = describeCosts(await costsOf(io, config), config.llm);
  if (!io.terminal) {
    io.err(`${lines.join('; ')}\n`);
    return true;
  }
  io.err(`${[SENT, ...lines].join('\n')}\n`);
  return await isYes(io, `Ask ${name} from now on? [y/N] `);
}

/** One question at a terminal; anything but yes is no. */
export async function isYes(io: Io, question: string): Promise<boolean> {
  io.err(question);
  for await (const line of io.lines()) return /^\s*y(?:es)?\s*$/i.test(line);
  return false;
}

/** Null when nothing was read yet, or the store cannot be looked at now: the daemon may be reading for the first time. */
export async function costsOf(io: Io, config: Config): Promise<Costs | null> {
  try {
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    return app.storeExists ? await estimateCosts({ ...app, config }) : null;
  } catch (error) {
    if (error instanceof AppError && (error.exitCode === EXIT.busy || error.exitCode === EXIT.noStore)) return null;
    throw error;
  }
}

function number(n: number): string {
  return n.toLocaleString('en-US');
}

export function describeCosts(costs: Costs | null, llm: Pick<Config['llm'], 'daily_tokens' | 'monthly_tokens'>): string[] {
  if (costs === null) return ['what waits is not known until the logs are read: `dripstone model` tells then what it costs'];
  const { waiting, nights, week } = costs;
  const nightly = Number.isFinite(nights)
    ? `${counted(nights, 'night')} at ${number(llm.daily_tokens)} tokens a day and ${number(llm.monthly_tokens)} a month`
    : 'never at caps of 0 tokens';
  return [
    `now: ${counted(waiting.sessions, 'session')} wait, about ${counted(waiting.calls, 'call')} and ${number(waiting.tokens)} ` +
      `tokens: ${nightly}`,
    `from then on: about ${counted(week.sessions, 'session')} and ${number(week.tokens)} tokens a week`,
  ];
}

/**
 * The end of an installation: what could be switched on is named; a person at a terminal is told what it costs and asked once.
 * @returns the name that was agreed to, or null
 */
export async function offerModel(io: Io, config: Config, names: readonly string[]): Promise<string | null> {
  const [name] = names;
  if (config.llm.provider !== 'off' || name === undefined) return null;
  if (io.terminal && io.caller().kind === 'person') return (await isWanted(io, config, name)) ? name : null;
  io.out(`${name} is on this machine: \`dripstone model use ${name}\` lets it write better lessons (off until then)\n`);
  return null;
}
