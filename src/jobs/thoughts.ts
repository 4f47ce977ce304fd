/** The pure work that takes longer than a blink, by name: what the thinking thread does. Data in, data out. */
import { countTokens } from '../context/index.js';
import { distilStored } from './distil-stored.js';
import { renderFiles } from './render-files.js';
import { extractSession } from '../extract/index.js';

export const thoughts = {
  extract: extractSession,
  distil: distilStored,
  render: renderFiles,
  /** Tokens of each text. */
  count: (texts: readonly string[]): number[] => texts.map(countTokens),
};

export type Thoughts = typeof thoughts;
