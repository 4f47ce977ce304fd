import type { Adapter, LogRecord, LogPlace } from '../../types.js';
import { type PiState, startState, stepEntry } from './entry.js';

/** Pi; docs/formats.md describes the format and its relatives. */
export const pi: Adapter<PiState> = family('pi', 'Pi', [
  { env: 'PI_CODING_AGENT_DIR', root: '.pi/agent', under: 'sessions', globs: ['**/*.jsonl'] },
]);

/** Oh My Pi. */
export const omp: Adapter<PiState> = family('omp', 'Oh My Pi', [
  { env: null, root: '.omp/agent', under: 'sessions', globs: ['**/*.jsonl'] },
]);

/**
 * Pi's lines until 2026.7, then the same records as rows of a database. Names of backups and traces
 * have a second dot.
 */
const clawLogs = ['*/sessions/!(*.*).jsonl', '*/agent/openclaw-agent.sqlite'];

/** A row is a line of a session: rows are only added. */
const ROWS = `
  SELECT rowid AS mark, rowid AS key, rowid AS line, session_id AS session, event_json AS event FROM transcript_events
  WHERE rowid > $key AND rowid >= $mark ORDER BY rowid LIMIT $limit`;

export const openclaw: Adapter<PiState> = {
  ...family('openclaw', 'OpenClaw', [
    { env: 'OPENCLAW_STATE_DIR', root: '.openclaw', under: 'agents', globs: clawLogs },
    { env: null, root: '.clawdbot', under: 'agents', globs: clawLogs },
    { env: null, root: '.moltbot', under: 'agents', globs: clawLogs },
  ]),
  unproven: true,
  shape: (relative) => (relative.endsWith('.sqlite') ? 'rows' : 'lines'),
  rows: [
    {
      needs: ['transcript_events.session_id', 'transcript_events.event_json'],
      sql: ROWS,
      columns: ['line', 'session', 'event'],
      overlap: 0,
    },
  ],
};

function family(agent: string, title: string, places: LogPlace[]): Adapter<PiState> {
  return {
    agent,
    title,
    places,
    start: startState,
    step: (state: PiState, record: LogRecord) => stepEntry(state, record.value),
  };
}
