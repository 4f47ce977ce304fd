/**
 * Pieces of conversations that a tool sends, written into the inbox as the tool itself might: they
 * are read like any log.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { inbox } from '../agents/inbox.js';
import type { App } from '../app.js';
import { maskValue, redactorOf } from '../jobs/upkeep/mask.js';
import type { LogRecord } from '../types.js';

/** Most pieces of one request; the body has a limit of its own. */
const MOST = 1000;

export const wantedEntries = z.object({
  entries: z
    .array(
      z.looseObject({
        agent: z.string().min(1).max(60).describe('name of the tool'),
        session: z.string().min(1).max(200).describe("the tool's own id of the conversation"),
        text: z.string().min(1),
        role: z
          .string()
          .optional()
          .describe('user, assistant, thinking, tool, tool_result or system'),
        type: z
          .string()
          .optional()
          .describe('instead of role: instruction, decision, tool, outcome or error'),
        at: z.iso.datetime({ offset: true }).optional(),
        cwd: z.string().optional(),
      }),
    )
    .min(1)
    .max(MOST),
});

interface Taken {
  taken: number;
  /** Those that the inbox would not read, by their place in the request. */
  left_out: { index: number; reason: string }[];
}

/**
 * Checks each piece by the rule of the inbox, masks secrets, and appends all that are good in one
 * write.
 */
export async function takeEntries(
  app: App,
  { entries }: z.infer<typeof wantedEntries>,
): Promise<Taken> {
  const judged = entries.map((entry, index) => ({
    entry,
    index,
    step: inbox.step(inbox.start({ relative: 'api.jsonl' }), { value: entry } as LogRecord),
  }));
  const good = judged.filter(({ step }) => step.rawEntries.length > 0).map(({ entry }) => entry);
  const clean = maskValue(good, await redactorOf(app)) as object[];
  if (clean.length > 0) {
    mkdirSync(app.paths.inbox, { recursive: true, mode: 0o700 });
    const file = join(app.paths.inbox, `api-${app.clock.now().toISOString().slice(0, 10)}.jsonl`);
    // One write: a reader takes whole lines, and another server of ours may append too.
    appendFileSync(file, clean.map((entry) => `${JSON.stringify(entry)}\n`).join(''), {
      mode: 0o600,
    });
  }
  const left = judged.filter(({ step }) => step.rawEntries.length === 0);
  return {
    taken: clean.length,
    left_out: left.map(({ index, step }) => ({ index, reason: `no such ${String(step.unknown)}` })),
  };
}
