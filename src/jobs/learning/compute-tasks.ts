/** The tasks of the compute thread by name: pure work that would block the main thread. Data in, data out. */
import { countTokens } from '../../context/index.js';
import type { Weights } from '../../judge/index.js';
import { askedStored, distilStored, withheldStored } from './distil-stored.js';
import { readJudgeWeights } from './judge-weights.js';
import { renderFiles } from '../publishing/render-files.js';
import { extractSession, type SessionInput } from '../../extract/index.js';

let weights: Weights | undefined;

export const computeTasks = {
  /** The judge's weights are read once in the thread's life. */
  extract: (session: SessionInput): ReturnType<typeof extractSession> =>
    extractSession({ ...session, judge: (weights ??= readJudgeWeights()) }),
  asked: askedStored,
  distil: distilStored,
  withheld: withheldStored,
  render: renderFiles,
  /** Tokens of each text. */
  count: (texts: readonly string[]): number[] => texts.map(countTokens),
};

export type ComputeTasks = typeof computeTasks;
