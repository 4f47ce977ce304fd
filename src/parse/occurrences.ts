import type { Entry, Origin, Occurrence } from '../types.js';
import { nameKey, readable } from '../text/plain-names.js';
import { typedText } from '../text/typed-lines.js';
import { withoutOwnNotes } from './own-notes.js';
import type { SessionInput } from './session.js';
import {
  byFirstWord,
  shellTokens,
  textTokens,
  unescaped,
  unmarkedCommands,
} from './occurrences-tokens.js';

/** Text of one entry that is looked at: whole pages beyond this are not read for commands. */
const REACH = 60_000;
/** Most occurrences of one session by origin; the first ones are kept. */
const MOST: Record<Origin, number> = {
  external: 3000,
  injected: 3000,
  tool: 3000,
  agent: 2000,
  user: 2000,
};

/**
 * A repository's own instruction file, as an agent's program hands it over: no more foreign than a
 * file that a tool printed.
 */
const INSTRUCTIONS = /^\s*(?:# AGENTS\.md instructions\b|<user_instructions>)/;

/**
 * What another agent reports tells of pages that it read, too: what reaches out, and what is run
 * then, is no less foreign than from a tool.
 */
function isReport(entry: Entry): boolean {
  return entry.role === 'tool_result' && entry.origin === 'agent';
}

function originOf(entry: Entry): Origin {
  return entry.origin === 'injected' && entry.role === 'user' && INSTRUCTIONS.test(entry.text)
    ? 'tool'
    : entry.origin;
}

/** Commands of a session, by their first word. */
type Own = ReturnType<typeof byFirstWord>;

/**
 * What a text of others names: with a mark of code, and without one what reaches out or what the
 * session uses.
 * @param loose also whatever else reads like a command
 */
function tokensOfOthers(raw: string, own: Own, loose: boolean): string[] {
  const text = unescaped(raw);
  const plain = readable(text);
  return [
    ...textTokens(text, loose),
    ...(plain === text ? [] : textTokens(plain, loose)),
    ...unmarkedCommands(nameKey(plain), own),
  ];
}

function tokensOf(entry: Entry, origin: Origin, own: Own): string[] {
  if (origin === 'tool')
    return tokensOfOthers(withoutOwnNotes(entry.text.slice(0, REACH)), own, false);
  if (entry.role === 'tool_call')
    return entry.command === null
      ? textTokens(entry.text.slice(0, REACH), false)
      : shellTokens(entry.command);
  const text =
    entry.origin === 'injected'
      ? withoutOwnNotes(entry.text.slice(0, REACH))
      : entry.text.slice(0, REACH);
  return entry.origin === 'agent' ? textTokens(text, false) : tokensOfOthers(text, own, true);
}

/** Who named which token in an entry. Pasted text counts as a tool's, not as the person's. */
function sightsOf(entry: Entry, origin: Origin, own: Own): [Origin, string[]][] {
  if (isReport(entry))
    return [
      ['tool', unmarkedCommands(nameKey(readable(unescaped(entry.text.slice(0, REACH)))), own)],
      ['agent', tokensOf(entry, 'agent', own)],
    ];
  if (origin !== 'user') return [[origin, tokensOf(entry, origin, own)]];
  const text = withoutOwnNotes(entry.text.slice(0, REACH));
  const typed = textTokens(typedText(text), true);
  const isTyped = new Set(typed.map(nameKey));
  return [
    ['user', typed],
    [
      'tool',
      [
        ...textTokens(unescaped(text), false),
        ...unmarkedCommands(nameKey(readable(unescaped(text))), own).filter(
          (token) => !isTyped.has(nameKey(token)),
        ),
      ],
    ],
  ];
}

/** What the session's agent runs: only that can become a lesson by its outcome. */
function ownCommands(entries: readonly Entry[]): Own {
  const commands = new Set<string>();
  for (const { role, origin, command } of entries) {
    if (
      role !== 'tool_call' ||
      origin !== 'agent' ||
      command === null ||
      commands.size >= MOST.agent
    )
      continue;
    for (const token of shellTokens(command)) commands.add(nameKey(token));
  }
  return byFirstWord(commands);
}

/** A program that lies in the repository. */
const OWN_SCRIPT =
  /\.(?:sh|bash|zsh|fish|py|[cm]?[jt]s|rb|pl|php|ps1|lua)$|(?:^|\/)(?:bin|scripts?)\/[\w.-]+$/;

/**
 * Scripts of the repository that an entry's call read or edited, as `own ./path`: they are the
 * project's, whoever names them.
 */
function ownScripts(entry: Entry, folders: readonly string[]): string[] {
  if (entry.role !== 'tool_call' || entry.command !== null) return [];
  return entry.files.flatMap((file) => {
    const folder = folders.find((each) => file.startsWith(`${each}/`));
    return folder !== undefined && OWN_SCRIPT.test(file)
      ? [`own ./${file.slice(folder.length + 1)}`]
      : [];
  });
}

/**
 * First sight of each command, package and URL in a session, per origin. Copied entries count too:
 * what they say was seen.
 * @returns ordered by time and token
 */
export function collectOccurrences(session: SessionInput): Occurrence[] {
  const first = new Map<string, Occurrence>();
  const counts: Record<Origin, number> = { external: 0, injected: 0, tool: 0, agent: 0, user: 0 };
  const own = ownCommands(session.entries);
  let last = '1970-01-01T00:00:00.000Z';
  for (const entry of session.entries) {
    last = entry.time ?? last;
    for (const [origin, tokens] of [
      ...sightsOf(entry, originOf(entry), own),
      ['tool', ownScripts(entry, session.project.folders)] as const,
    ]) {
      for (const name of tokens) {
        const token = name.startsWith('own ') ? name : nameKey(name);
        const key = `${origin}\u0000${token}`;
        if (first.has(key) || counts[origin] >= MOST[origin]) continue;
        counts[origin] += 1;
        first.set(key, { token, origin, time: last, seq: entry.seq });
      }
    }
  }
  return [...first.values()].sort((a, b) =>
    a.time < b.time
      ? -1
      : a.time > b.time
        ? 1
        : a.token < b.token
          ? -1
          : a.token > b.token
            ? 1
            : a.origin < b.origin
              ? -1
              : 1,
  );
}
