import type { Adapter } from '../types.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';
import { copilotCli } from './copilot-cli.js';
import { inbox } from './inbox.js';
import { opencode } from './opencode/index.js';

/** The agents whose logs are read. */
export const adapters: Adapter[] = [claudeCode, codex, copilotCli, opencode, inbox];

export { splitGlued } from './glued.js';
