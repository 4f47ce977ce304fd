/** The embedder when it is needed, or the reason why there is none: without a model search works by words alone. */
import { messageOf } from '../errors.js';
import type { Embedder } from '../types.js';
import { createEmbedder, type EmbedderOptions } from './embedder.js';

export interface EmbedderLease {
  /** The embedder, made at the first call; null when the model is off, missing, damaged or does not load. */
  get(): Promise<Embedder | null>;
  /** A text will come soon: the model loads in its process while this one does something else. */
  warm(): void;
  /** Why `get` gave null, or null. */
  problem(): string | null;
  /** The model broke while it worked: from now on there is none in this process. */
  fail(reason: string): void;
  close(): Promise<void>;
}

/** @param options null when embedding is switched off */
export function leaseEmbedder(options: EmbedderOptions | null): EmbedderLease {
  let made: Promise<Embedder | null> | null = null;
  let problem: string | null = options === null ? 'embedding is switched off (embed.enabled)' : null;
  const make = async (when: 'first text' | 'now'): Promise<Embedder | null> => {
    if (options === null) return null;
    try {
      return await createEmbedder(options, when);
    } catch (error) {
      problem = messageOf(error);
      return null;
    }
  };
  return {
    get: async () => {
      const embedder = await (made ??= make('first text'));
      return problem === null ? embedder : null;
    },
    warm: () => void (made ??= make('now')),
    problem: () => problem,
    fail: (reason) => {
      problem ??= reason;
    },
    close: async () => {
      await (await made)?.close();
    },
  };
}
