/**
 * What came in from outside is not learnt until the user types it. A command, package or URL whose first sight is external or injected
 * text is withheld; one that a local tool's output brought may be learnt by outcome, unless it would fetch something from the network.
 */

import type { Candidate, Lesson, Origin, Sighting } from '../types.js';
import { codeSpans } from './wording.js';

/** Where a token first showed, and whether the user ever typed it. */
interface First {
  time: string;
  origin: Origin;
  typed: boolean;
}

/** Of two origins at one time the less trusted one is taken for the first. */
const DISTRUST: Readonly<Record<Origin, number>> = { external: 4, injected: 3, tool: 2, agent: 1, user: 0 };

const PIPED_INTO_SHELL = /(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^\n]*\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|iex|pwsh)\b/i;
const REMOTE_SCRIPT = /(?:\b(?:ba|z)?sh|source|eval|\.)\s+[<"'$(]*\(?\s*(?:curl|wget)\b|\b(?:deno|bun|python3?|node|go)\s+(?:run\s+)?(?:\S+\s+)*https?:|\b(?:iex|invoke-expression)\b/i;
const URL = /^(?:https?|ftp|git|ssh):\/\/|^git@/i;
const URL_IN_TEXT = /\b(?:https?|ftp):\/\/[^\s`'")>\]]+/gi;
const FETCH_AND_RUN =
  /\b(?:npx|bunx|uvx|pipx\s+run|(?:pnpm|yarn)\s+dlx|npm\s+exec|bun\s+x|docker\s+(?:run|pull)|git\s+clone|go\s+run\s+\S+@\S+)\s+(?:-{1,2}[\w-]+\s+)*([^\s-]\S*)/i;
const INSTALL =
  /\b(?:(?:npm|pnpm|bun|yarn)\s+(?:global\s+)?(?:install|i|add)|(?:uv\s+)?pip3?\s+install|uv\s+(?:add|tool\s+install)|poetry\s+add|pipx\s+install|cargo\s+(?:install|add)|gem\s+install|go\s+(?:install|get)|brew\s+(?:install|tap)|(?:apt|apt-get|dnf|yum|pacman|apk|snap)\s+(?:install|add|-S)|composer\s+require|dotnet\s+add\s+package|code\s+--install-extension)\s+(.+)/i;

const bareName = (pkg: string): string => pkg.replace(/^["']|["']$/g, '').replace(/(.)@[^/]*$/, '$1').replace(/[=<>~!^[].*$/, '').toLowerCase();

/** Package arguments of an install: no flags, no local paths, no requirement files. */
const packagesOf = (rest: string): string[] => {
  const words = rest.split(/&&|\|\||[;|]/)[0]!.trim().split(/\s+/);
  return words.filter((w, i) => w !== '' && !w.startsWith('-') && !/^(?:\.{0,2}\/|\.$)/.test(w) && !/^(?:-r|--requirement|-e|--editable)$/.test(words[i - 1] ?? ''));
};

/** Would this command, package or URL bring something from the network that the project's manifests do not name? */
export function bringsFromNetwork(token: string, packages: ReadonlySet<string> = new Set()): boolean {
  if (URL.test(token) || PIPED_INTO_SHELL.test(token) || REMOTE_SCRIPT.test(token)) return true;
  const run = FETCH_AND_RUN.exec(token)?.[1];
  if (run !== undefined) return !packages.has(bareName(run));
  const installed = INSTALL.exec(token)?.[1];
  return installed !== undefined && packagesOf(installed).some((p) => !packages.has(bareName(p)));
}

/** First sight of every token, whatever order the sightings come in. */
export function firstSights(sightings: readonly Sighting[]): Map<string, First> {
  const first = new Map<string, First>();
  for (const s of sightings) {
    const old = first.get(s.token);
    const typed = s.origin === 'user' || (old?.typed ?? false);
    const earlier = !old || s.time < old.time || (s.time === old.time && DISTRUST[s.origin] > DISTRUST[old.origin]);
    first.set(s.token, earlier ? { time: s.time, origin: s.origin, typed } : { ...old, typed });
  }
  return first;
}

/** Is this one token withheld? Tokens never seen anywhere are not. */
function isTainted(token: string, first: ReadonlyMap<string, First>, packages?: ReadonlySet<string>): boolean {
  const seen = first.get(token);
  if (!seen || seen.typed) return false;
  if (seen.origin === 'external' || seen.origin === 'injected') return true;
  return seen.origin === 'tool' && bringsFromNetwork(token, packages);
}

const tokensOfText = (text: string): string[] => [...codeSpans(text), ...(text.match(URL_IN_TEXT) ?? [])];

/** Candidates that bring nothing tainted in; the text's own code spans and URLs count as well as what the extractor listed. */
export function withoutTainted(candidates: readonly Candidate[], first: ReadonlyMap<string, First>, packages?: ReadonlySet<string>): Candidate[] {
  return candidates.filter((c) => ![...c.mentions, ...tokensOfText(c.text)].some((t) => isTainted(t, first, packages)));
}

/** The same for lessons that the crystal remembers: a log read later may show where a command really came from. */
export function withoutTaintedLessons(lessons: readonly Lesson[], first: ReadonlyMap<string, First>, packages?: ReadonlySet<string>): Lesson[] {
  return lessons.filter((l) => !tokensOfText(l.text).some((t) => isTainted(t, first, packages)));
}
