import type { Adapter } from '../types.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';

/** The agents whose logs are read. */
export const adapters: Adapter[] = [claudeCode, codex];

export { splitGlued } from './glued.js';
