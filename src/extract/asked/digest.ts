/**
 * What a model is shown of a session: typed prompts whole, commands with their outcome, errors, conclusions. No file content,
 * nothing foreign.
 */
import type { Entry } from '../../types.js';
import { estimateTokens } from './prompt.js';

/** One line of a digest, and the entry that it shows. */
export interface DigestLine {
  entry: Entry;
  text: string;
}

/** A part of a session that fits one call. */
export interface DigestPart {
  lines: DigestLine[];
  /** `seq` of the session's last entry that this part and those before it cover. */
  upTo: number;
}

interface DigestLimits {
  /** Most tokens of the whole digest. */
  sessionTokens: number;
  /** Most tokens of one part. */
  partTokens: number;
}

/** What a line is worth when not all fit: typed words first, then what failed, then what the agent concluded. */
type Rank = 0 | 1 | 2 | 3 | 4;

interface Ranked extends DigestLine {
  rank: Rank;
  tokens: number;
}

const PROMPT_CHARS = 6000;
const FINAL_CHARS = 2000;
const TALK_CHARS = 400;
const COMMAND_CHARS = 300;
const ERROR_CHARS = 300;

/**
 * Parts of a session in the order of the log.
 * @param entries of one session, in order; those that another session said first are left out
 * @param after only entries with a higher `seq`
 */
export function planDigest(entries: readonly Entry[], limits: DigestLimits, after = -1): DigestPart[] {
  const fresh = entries.filter((entry) => entry.seq > after && !entry.copied);
  const end = fresh.at(-1)?.seq ?? after;
  const parts = split(
    choose(
      fresh.flatMap((entry) => toLine(entry, entries)),
      limits.sessionTokens,
    ),
    limits.partTokens,
  );
  return parts.map((lines, index) => ({ lines, upTo: index === parts.length - 1 ? end : lines.at(-1)!.entry.seq }));
}

/** How a part is written into a prompt: `[3] user: …`, one line or block each. */
export function renderDigest(part: Pick<DigestPart, 'lines'>): string {
  return part.lines.map(({ text }, index) => `[${index + 1}] ${text}`).join('\n');
}

function toLine(entry: Entry, all: readonly Entry[]): Ranked[] {
  const line = describe(entry, all);
  return line === null ? [] : [{ entry, text: line.text, rank: line.rank, tokens: estimateTokens(line.text) + 4 }];
}

function describe(entry: Entry, all: readonly Entry[]): { text: string; rank: Rank } | null {
  if (entry.role === 'user' && entry.origin === 'user') {
    const text = clip(entry.text.trim(), PROMPT_CHARS);
    return text === '' ? null : { text: `user: ${text}`, rank: 0 };
  }
  if (entry.role === 'assistant' && entry.origin === 'agent') return describeTalk(entry);
  if (entry.role === 'tool_call') return describeCall(entry, all);
  return null;
}

function describeTalk(entry: Entry): { text: string; rank: Rank } | null {
  const isFinal = entry.marks.includes('final');
  const text = clip(withoutBlocks(entry.text), isFinal ? FINAL_CHARS : TALK_CHARS);
  return text.length < 20 ? null : { text: `agent: ${text}`, rank: isFinal ? 2 : 4 };
}

function describeCall(entry: Entry, all: readonly Entry[]): { text: string; rank: Rank } | null {
  if (entry.command === null)
    return entry.files.length > 0 && /^[+-]/m.test(entry.text)
      ? { text: `edited: ${entry.files.slice(0, 3).join(', ')}`, rank: 4 }
      : null;
  const result = entry.call === null ? undefined : all.find((one) => one.role === 'tool_result' && one.call === entry.call);
  const outcome = result?.outcome ?? null;
  const ran = `ran: ${clip(oneLine(entry.command), COMMAND_CHARS)}`;
  if (outcome === null) return { text: ran, rank: 4 };
  if (outcome === 'ok') return { text: `${ran} -> ok`, rank: 3 };
  const error = result?.error ? `: ${clip(oneLine(result.error), ERROR_CHARS)}` : '';
  return { text: `${ran} -> ${outcome}${result?.exit != null ? ` (exit ${result.exit})` : ''}${error}`, rank: 1 };
}

/** File contents and long listings stand in code blocks. */
function withoutBlocks(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

/** The most valuable lines that fit, in their order; of one rank later ones are preferred, since they show how it ended. */
function choose(lines: readonly Ranked[], tokens: number): Ranked[] {
  const kept = new Set<Ranked>();
  let left = tokens;
  for (const line of [...lines].sort((a, b) => a.rank - b.rank || b.entry.seq - a.entry.seq)) {
    if (line.tokens > left) continue;
    left -= line.tokens;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}

/** Parts within the window; a new one begins where the user speaks, when the last is half full. */
function split(lines: readonly Ranked[], tokens: number): Ranked[][] {
  const parts: Ranked[][] = [];
  let used = 0;
  for (const line of lines) {
    const turns = line.rank === 0 && used > tokens / 2;
    if (parts.length === 0 || turns || used + line.tokens > tokens) {
      parts.push([]);
      used = 0;
    }
    parts.at(-1)!.push(line);
    used += line.tokens;
  }
  return parts;
}
