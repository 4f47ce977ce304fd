/**
 * The embedding model that the configuration names: the shipped one, another folder, or a server.
 */
import { join } from 'node:path';
import { leaseEmbedder, type EmbedderLease } from './embedder.js';
import { EndpointEmbedder } from './endpoint.js';
import { useOf } from './model-use.js';

/** The part of the configuration's `embed` group that this module needs. */
export interface EmbedSettings {
  enabled: boolean;
  model: string;
  url: string;
  key_variable: string;
}

/** One thread keeps a laptop quiet; a process that grew above the limit is replaced. */
const LOCAL = {
  threads: 1,
  memoryCapBytes: 600 * 1024 * 1024,
  recycleTexts: 20_000,
  idleMs: 60_000,
  textTimeoutMs: 30_000,
};
/** Longest wait for one answer of a server; `EndpointEmbedder` waits less for a question. */
const ANSWER_MS = 30_000;

interface LeaseOptions {
  settings: EmbedSettings;
  /** Folder of the shipped model. */
  shipped: string;
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Monotonic milliseconds. */
  mono: () => number;
}

export function leaseModel(options: LeaseOptions): EmbedderLease {
  const { settings, shipped, userHome } = options;
  const { enabled, model, url } = settings;
  if (!enabled) return leaseEmbedder(null);
  if (url !== '') return leaseEndpoint(options);
  if (model === '') return leaseEmbedder({ ...LOCAL, folder: shipped, dimensions: 384 });
  const folder = model.startsWith('~/') ? join(userHome, model.slice(2)) : model;
  return leaseEmbedder({ ...LOCAL, folder, dimensions: null });
}

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 30 * 60_000;

/**
 * A server that failed is not called for one minute, then two, four …: it recovers by itself, and
 * nothing waits for it.
 */
function leaseEndpoint({ settings, env, signal, mono }: LeaseOptions): EmbedderLease {
  const lack = lackOf(settings, env);
  let failure: { reason: string; inRow: number; until: number } | null = null;
  const embedder = new EndpointEmbedder({
    url: settings.url,
    model: settings.model,
    key: settings.key_variable === '' ? null : (env[settings.key_variable] ?? null),
    ...useOf(settings.model),
    timeoutMs: ANSWER_MS,
    signal,
    answered: () => {
      failure = null;
    },
  });
  return {
    get: () =>
      Promise.resolve(
        lack === null && (failure === null || mono() >= failure.until) ? embedder : null,
      ),
    warm: () => undefined,
    problem: () => lack ?? (failure !== null && mono() < failure.until ? failure.reason : null),
    fail: (reason) => {
      const inRow = (failure?.inRow ?? 0) + 1;
      failure = {
        reason,
        inRow,
        until: mono() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (inRow - 1)),
      };
    },
    close: () => embedder.close(),
  };
}

function lackOf(
  { model, key_variable: variable }: EmbedSettings,
  env: LeaseOptions['env'],
): string | null {
  if (model === '') return 'embed.model is empty: name the model of the server at embed.url';
  if (variable !== '' && !env[variable])
    return `the environment variable ${variable} that embed.key_variable names is not set`;
  return null;
}
