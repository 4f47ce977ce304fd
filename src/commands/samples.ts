/** Shows what dripstone does when there is nothing to read: runs the shipped sample sessions in a throw-away home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.js';
import { EXIT, type ExitCode } from '../errors.js';
import { runAll } from '../jobs/run-all.js';
import { summarise } from '../jobs/summary.js';
import { shippedFile } from '../place.js';
import { readContext } from '../recall/context-file.js';
import { loadProjects } from '../store/index.js';
import type { Io } from './command.js';
import { renderSummary } from './summary-text.js';

/** The home folder that ships with the package. */
const sampleHome = (): string => shippedFile('test/samples/home');

export const runSamples = async (io: Io): Promise<ExitCode> => {
  const home = mkdtempSync(join(tmpdir(), 'dripstone-samples-'));
  try {
    io.out('\nHere is what the shipped sample sessions give, in a throw-away home:\n\n');
    await using app = await createApp({ ...io, env: { HOME: sampleHome(), DRIPSTONE_HOME: home }, access: 'write', hurry: true });
    const report = await runAll(app, {});
    io.out(
      renderSummary(await summarise(app, report))
        .split('\nnext:')[0]!
        .trimEnd(),
    );
    const [first] = await app.store.read((db) => loadProjects(db));
    if (first) io.out(`\n\n${readContext(app.paths, first).text}`);
    io.out('\nThe throw-away home is removed now. Work with an agent, then type `make run` again.\n');
    return EXIT.done;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
