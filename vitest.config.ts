import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Files share a worker's modules: loading them anew for each file took more processor time than most files' tests.
    isolate: false,
    maxWorkers: 2,
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/own-home.ts'],
    // Only what hangs is cut short: a slow machine must not fail a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 500_000, interval: 50 } },
  },
});
