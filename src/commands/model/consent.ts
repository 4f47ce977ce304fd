/** What a person reads before anything is sent to a model, and the one question. */
import { type App, createApp } from '../../app.js';
import type { Config } from '../../config.js';
import { AppError, EXIT } from '../../errors.js';
import { type Costs, estimateCosts } from '../../jobs/asking/costs.js';
import { hostOf, isOnThisMachine, programIn } from '../../llm/index.js';
import { counted, withCommas } from '../../text/amounts.js';
import { isYes } from '../command.js';
import type { Io } from '../../io.js';

export const FINDS =
  'what a model finds in sessions and rules do not: decisions with their reason, traps with their cure, what you want always ' +
  'or never';
export const SENT =
  'what is sent of a session: what you typed, commands with their outcome, at most 200 characters of lines that name an error, ' +
  'and what the agent concluded; secrets are masked first; never a file, a web page or other output of a tool';

/**
 * @returns whether the model may be asked: a person at a terminal is asked once; elsewhere who
 * typed the command has decided
 */
export async function isWanted(io: Io, config: Config, name: string): Promise<boolean> {
  const lines = describeCosts(await costsOf(io, config), config.llm);
  if (!io.terminal) {
    io.err(`${lines.join('; ')}\n`);
    return true;
  }
  io.err(`${[SENT, recipientOf(config.llm), ...lines].join('\n')}\n`);
  return await isYes(io, `Ask ${name} from now on? [y/N] `);
}

/** Who gets what is sent. */
export function recipientOf({ provider, command, url }: Config['llm']): string {
  const program = programIn(command);
  if (provider === 'command')
    return `to whom: ${program === null ? 'whoever your program asks' : program.sendsTo}`;
  if (url === '') return `to whom: ${provider === 'anthropic' ? 'Anthropic' : 'OpenAI'}`;
  return `to whom: ${isOnThisMachine(url) ? 'nobody: the server runs on this machine' : hostOf(url)}`;
}

/**
 * Asks the store; null when nothing was read yet, or it is busy: the daemon may be reading for the
 * first time.
 */
export async function lookedAt<T>(io: Io, ask: (app: App) => Promise<T>): Promise<T | null> {
  try {
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    return app.storeExists ? await ask(app) : null;
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.exitCode === EXIT.busy || error.exitCode === EXIT.noStore)
    )
      return null;
    throw error;
  }
}

export function costsOf(io: Io, config: Config): Promise<Costs | null> {
  return lookedAt(io, (app) => estimateCosts({ ...app, config }));
}

export function describeCosts(
  costs: Costs | null,
  llm: Pick<Config['llm'], 'daily_tokens' | 'monthly_tokens'>,
): string[] {
  if (costs === null)
    return [
      'what waits is not known until the logs are read: `dripstone model` tells then what it costs',
    ];
  const { waiting, nights, week, withheld } = costs;
  const nightly = Number.isFinite(nights)
    ? `${counted(nights, 'night')} at ${withCommas(llm.daily_tokens)} tokens a day and ${withCommas(llm.monthly_tokens)} a month`
    : 'never at caps of 0 tokens';
  return [
    `now: ${counted(waiting.sessions, 'session')} wait, about ${counted(waiting.calls, 'call')} and ` +
      `${withCommas(waiting.tokens)} tokens: ${nightly}`,
    `from then on: about ${counted(week.sessions, 'session')} and ${withCommas(week.tokens)} tokens a week`,
    ...(withheld === 0
      ? []
      : [
          `not sent: ${counted(withheld, 'session')} of other vendors' agents, until you type ` +
            '`dripstone config set llm.other_vendors true`',
        ]),
  ];
}
