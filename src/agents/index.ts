import type { Adapter } from '../types.js';
import { aider } from './aider.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';
import { cursor } from './cursor/index.js';
import { inbox } from './inbox.js';
import { opencode } from './opencode/index.js';
import { vscodeCopilot } from './vscode-copilot/index.js';

/** The agents whose logs are read. */
export const adapters: Adapter[] = [aider, claudeCode, codex, cursor, opencode, vscodeCopilot, inbox];

export { splitGlued } from './glued.js';
