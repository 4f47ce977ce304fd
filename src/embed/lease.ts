/**
 * The embedding model that the configuration names: the shipped one, another folder, or a server.
 */
import { join } from 'node:path';
import { leaseEmbedder, Rest, type EmbedderLease } from './embedder.js';
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
  if (!enabled) return leaseEmbedder(null, options.mono);
  if (url !== '') return leaseEndpoint(options);
  if (model === '')
    return leaseEmbedder({ ...LOCAL, folder: shipped, dimensions: 384 }, options.mono);
  const folder = model.startsWith('~/') ? join(userHome, model.slice(2)) : model;
  return leaseEmbedder({ ...LOCAL, folder, dimensions: null }, options.mono);
}

function leaseEndpoint({ settings, env, signal, mono }: LeaseOptions): EmbedderLease {
  const lack = lackOf(settings, env);
  const rest = new Rest(mono);
  const embedder = new EndpointEmbedder({
    url: settings.url,
    model: settings.model,
    key: settings.key_variable === '' ? null : (env[settings.key_variable] ?? null),
    ...useOf(settings.model),
    timeoutMs: ANSWER_MS,
    signal,
    answered: () => rest.answered(),
  });
  return {
    get: () => Promise.resolve(lack === null && rest.isOver() ? embedder : null),
    warm: () => undefined,
    problem: () => lack ?? rest.reason(),
    fail: (reason) => rest.fail(reason),
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
