/**
 * What would be learnt from the logs below a folder that looks like a home, taken as one project:
 * `npx tsx bench/lessons.ts HOME [--live LINES.txt] [--context LINES.txt] [--candidates] [--episodes] [--relations] [--tag TAG]
 * [--weights FILE] [--least WORTH]`. `--weights` judges by other weights than the shipped ones: those that did not see the
 * project; `--least` moves the stop line.
 * Prints counts, live lessons and context.md; `--live` and `--context` write one lesson a line for scoring.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { renderContext } from '../src/context/index.js';
import { distillProject, uniteDays } from '../src/distill/index.js';
import { extractSession, type SessionInput } from '../src/extract/index.js';
import type { Candidate, Episode, Extraction, Project } from '../src/types.js';
import { readJudgeWeights } from '../src/jobs/learning/judge-weights.js';
import { decodeWeights } from '../src/judge/index.js';
import { readHome, type ReadSession } from './read-home.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    live: { type: 'string' },
    context: { type: 'string' },
    candidates: { type: 'boolean' },
    episodes: { type: 'boolean' },
    relations: { type: 'boolean' },
    tag: { type: 'string' },
    budget: { type: 'string', default: '1000' },
    weights: { type: 'string' },
    least: { type: 'string' },
  },
});

const home = positionals[0];
if (home === undefined) {
  process.stderr.write('usage: lessons.ts HOME\n');
  process.exit(2);
}

function print(text: string): void {
  return void process.stdout.write(`${text}\n`);
}

function projectOf(sessions: ReadSession[]): Project {
  const folders = [...new Set(sessions.map((s) => s.facts.originalCwd ?? s.facts.cwd ?? '').filter((f) => f !== ''))].sort();
  const name = (folders[0] ?? 'project').split('/').at(-1) ?? 'project';
  return { id: '0'.repeat(16), slug: `${name}-0000`, name, remote: null, folders, aliases: [] };
}

/** Sessions that share a long opening, or a frame, in which nobody typed later are machine-made. */
function markMachines(
  found: { input: SessionInput; extraction: Extraction }[],
): { input: SessionInput; extraction: Extraction }[] {
  const openings = new Map<string, number>();
  const keysOf = ({ opening }: Extraction): string[] =>
    opening === null || opening.typedLater
      ? []
      : [...(opening.length >= 200 ? [opening.hash] : []), ...(opening.frame === null ? [] : [opening.frame])];
  for (const { extraction } of found) for (const key of keysOf(extraction)) openings.set(key, (openings.get(key) ?? 0) + 1);
  return found.filter(({ extraction }) => keysOf(extraction).every((key) => (openings.get(key) ?? 0) < 3));
}

const weights = values.weights === undefined ? readJudgeWeights() : decodeWeights(readFileSync(values.weights));
const sessions = readHome(home);
const project = projectOf(sessions);
const started = process.cpuUsage();
const all = sessions.map((s) => {
  const input = { ...s, project, judge: weights };
  return { input, extraction: extractSession(input) };
});
const found = markMachines(all);
const cpu = process.cpuUsage(started);
const candidates: (Candidate & { project: string })[] = found.flatMap((f) =>
  f.extraction.candidates.map((c) => ({ ...c, project: project.id })),
);
const episodes: Episode[] = found.flatMap((f) => f.extraction.episode ?? []);
const activeDays = uniteDays(sessions.flatMap((s) => s.entries.map((e) => (e.time ?? '').slice(0, 10))));
const clockDay = activeDays.at(-1) ?? '1970-01-01';
const { lessons } = distillProject({
  project,
  candidates,
  remembered: [],
  edits: [],
  sightings: all.flatMap((f) => f.extraction.sightings),
  uses: new Map(),
  clock: { day: clockDay, activeDays },
});
const live = lessons.filter((l) => l.status === 'live' || l.status === 'conflict');
const context = renderContext({
  project,
  clockDay,
  lessons,
  globals: [],
  episodes,
  budgetTokens: Number(values.budget),
  askForNotes: true,
  ...(values.least === undefined ? {} : { leastWorth: Number(values.least) }),
});

print(
  `sessions ${sessions.length} (learnt from ${found.length}), entries ${sessions.reduce((n, s) => n + s.entries.length, 0)}, candidates ${candidates.length}, lessons ${lessons.length}, live ${live.length}, sightings ${all.reduce((n, f) => n + f.extraction.sightings.length, 0)}, extraction ${Math.round((cpu.user + cpu.system) / 1000)} ms`,
);
function wanted(tags: string[]): boolean {
  return values.tag === undefined || tags.includes(values.tag);
}
if (values.candidates === true)
  for (const c of [...candidates].filter((c) => wanted(c.tags)).sort((a, b) => b.worth - a.worth))
    print(
      `${c.evidence.supports ? ' ' : '-'} ${c.worth.toFixed(2)} i${c.importance} ${c.alone ? 'A' : '.'} ${c.kind.padEnd(10)} ${c.saidBy.padEnd(8)} [${c.tags.join(',')}] ${c.text}`,
    );
if (values.episodes === true) for (const e of episodes) print(JSON.stringify(e, null, 1));
if (values.relations === true) for (const f of found) for (const r of f.extraction.relations) print(`${r.from} ${r.rel} ${r.to}`);
print(context.text);
if (values.live !== undefined) writeFileSync(values.live, live.map((l) => `${l.text}\n`).join(''));
if (values.context !== undefined) writeFileSync(values.context, context.text);
