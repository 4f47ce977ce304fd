import type { LogPlace } from '../../types.js';
import { agent, type Agent } from '../engine.js';
import { isoTime } from '../../text/fields.js';
import { AGENT } from './calls.js';
import { eventsOf } from './records.js';
import { beginPiece, isCopied, isImported, type More, START, starterOf, timeOf } from './turns.js';

/** Active logs by local day; archived ones are in one flat folder. */
function placesOf(env: string | null, root: string): LogPlace[] {
  const globs = ['**/rollout-*.jsonl', '**/rollout-*.jsonl.zst'];
  return ['sessions', 'archived_sessions'].map((under) => ({ env, root, under, globs }));
}

/** The session's id in the name of a log, in any folder. */
const SESSION = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=[^/]*$)/;

const family = {
  // Each call shows whether its result is external.
  ownTools: /^/,
  agentTools: AGENT,
  tags: null,
  repeats: true,
  more: START,
  begin({ relative }) {
    const scope = SESSION.exec(relative)?.[0] ?? null;
    return { more: { ...START, scope, isOpen: scope !== null } };
  },
  read(record, { calls, more }) {
    const now = Object.assign({}, more);
    if (now.isOpen && record.type !== 'session_meta') beginPiece(now, record);
    let events = eventsOf(now, record, calls);
    if (isImported(now)) events = events.filter(({ is }) => is === 'session');
    // Copied turns belong to the parent, so that the order of reading fork and parent does not
    // matter.
    if (now.turn !== more.turn && now.session !== null && !isCopied(now)) {
      if (now.telling !== now.session) events.push({ is: 'session', session: now.session });
      now.telling = now.session;
    }
    if (events.length === 0) return { events, more: now };
    const { cwd, branch } = now;
    const time = timeOf(now, isoTime(record.timestamp));
    return { events, more: now, at: { time, cwd, branch, child: starterOf(now).subagent } };
  },
} satisfies Partial<Agent<More>>;

/** Codex's session logs; docs/formats.md describes the format. */
export const codex = agent<More>({
  ...family,
  agent: 'codex',
  title: 'Codex',
  places: placesOf('CODEX_HOME', '.codex'),
});

/**
 * TRAE CLI 2, which keeps its sessions as Codex does (observed in real logs by kenn-io/agentsview,
 * `docs/internal/session-format-sources.md`); not tested on real logs here.
 */
export const trae = agent<More>({
  ...family,
  agent: 'trae',
  title: 'TRAE CLI',
  unproven: true,
  places: placesOf(null, '.trae/cli'),
});
