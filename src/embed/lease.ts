/**
 * Opens the embedding model that the configuration names: the shipped one, another folder, or a
 * server.
 */
import { join } from 'node:path';
import { createEmbedder, leaseEmbedder, type EmbedderLease } from './embedder.js';
import { EndpointEmbedder } from './endpoint.js';
import { useOf } from './model-use.js';

/** The part of the configuration's `embed` group that this module needs. */
export interface EmbedSettings {
  enabled: boolean;
  model: string;
  url: string;
  key_variable: string;
}

/** One thread keeps a laptop quiet. */
const LOCAL = {
  threads: 1,
  memoryCapBytes: 600 * 1024 * 1024,
  recycleTexts: 20_000,
  idleMs: 60_000,
  textTimeoutMs: 30_000,
};
/** Time limit for one answer of a server; `EndpointEmbedder` has a shorter one for questions. */
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

export function leaseModel({
  settings,
  shipped,
  userHome,
  env,
  signal,
  mono,
}: LeaseOptions): EmbedderLease {
  const { enabled, model, url, key_variable: variable } = settings;
  if (url === '' || !enabled) {
    const lack = enabled ? null : 'embedding is switched off (embed.enabled)';
    const named = model.startsWith('~/') ? join(userHome, model.slice(2)) : model;
    const which =
      model === '' ? { folder: shipped, dimensions: 384 } : { folder: named, dimensions: null };
    return leaseEmbedder(
      (when, answered) => createEmbedder({ ...LOCAL, ...which, answered }, when),
      lack,
      mono,
    );
  }
  const key = variable === '' ? null : (env[variable] ?? null);
  const server = { url, model, key, ...useOf(model), timeoutMs: ANSWER_MS, signal };
  return leaseEmbedder(
    (_, answered) => Promise.resolve(new EndpointEmbedder({ ...server, answered })),
    lackOf(settings, env),
    mono,
  );
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
