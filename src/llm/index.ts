import { openAnthropic, openOpenAi } from './http.js';
import { openCommand } from './command.js';
import { ModelError, type LanguageModel } from './model.js';
export { findPrograms, findServers, isOnPath, programIn, type FoundServer } from './find.js';
export { type KnownProgram } from './find.js';
export { hostOf, isOnThisMachine } from './http.js';
export { ModelError, type LanguageModel, type ModelAnswer } from './model.js';
export { MONTHLY_DAYS, planAsk, restUntil, spendingSince, type AskPlan } from './spending.js';

/** The `llm` group of the configuration. */
export interface ModelSettings {
  provider: 'off' | 'openai' | 'anthropic' | 'command';
  model: string;
  url: string;
  key_variable: string;
  command: string[];
}

const ANTHROPIC = 'https://api.anthropic.com';
const OPENAI = 'https://api.openai.com/v1';

/**
 * The model that the configuration names; null if models are off. Nothing is called yet.
 * @param folder where programs run
 * @throws ModelError `refused` if a setting is missing; the message names the setting
 */
export function openModel(
  settings: ModelSettings,
  env: Record<string, string | undefined>,
  folder: string,
): LanguageModel | null {
  const { provider, model, url, key_variable: variable, command } = settings;
  if (provider === 'off') return null;
  if (provider === 'command') {
    if (command.length === 0)
      throw new ModelError('refused', 'llm.command is empty: name the program, e.g. ["llm"]');
    return openCommand(command, folder, env);
  }
  if (model === '') throw new ModelError('refused', 'llm.model is empty: name the model');
  const key = variable === '' ? null : (env[variable] ?? null);
  if (variable !== '' && (key === null || key === ''))
    throw new ModelError(
      'refused',
      `the environment variable ${variable} that llm.key_variable names is not set`,
    );
  if (provider === 'openai') return openOpenAi(url || OPENAI, model, key);
  if (key === null)
    throw new ModelError(
      'refused',
      'llm.key_variable is empty: name the environment variable with the key',
    );
  return openAnthropic(url || ANTHROPIC, model, key);
}
