/** Writes the choice of a model into config.yaml; everything else in it stays. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { loadConfig, withGroup, type Config, type HomePaths } from '../config.js';
import { publishFile } from '../store/index.js';

type Choice = Partial<Config['llm']> & Pick<Config['llm'], 'provider'>;

/** What a choice replaces; caps and times are the person's. */
const CHOSEN = ['provider', 'model', 'url', 'key_variable', 'command'];

export const writeChoice = async (paths: HomePaths, choice: Choice): Promise<void> => {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  const text = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : '';
  const before = ((parse(text) as { llm?: Record<string, unknown> } | null)?.llm ?? {}) as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !CHOSEN.includes(key)));
  await publishFile(paths.config, withGroup(text, 'llm', { ...choice, ...kept }));
  loadConfig(paths.config);
};
