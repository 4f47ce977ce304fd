import type { Candidate, Episode } from '../types.js';
import { changesOf } from './commands/edits.js';
import { commitsOf } from './commands/habits.js';
import { callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { nextStepOf, readEnding } from './episodes/ending.js';
import { findRequest } from './episodes/request.js';
import { lessonOf, problemOf, solutionOf } from './episodes/story.js';
import { dayOf, type SessionInput } from './session.js';
import { readTurns } from './user-turns.js';

const MOST_FILES = 20;
const MOST_COMMANDS = 8;

/**
 * What the session did and how it ended, in the log's own sentences; null when nobody asked for anything.
 * @param candidates what the session yields: the best becomes the episode's lesson
 */
export function extractEpisode(session: SessionInput, candidates: Candidate[] = []): Episode | null {
  const entries = session.entries.filter((e) => !e.copied);
  const turns = readTurns(entries);
  const own = { ...session, entries };
  const calls = callsOf(own);
  const commits = commitsOf(calls);
  const request = findRequest(
    session,
    turns,
    commits.map((c) => c.subject),
  );
  const last = entries.filter((e) => e.time !== null).at(-1);
  if (request === null || last === undefined) return null;
  const runs = runsOf(own, calls);
  const changes = changesOf(entries, sessionRoots(own));
  const ending = readEnding({
    entries,
    turns: turns.filter((t) => t.entry.seq > request.turn.entry.seq),
    changes,
    runs,
    commits,
  });
  const solution =
    solutionOf(entries, ending.outcome === 'success' && ending.signal !== 'answered') ?? commits.at(-1)?.subject ?? null;
  return {
    agent: session.agent,
    session: session.session,
    title: request.title,
    summary: request.title.split(/\s+/).slice(0, 10).join(' '),
    day: dayOf(last),
    outcome: ending.outcome,
    signal: ending.signal,
    problem: problemOf(request.turn, request.title),
    solution: ending.outcome === 'abandoned' ? null : solution,
    lesson: lessonOf(candidates),
    files: [...new Set(changes.map((c) => c.file))].slice(0, MOST_FILES),
    commands: [...new Set(runs.filter((r) => r.verdict === 'ok' && !r.form.passing).map((r) => r.form.text))].slice(
      0,
      MOST_COMMANDS,
    ),
    commits: [...new Set(commits.map((c) => c.subject))].slice(0, 20),
    unfinished: ending.unfinished,
    nextStep: ending.unfinished ? nextStepOf(entries) : null,
  };
}
