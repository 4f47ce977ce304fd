import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests that play whole runs and daemons, dearest first. They begin first, so that the workers end
 * together.
 */
const DEAREST = [
  'long/purge',
  'long/reading-order',
  'long/',
  'ui/',
  'faults/kill',
  'faults/',
  'e2e/',
  'hooks/guard',
  'docs/cli',
  'docs/',
  'jobs/',
  'commands/',
  'store/',
  'context/render',
];

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = DEAREST.findIndex((part) => moduleId.includes(`/test/${part}`));
      return place < 0 ? DEAREST.length : place;
    };
    return Promise.resolve(
      [...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)),
    );
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Files share a worker's modules: loading them anew for each file took more processor time than
    // most files' tests.
    isolate: false,
    // One more than the two cores that are counted on: a quarter of the time some test waits for a
    // process, a lock or the clock.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/own-home.ts'],
    // Only what hangs is cut short: a slow machine must not fail a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 500_000, interval: 50 } },
  },
});
