import type { Entry } from '../types.js';
import { addedLines, codeComments, commitMessages } from './conclusions-written.js';

/** Where an agent's sentence stood. `rules`: a memory or instruction file; `turning`: between a failure and its cure. */
export type Source = 'rules' | 'final' | 'turning' | 'comment' | 'commit' | 'request' | 'document' | 'plan' | 'talk';

/** A text of the agent's own that may hold conclusions. */
export interface AgentText {
  entry: Entry;
  source: Source;
  text: string;
}

const RULES_FILE = /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|QWEN|MEMORY|CONVENTIONS|CONTRIBUTING|LESSONS|copilot-instructions|\.(?:cursor|windsurf|cline|goose)rules)(?:\.md|\.mdc)?$|(?:^|\/)(?:memory|memories|\.cursor\/rules|\.claude\/rules|\.clinerules|\.serena\/memories|\.remember)\/[^/]+\.(?:md|mdc|txt)$/i;
const PLAN_FILE = /(?:^|\/)(?:\.claude\/)?plans?\/[^/]+\.md$|(?:^|\/)(?:PLAN|TODO|tasks?|ROADMAP|HANDOFF|PROGRESS|SUMMARY)[\w-]*\.md$/i;
const PROSE_FILE = /\.(?:md|mdx|rst|txt|adoc)$/i;
const GENERATED = /(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|release[-_ ]notes)\b|\.(?:lock|snap|svg|min\.\w+)$/i;

/** Whether a path is a file that agents and people keep rules or memories in. */
function isRulesFile(path: string): boolean {
  return RULES_FILE.test(path);
}

/** Every text in which the agent may have concluded something, in order. Entries must be in order. */
export function agentTexts(entries: Entry[]): AgentText[] {
  const out: AgentText[] = [];
  let failedAt = -Infinity;
  entries.forEach((entry, place) => {
    if (entry.role === 'tool_result' && entry.outcome === 'failed') failedAt = place;
    if (entry.copied || entry.origin !== 'agent') return;
    if (entry.role === 'assistant') out.push({ entry, source: entry.marks.includes('plan') ? 'plan' : entry.marks.includes('final') || endsTurn(entries, place) ? 'final' : place - failedAt <= 8 ? 'turning' : 'talk', text: entry.text });
    if (entry.role === 'tool_call') out.push(...writtenTexts(entry));
  });
  return out;
}

/** The agent's text is the last thing before the person speaks again or the log ends. */
function endsTurn(entries: Entry[], place: number): boolean {
  for (let next = place + 1; next < entries.length; next += 1) {
    const entry = entries[next] as Entry;
    if (entry.role === 'user' && entry.origin === 'user') return true;
    if (entry.role === 'tool_call' || entry.role === 'assistant') return false;
  }
  return true;
}

function writtenTexts(entry: Entry): AgentText[] {
  if (entry.marks.includes('plan')) return [{ entry, source: 'plan', text: entry.text }];
  if (entry.command !== null) return commitMessages(entry.command).map(({ source, text }) => ({ entry, source, text }));
  const path = entry.files[0];
  if (!path || GENERATED.test(path)) return [];
  const added = addedLines(entry.text, path, /write|create/i.test(entry.tool ?? ''));
  if (added === '') return [];
  if (isRulesFile(path)) return [{ entry, source: 'rules', text: added }];
  if (PLAN_FILE.test(path)) return [{ entry, source: 'plan', text: added }];
  if (PROSE_FILE.test(path)) return [{ entry, source: 'document', text: added }];
  const comments = codeComments(added);
  return comments === '' ? [] : [{ entry, source: 'comment', text: comments }];
}
