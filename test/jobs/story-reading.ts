/** Reads a story on a stage of its own and gives what is published at the end. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../src/app.js';
import { runAll, type RunOptions } from '../../src/jobs/loop.js';
import { type Stage, setStage } from '../stage.js';
import type { Log, Plan } from './stories.js';

/** Published path -> bytes, of tiers unpacked; what a person owns stays out. */
export function published(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    ['projects', 'global']
      .flatMap((top) =>
        existsSync(join(stage.stone, top))
          ? readdirSync(join(stage.stone, top), { recursive: true, encoding: 'utf8' }).map((name) =>
              join(top, name),
            )
          : [],
      )
      .filter(
        (name) =>
          statSync(join(stage.stone, name)).isFile() &&
          /(?:(?:context|detail\/\w+|episodes\/[\d-]+)\.md|crystal\.json|\/20[\w-]+\.jsonl\.gz)$/.test(
            name,
          ),
      )
      .sort()
      .map((name) => [
        name,
        name.endsWith('.gz')
          ? gunzipSync(readFileSync(join(stage.stone, name)))
              .toString('utf8')
              .replaceAll(stage.home, '~')
          : stage.read(name),
      ]),
  );
}

const NOW = '2026-12-01T12:00:00Z';
/** What a night does; a repeated run writes crystals no more when the night is done. */
const NIGHT: RunOptions = { only: ['extract', 'rollup', 'decay', 'crystallize', 'context'] };

/** One app reads all steps of the plan: its threads start once. */
export async function readStory(logs: readonly Log[], plan: Plan): Promise<Record<string, string>> {
  const stage = setStage({ now: NOW });
  await using app = await createApp({ ...stage.io(), access: 'write' });
  const run = async (options: RunOptions): Promise<void> => {
    const { errors } = await runAll(app, options);
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
  };
  for (const step of plan) {
    for (const { path, lines } of logs)
      if (step.has(path))
        stage.put(
          path,
          lines
            .slice(0, step.get(path))
            .map((line) => `${line}\n`)
            .join(''),
        );
    await run({});
  }
  await run(NIGHT);
  return published(stage);
}
