import { ModelError, openModel, type LanguageModel } from '../llm/index.js';
import type { JobContext } from './job.js';

/** The model that config.yaml names: null when it is off, or when something of it is missing, which `problem` tells. */
export const modelOf = ({
  config,
  env,
  paths,
}: Pick<JobContext, 'config' | 'env' | 'paths'>): { model: LanguageModel | null; problem: string | null } => {
  try {
    return { model: openModel(config.llm, env, paths.llm), problem: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { model: null, problem: error.message };
  }
};
