import type { Adapter } from '../types.js';
import { aider } from './aider.js';
import { antigravity } from './antigravity.js';
import { droid } from './droid.js';
import { grok } from './grok.js';
import { vibe } from './vibe.js';
import { claudeCode, openClaude } from './claude-code/index.js';
import { cline, kilo, roo } from './cline.js';
import { codex, trae } from './codex/index.js';
import { continueDev } from './continue.js';
import { copilotCli } from './copilot-cli.js';
import { crush } from './crush.js';
import { cursor } from './cursor.js';
import { geminiCli } from './gemini.js';
import { qwenCode } from './qwen.js';
import { generic } from './generic.js';
import { goose } from './goose.js';
import { inbox } from './inbox.js';
import { kimi } from './kimi.js';
import { mimoCode, opencode } from './opencode/index.js';
import { openhands } from './openhands.js';
import { omp, openclaw, pi } from './pi.js';
import { specstory } from './specstory.js';
import { vscodeCopilot } from './vscode-copilot.js';

/** The agents whose logs are read. */
export const adapters: Adapter[] = [
  claudeCode,
  codex,
  opencode,
  vscodeCopilot,
  copilotCli,
  aider,
  cline,
  continueDev,
  cursor,
  droid,
  geminiCli,
  kilo,
  omp,
  openclaw,
  pi,
  qwenCode,
  crush,
  openhands,
  kimi,
  specstory,
  goose,
  antigravity,
  roo,
  grok,
  vibe,
  trae,
  openClaude,
  mimoCode,
  generic,
  inbox,
];
