/**
 * The embedding model that the configuration names: the shipped one, another folder, or a server.
 */
import { join } from 'node:path';
import type { Embedder, ModelOrigin } from '../types.js';
import {
  createEmbedder,
  leaseEmbedder,
  type EmbedderLease,
  type EmbedderOptions,
} from './embedder.js';
import { EndpointEmbedder } from './endpoint.js';

/** The part of the configuration's `embed` group that this module needs. */
export interface EmbedSettings {
  enabled: boolean;
  model: string;
  url: string;
  key_variable: string;
  pooling: ModelOrigin['pooling'];
  document_prefix: string;
  query_prefix: string;
  timeout_seconds: number;
  threads: number;
  memory_cap_mib: number;
  idle_seconds: number;
}

export interface LeaseOptions {
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
  const { settings, shipped: folder } = options;
  if (!settings.enabled) return leaseEmbedder(null);
  const shipped = leaseEmbedder({ ...localOptions(settings, folder), dimensions: 384 });
  const named = namedModel(options, shipped);
  const past = new Map<string, Promise<Embedder | null>>();
  return {
    get: () => named.get(),
    warm: () => named.warm(),
    problem: () => named.problem(),
    fail: (reason) => named.fail(reason),
    of: async (fingerprint, origin) => {
      const own = await shipped.get();
      if (own?.fingerprint === fingerprint) return own;
      if (!isOrigin(origin)) return null;
      if (!past.has(fingerprint)) past.set(fingerprint, openPast(settings, fingerprint, origin));
      return past.get(fingerprint)!;
    },
    ...(named === shipped ? {} : { lessons: shipped }),
    close: async () => {
      for (const each of past.values()) await (await each)?.close();
      await named.close();
      if (named !== shipped) await shipped.close();
    },
  };
}

function namedModel(options: LeaseOptions, shipped: EmbedderLease): EmbedderLease {
  const { settings, userHome } = options;
  const { model, url, pooling, document_prefix, query_prefix } = settings;
  if (url !== '') return leaseEndpoint(options);
  const how = { pooling, document_prefix, query_prefix };
  const isAsShipped = pooling === 'auto' && document_prefix === '' && query_prefix === '';
  if (model === '')
    return isAsShipped
      ? shipped
      : leaseEmbedder({ ...localOptions(settings, options.shipped), how });
  const folder = model.startsWith('~/') ? join(userHome, model.slice(2)) : model;
  return leaseEmbedder({ ...localOptions(settings, folder), how });
}

function localOptions(settings: EmbedSettings, folder: string): EmbedderOptions {
  return {
    folder,
    dimensions: null,
    threads: settings.threads,
    memoryCapBytes: settings.memory_cap_mib * 1024 * 1024,
    recycleTexts: 20_000,
    idleMs: settings.idle_seconds * 1000,
    textTimeoutMs: 30_000,
  };
}

function isOrigin(value: unknown): value is ModelOrigin {
  return typeof (value as ModelOrigin | null)?.folder === 'string';
}

/** The files may have disappeared or changed. */
async function openPast(
  settings: EmbedSettings,
  fingerprint: string,
  { folder, ...how }: ModelOrigin,
): Promise<Embedder | null> {
  try {
    const embedder = await createEmbedder({ ...localOptions(settings, folder), how });
    if (embedder.fingerprint === fingerprint) return embedder;
    await embedder.close();
    return null;
  } catch {
    return null;
  }
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
    documentPrefix: settings.document_prefix,
    queryPrefix: settings.query_prefix,
    timeoutMs: settings.timeout_seconds * 1000,
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
