/**
 * Measures what recall answers at moments of real logs, and how often it answers where it should
 * not. Needs `make build`. Usage: tsx bench/moments.ts --corpus FOLDER --homes FOLDER --out FOLDER
 *
 * A corpus is a folder as for bench/search-quality.ts with `moments/PROJECT.jsonl`: each line is
 * `{gold: id or null, type, text | command | command + output}`; null: no answer is right. The logs
 * of each gold file are a home, read by `dripstone run` without vectors and kept for the next time.
 *
 * Thresholds are chosen without one project and used on that project. The bench adds silent moments:
 * commands and failures in the logs with a form (error) that no earlier session has, asked as at the
 * start of their session. A few of them have an answer, so their false alarms are an upper bound.
 * Results are kept in `--out` (`PROJECT.found.jsonl`); if they are there, only the thresholds are
 * chosen again. The corpus's own moments.py scores `PROJECT.answers.jsonl`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp, type App } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { costOf, knownAt, sayItem, THRESHOLDS } from '../src/recall/moments/at-moment.js';
import {
  decide,
  standingOut,
  type Known,
  type Moment,
  type MomentType,
  type Threshold,
} from '../src/recall/moments/moment.js';
import { loadProjects } from '../src/store/index.js';

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, homes: { type: 'string' }, out: { type: 'string' } },
});
const { corpus, homes, out } = values as { corpus: string; homes: string; out: string };
const root = join(import.meta.dirname, '..');

interface Asked {
  moment: Moment;
  /** Patterns of the gold item: all of a group must match on one line; null: no answer is right. */
  match: RegExp[][] | null;
  weight: number;
  asOf?: string;
  /** A silent moment of the logs, not of the corpus. */
  own: boolean;
}
type Found = Pick<Asked, 'weight' | 'own'> & {
  type: MomentType;
  isSilent: boolean;
  known: Known;
  onPage: boolean;
  hit: boolean[];
};

function layHome(project: string, roots: string[]): string {
  const home = join(homes, project);
  if (existsSync(home)) return home;
  mkdirSync(join(home, '.dripstone'), { recursive: true });
  writeFileSync(join(home, '.dripstone/config.yaml'), 'embed: {enabled: false}\n');
  execFileSync('python3', [join(corpus, 'layout.py'), join(corpus, 'sessions'), home, ...roots], {
    stdio: 'ignore',
  });
  const env = { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') };
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'run'], { env, stdio: 'ignore' });
  return home;
}

interface Line {
  gold: string | null;
  type: 'prompt' | 'command' | 'failure';
  text?: string;
  command?: string;
  output?: string;
}

function askedOf(
  line: Line,
  lessons: Map<string, { match: string[][]; importance?: number }>,
): Asked {
  const edit = /^edit (\S+)$/.exec(line.command ?? '');
  const type = edit !== null && line.type === 'command' ? 'edit' : line.type;
  const gold = line.gold === null ? null : lessons.get(line.gold)!;
  return {
    moment: {
      type,
      text: edit?.[1] ?? line.text ?? line.command!,
      output: line.output ?? null,
      project: null,
      session: null,
    },
    match: gold === null ? null : gold.match.map((all) => all.map((one) => new RegExp(one, 'i'))),
    weight: gold?.importance ?? 1,
    own: false,
  };
}

/** Real commands and failures, sixty of each, that were not in an earlier session. */
async function silentOf(app: App): Promise<Asked[]> {
  const rows = await app.store.read((db) =>
    db.all<{
      type: 'command' | 'failure';
      command: string;
      output: string | null;
      session: string;
      started: string;
    }>(
      `WITH s AS (SELECT * FROM own.steps WHERE shown AND class NOT IN ('read', 'search')),
       began AS (SELECT agent, session, min(time) AS started FROM own.entries WHERE time IS NOT NULL GROUP BY ALL),
       new AS (
         SELECT s.*, b.started FROM s JOIN began b USING (agent, session)
         WHERE EXISTS (FROM began o WHERE o.started < b.started - INTERVAL 1 HOUR)
           AND NOT EXISTS (FROM s o JOIN began p USING (agent, session) WHERE p.started < b.started
             AND (o.form = s.form OR s.outcome = 'failed' AND o.error = s.error))),
       told AS (
         SELECT CASE WHEN n.outcome = 'failed' AND n.error IS NOT NULL THEN 'failure' ELSE 'command' END AS type,
           array_to_string(n.words, ' ') AS command, t.text AS output, n.session, n.started, n.entry, n.n
         FROM new n JOIN own.entries c ON c.id = n.entry
         LEFT JOIN own.entries r ON r.call = c.call AND r.session = c.session AND r.role = 'tool_result'
         LEFT JOIN own.texts t ON t.n = r.n)
       SELECT type, command, CASE type WHEN 'failure' THEN output END AS output, session, started
       FROM told QUALIFY row_number() OVER (PARTITION BY type ORDER BY md5(entry || n)) <= 60 ORDER BY md5(entry || n)`,
    ),
  );
  return rows.map(({ type, command, output, session, started }) => ({
    moment: { type, text: command, output, project: null, session },
    match: null,
    weight: 1,
    asOf: started,
    own: true,
  }));
}

function matches(match: RegExp[][] | null, line: string): boolean {
  return match?.some((all) => all.every((one) => one.test(line))) ?? false;
}

async function findAll(project: string): Promise<Found[]> {
  const kept = join(out, `${project}.found.jsonl`);
  const read = (file: string) => readFileSync(file, 'utf8').trim().split('\n');
  if (existsSync(kept)) return read(kept).map((line) => JSON.parse(line) as Found);
  const gold = JSON.parse(readFileSync(join(corpus, 'gold', `${project}.json`), 'utf8')) as {
    root: string[];
    lessons: { id: string; match: string[][]; importance?: number }[];
  };
  const home = layHome(project, gold.root);
  const env = { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') };
  await using app = await createApp({
    env,
    clock: systemClock,
    signal: new AbortController().signal,
    access: 'read',
  });
  const lessons = new Map(gold.lessons.map((lesson) => [lesson.id, lesson]));
  const lines = read(join(corpus, 'moments', `${project}.jsonl`)).map((line) =>
    askedOf(JSON.parse(line) as Line, lessons),
  );
  const [main] = (await app.store.read((db) => loadProjects(db))).sort(
    (a, b) => b.folders.length - a.folders.length,
  );
  const page = readFileSync(
    join(home, '.dripstone/projects', main!.slug, 'context.md'),
    'utf8',
  ).split('\n');
  const found: Found[] = [];
  for (const { moment, match, weight, asOf, own } of [...lines, ...(await silentOf(app))]) {
    const known = await app.store.read((db) => knownAt(db, moment, asOf));
    const hit = [...known.exact, ...known.ranked].map((item) => matches(match, sayItem(item)));
    const onPage = page.some((line) => line.startsWith('-') && matches(match, line));
    found.push({ type: moment.type, isSilent: match === null, weight, own, known, onPage, hit });
  }
  writeFileSync(kept, found.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return found;
}

const NOTHING = { given: new Set<string>(), page: '' };

function toldBy({ known }: Found, least: Threshold) {
  return decide(known, least, NOTHING, costOf);
}

/** Whether the answer contains the gold item. */
function isRight(found: Found, least: Threshold): boolean {
  const all = [...found.known.exact, ...found.known.ranked];
  const told = new Set(toldBy(found, least).map(({ id, text }) => `${id}${text}`));
  return all.some(({ id, text }, at) => found.hit[at]! && told.has(`${id}${text}`));
}

const GROUPS: Record<string, { types: MomentType[]; most: number }> = {
  failure: { types: ['failure'], most: 0.02 },
  command: { types: ['command', 'edit'], most: 0.02 },
  prompt: { types: ['prompt'], most: 0.05 },
};

/**
 * The threshold with most answers within the allowed false alarms, with recall's weight of `seen`.
 */
function choose(found: readonly Found[], most: number): Threshold {
  const now = THRESHOLDS[found[0]!.type];
  const silent = found.filter(({ isSilent, own }) => isSilent && !own);
  const open = silent.filter(({ known }) => known.exact.length === 0);
  const allowed = Math.max(0, Math.floor(most * silent.length) - (silent.length - open.length));
  const scores = open.map(({ known }) => standingOut(known, now.seen)).sort((a, b) => b - a);
  return { ...now, least: Math.ceil((scores[allowed] ?? 0) * 100) / 100 };
}

/** Wilson's interval of a share, at 95 %. */
function interval(k: number, n: number): string {
  if (n === 0) return 'none';
  const z = 1.96;
  const [p, d] = [k / n, 1 + z ** 2 / n];
  const [middle, half] = [
    p + z ** 2 / (2 * n),
    z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n * n)),
  ];
  return `${(((middle - half) / d) * 100).toFixed(1)}-${(((middle + half) / d) * 100).toFixed(1)} %`;
}

mkdirSync(out, { recursive: true });
const projects = readdirSync(join(corpus, 'moments')).map((file) => basename(file, '.jsonl'));
const sets = new Map<string, Found[]>();
for (const project of projects) sets.set(project, await findAll(project));
const answers = new Map(projects.map((project) => [project, [] as { at: number; text: string }[]]));
for (const [name, { types, most }] of Object.entries(GROUPS)) {
  const of = (project: string) => sets.get(project)!.filter(({ type }) => types.includes(type));
  let [n, false_, ownN, ownFalse, weight, told, withPage, ceiling] = [0, 0, 0, 0, 0, 0, 0, 0];
  const parts: string[] = [];
  for (const project of projects) {
    const least = choose(projects.filter((other) => other !== project).flatMap(of), most);
    const mine = of(project);
    let [all, right] = [0, 0];
    for (const each of mine) {
      const items = toldBy(each, least);
      if (!each.own)
        answers
          .get(project)!
          .push({ at: sets.get(project)!.indexOf(each), text: items.map(sayItem).join('\n') });
      if (each.isSilent && !each.own) [n, false_] = [n + 1, false_ + Number(items.length > 0)];
      if (each.own) [ownN, ownFalse] = [ownN + 1, ownFalse + Number(items.length > 0)];
      if (each.isSilent) continue;
      const isHit = isRight(each, least);
      [all, right] = [all + each.weight, right + (isHit ? each.weight : 0)];
      withPage += isHit || each.onPage ? each.weight : 0;
      ceiling += isRight(each, { seen: 0, least: -1 }) ? each.weight : 0;
    }
    [weight, told] = [weight + all, told + right];
    parts.push(`${project} ${(right / all).toFixed(2)} (${least.seen}/${least.least})`);
  }
  console.log(
    `${name}: told ${(told / weight).toFixed(2)}, with page ${(withPage / weight).toFixed(2)}, if it always spoke ` +
      `${(ceiling / weight).toFixed(2)}; false ${false_}/${n} (${interval(false_, n)}), own ${ownFalse}/${ownN} ` +
      `(${interval(ownFalse, ownN)})\n  ${parts.join(', ')}\n  all: ${JSON.stringify(choose(projects.flatMap(of), most))}`,
  );
}
for (const [project, list] of answers)
  writeFileSync(
    join(out, `${project}.answers.jsonl`),
    list
      .sort((a, b) => a.at - b.at)
      .map(({ text }) => `${JSON.stringify({ text })}\n`)
      .join(''),
  );
