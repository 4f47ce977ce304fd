/** The tasks of the compute thread by name: pure work that would block the main thread. Data in, data out. */
import { countTokens } from '../../context/index.js';
import { askedStored, distilStored, reformStored, withheldStored } from './distil-stored.js';
import { renderFiles } from '../publishing/render-files.js';
import { extractSession } from '../../parse/index.js';

export const computeTasks = {
  extract: extractSession,
  asked: askedStored,
  distil: distilStored,
  reform: reformStored,
  withheld: withheldStored,
  render: renderFiles,
  /** Tokens of each text. */
  count: (texts: readonly string[]): number[] => texts.map(countTokens),
};

export type ComputeTasks = typeof computeTasks;
