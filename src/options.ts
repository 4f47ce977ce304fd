/** Every option of config.yaml with its type and limits; config/default.yaml documents them. */
import { createRequire } from 'node:module';
import type * as Zod from 'zod';
import { HOOK_MOMENTS } from './types.js';

/** Made only to check a config.yaml, because loading zod would slow a search. */
export function makeSchema() {
  const { z } = createRequire(import.meta.url)('zod') as typeof Zod;
  const globs = z.array(z.string().min(1));
  const count = z.number().int().min(0);
  return z.strictObject({
    enabled: z.boolean(),
    exclude: globs,
    projects: z.record(z.string(), globs),
    agents: z.strictObject({
      only: z.array(z.string()),
      roots: z.record(z.string(), globs),
      mine: globs,
    }),
    redact: z.strictObject({ emails: z.boolean() }),
    inbox: z.strictObject({ trusted: z.array(z.string().min(1)) }),
    context: z.strictObject({
      budget_tokens: count.min(200).max(20_000),
      ask_for_notes: z.boolean(),
    }),
    embed: z.strictObject({ enabled: z.boolean(), ...serverSchema(z) }),
    schedule: z.strictObject({
      nightly_at: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "04:17"'),
    }),
    llm: llmSchema(z),
    usage: usageSchema(z),
    hooks: z.strictObject({
      moments: z.array(z.enum(HOOK_MOMENTS)),
      guard: z.record(z.string().min(1), z.enum(['warn', 'deny'])),
    }),
    log: z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']) }),
  });
}

const FIXED = Object.fromEntries(
  (
    'store.lock_wait_ms store.idle_release_ms ingest.scan_seconds extract.idle_minutes schedule.archive_after_days ' +
    'log.file_mib log.files_kept embed.pooling embed.document_prefix embed.query_prefix embed.timeout_seconds ' +
    'embed.seconds_per_run embed.threads embed.memory_cap_mib embed.token_states_mib embed.idle_seconds ' +
    'llm.session_tokens llm.window_tokens llm.timeout_seconds llm.seconds_per_run'
  )
    .split(' ')
    .map((key) => [key, 'it is fixed']),
);

/**
 * Options of older versions. A config.yaml with one stays valid, but the option has no effect;
 * `status --check` explains why.
 */
export const RETIRED: Readonly<Record<string, string>> = {
  'redact.mask_emails': '`redact.emails` has its meaning',
  'redact.mask_phones': 'telephone numbers are not masked',
  'redact.mask_ibans': 'bank account numbers are not masked',
  'redact.deadline_ms': 'the deadline is fixed',
  'store.keep_text_days': 'texts are kept',
  'store.disk_budget_mib': 'texts are kept',
  'agents.checkpoints': "the agents' own logs are read, no copies of them in a repository",
  'context.holdout': 'memory is never silent for a day',
  ...FIXED,
  'llm.order_hits': 'a search asks no model',
  'llm.order_seconds': 'a search asks no model',
  'llm.answers': 'it is gone',
  'llm.monthly_tokens': 'it is ten times `llm.daily_tokens`',
  'llm.consolidate': 'it is gone',
  'llm.choose_context': 'rules choose the page',
  'llm.tidy_others': 'it is `llm.other_vendors` now',
};

function usageSchema(z: typeof Zod.z) {
  const price = z.number().min(0);
  const prices = z.strictObject({
    input: price,
    output: price,
    cache_read: price.optional(),
    cache_write: price.optional(),
  });
  return z.strictObject({ prices: z.record(z.string().min(1), prices) });
}

/** The server that receives texts, and its key. */
function serverSchema(z: typeof Zod.z) {
  return {
    model: z.string(),
    url: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    key_variable: z
      .string()
      .regex(
        /^([A-Za-z_]\w*)?$/,
        'must be the name of an environment variable, never the key itself',
      ),
  };
}

function llmSchema(z: typeof Zod.z) {
  const count = z.number().int().min(0);
  return z.strictObject({
    provider: z.enum(['off', 'openai', 'anthropic', 'command']),
    ...serverSchema(z),
    command: z.array(z.string()),
    daily_tokens: count,
    other_vendors: z.boolean(),
  });
}
