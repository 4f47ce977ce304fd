import type { Adapter } from '../types.js';
import { claudeCode } from './claude-code/index.js';

/** The agents whose logs are read. */
export const adapters: Adapter[] = [claudeCode];

export { splitGlued } from './glued.js';
