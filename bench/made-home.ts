/**
 * An invented home with many sessions of several projects, made from a seed, only for measuring. No
 * two sessions are equal.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, claudeLog, says, shell, type Turn } from '../test/jobs/made-log.js';
import { seeded } from '../test/redact/made-up.js';

const NOUNS =
  'parser scheduler ledger gateway renderer cache importer exporter planner router digest archive mailer sampler tracker beacon harness resolver splitter ranker'.split(
    ' ',
  );
const PARTS =
  'timeout buffer cursor header retry checksum offset locale timezone index quota session token batch window'.split(
    ' ',
  );
const VERBS =
  'drops keeps doubles truncates ignores rounds reverses caches reorders overwrites'.split(' ');
const TOOLS = 'npm pnpm cargo go make uv'.split(' ');
const DAY_MS = 86_400_000;

export interface MadeHome {
  sessions: number;
  projects: number;
  /** The sessions are spread over so many days before `until`. */
  days: number;
  /** `YYYY-MM-DD`. */
  until: string;
  seed: number;
  /** Rounds of work in a session: a request, calls, a failure with its cure, an answer. */
  rounds: number;
}

/** Writes the logs below `home`. @returns the least number of entries that a reader must find */
export function makeHome(
  home: string,
  { sessions, projects, days, until, seed, rounds }: MadeHome,
): void {
  const random = seeded(seed);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const number = (n: number): number => Math.floor(random() * n);
  const file = (): string => `src/${oneOf(NOUNS)}/${oneOf(PARTS)}-${number(90)}.ts`;

  const round = (project: number): Turn[] => {
    const [noun, part, verb, path, tool] = [
      oneOf(NOUNS),
      oneOf(PARTS),
      oneOf(VERBS),
      file(),
      TOOLS[project % TOOLS.length]!,
    ];
    const test = `${tool} test ${noun}`;
    return [
      says(
        oneOf([
          `Please fix the ${part} of the ${noun}: it ${verb} every entry after number ${number(5000)}.`,
          `Always run \`${test}\` before you commit a change of the ${noun}.`,
          `Never change ${path} without asking me, the ${noun} depends on its ${part}.`,
          `I prefer short names for the ${part} of a ${noun}, at most ${3 + number(20)} characters.`,
        ]),
      ),
      shell(`cat ${path}`, `export const ${part} = ${number(9999)};\n`.repeat(40), 0),
      shell(
        test,
        `FAIL ${path}\nTypeError: ${noun} ${part} is not a function\n    at ${path}:${number(300)}\n`,
        1,
      ),
      answers(
        `The root cause is that \`${path}\` ${verb} the ${part} when the ${noun} has more than ${number(5000)} items, so \`${test}\` fails.`,
      ),
      shell(`sed -i s/${part}/${part}s/ ${path}`, '', 0),
      shell(test, `ok, ${number(400)} passed`, 0),
      shell(
        `git commit -am "fix(${noun}): keep the ${part}"`,
        `[main ${number(1e7).toString(16)}] fix`,
        0,
      ),
      answers(
        `Fixed: the ${noun} keeps its ${part}. Remember: \`${path}\` must stay in step with the ${part} of the ${noun} because it ${verb} it otherwise.`,
      ),
    ];
  };

  for (let i = 0; i < sessions; i++) {
    const project = i % projects;
    const day = new Date(
      Date.parse(`${until}T00:00:00Z`) - (days - 1 - Math.floor((i * days) / sessions)) * DAY_MS,
    )
      .toISOString()
      .slice(0, 10);
    const session = `${i.toString(16).padStart(8, '0')}-0000-4000-8000-${seed.toString(16).padStart(12, '0')}`;
    const cwd = `/home/ann/work/made-${project}`;
    const folder = join(home, '.claude/projects', cwd.replaceAll('/', '-'));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${session}.jsonl`);
    writeFileSync(
      path,
      claudeLog({ session, cwd, day }, Array.from({ length: rounds }, () => round(project)).flat()),
    );
    const time = new Date(`${day}T12:00:00Z`);
    utimesSync(path, time, time);
  }
}
