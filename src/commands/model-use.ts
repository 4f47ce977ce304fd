/** Writes the choice of a model into config.yaml; everything else in it stays. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { loadConfig, replaceGroup, type Config, type HomePaths } from '../config.js';
import { publishFile } from '../store/index.js';

type Choice = Partial<Config['llm']> & Pick<Config['llm'], 'provider'>;

/** What a choice replaces; caps and times are the person's. */
const CHOSEN = ['provider', 'model', 'url', 'key_variable', 'command'];

/** @throws AppError exit 13 when the config is invalid, before or after; it is then left as it was */
export const writeChoice = async (paths: HomePaths, choice: Choice): Promise<void> => {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  loadConfig(paths.config);
  const text = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : '';
  await publishFile(
    paths.config,
    replaceGroup(text, 'llm', (before) => ({
      ...choice,
      ...Object.fromEntries(Object.entries(before).filter(([key]) => !CHOSEN.includes(key))),
    })),
  );
};
