import { expect } from 'vitest';

/** Looks again until it is so, for half a minute. */
export const soon = <T>(look: () => Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(look, { timeout: 30_000 });
