/**
 * Measures how often a search finds the right entry, with gold queries of a corpus of real logs and
 * with invented conversations, for each ranking. Needs `make build`. Usage: tsx
 * bench/search-quality.ts [--corpus FOLDER] [--homes FOLDER] [--rankings NAME,…] [--misses]
 *
 * A corpus is a folder with `sessions/AGENT/PROJECT/…`, `gold/*.json` (`root`: folders below
 * sessions, `queries`: `{q, type, relevant: [{file, line}], answer_match: [[regex]]}`) and a
 * program `layout.py SESSIONS HOME AGENT/PROJECT…` that writes logs like a home. Each gold file has
 * its own home, kept in `--homes` for the next time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { createEmbedder } from '../src/embed/embedder.js';
import type { Hit, Mode } from '../src/types.js';
import type { Recall } from '../src/recall/recall.js';
import { search } from '../src/recall/search.js';
import { commitBatches, openStates, openStore, saveVectors } from '../src/store/index.js';
import { windowsOf } from '../src/terms/index.js';
import type { Embedder, Reading } from '../src/types.js';
import { makeConversations, type Conversation } from './made-conversations.js';
import { checkpointAt } from './made-store.js';

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    homes: { type: 'string' },
    rankings: { type: 'string' },
    misses: { type: 'boolean' },
  },
});
const root = join(import.meta.dirname, '..');
const temporary = mkdtempSync(join(tmpdir(), 'dripstone-bench-'));

interface Question {
  set: string;
  project: string;
  q: string;
  isRight: (hit: Hit) => boolean;
}
interface Asked {
  home: string;
  questions: Question[];
}
interface Gold {
  project: string;
  root: string[];
  queries: {
    q: string;
    type: string;
    relevant: { file: string; line?: number }[];
    answer_match?: string[][];
  }[];
}

const ALL: { name: string; mode: Mode }[] = [
  { name: 'words alone', mode: 'keyword' },
  { name: 'meaning alone', mode: 'semantic' },
  { name: 'joined', mode: 'hybrid' },
];

const RANKINGS = ALL.filter(({ name }) => values.rankings?.split(',').includes(name) ?? true);

/** A hit is right if it is within two lines of a reader's mark, or contains the answer. */
function askedOf(file: string, corpus: string, homes: string): Asked {
  const gold = JSON.parse(readFileSync(file, 'utf8')) as Gold;
  const name = basename(file, '.json');
  const questions = gold.queries.map((query): Question => {
    const answers = (query.answer_match ?? []).map((all) => all.map((one) => new RegExp(one, 'i')));
    const isNear = ({ path, line }: Hit) =>
      query.relevant.some(
        (place) =>
          place.line !== undefined &&
          path !== null &&
          line !== null &&
          basename(path) === basename(place.file) &&
          Math.abs(line - place.line) <= 2,
      );
    const isAnswer = ({ passage }: Hit) =>
      answers.some((all) => all.every((one) => one.test(passage)));
    return {
      set: query.type,
      project: name,
      q: query.q,
      isRight: (hit) => isNear(hit) || isAnswer(hit),
    };
  });
  return { home: layHome(gold, corpus, join(homes, name)), questions };
}

/** Writes logs like an agent, and reads and embeds them; an existing home is used unchanged. */
function layHome(gold: Gold, corpus: string, home: string): string {
  if (existsSync(home)) return home;
  mkdirSync(home, { recursive: true });
  execFileSync(
    'python3',
    [join(corpus, 'layout.py'), join(corpus, 'sessions'), home, ...gold.root],
    { stdio: 'ignore' },
  );
  const env = { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') };
  for (const args of [['run'], ['run', '--only', 'embed']])
    execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...args], { env, stdio: 'ignore' });
  return home;
}

async function askedOfTalk(
  { name, entries, questions }: Conversation,
  embedder: Embedder,
): Promise<Asked> {
  const home = join(temporary, name);
  mkdirSync(join(home, '.dripstone'), { recursive: true });
  const store = openStore({
    path: join(home, '.dripstone', 'memory.duckdb'),
    clock: systemClock,
    lockWaitMs: 0,
  });
  await store.write((db) =>
    commitBatches(db, [{ checkpoint: checkpointAt(0), entries, sessions: [], bad: [] }]),
  );
  const { fingerprint } = embedder;
  const windows = entries.flatMap(({ id, text }) =>
    windowsOf(text).map((window, part) => ({ id, part, text: window.text })),
  );
  const read = await embedder.embedSigned!(windows.map(({ text }) => text));
  await store.write(async (db) => {
    const file = await openStates(db, join(home, '.dripstone', 'vectors.bin'));
    const places = await file.append(read.map(({ signs }) => signs));
    file.close();
    const rows = windows.map((window, i) => ({
      ...window,
      vector: read[i]!.vector,
      states: places[i]!,
    }));
    await saveVectors(
      db,
      rows.map((row) => ({ owner: 'entry', rev: 1, fingerprint, ...row })),
    );
  });
  await store.close();
  const set = (kind: string) => `conversation, ${kind}`;
  return {
    home,
    questions: questions.map(({ q, id, kind }) => ({
      set: set(kind),
      project: name,
      q,
      isRight: (hit) => hit.id === id,
    })),
  };
}

/** Rank of the first right hit among ten, 0 for none, by ranking and question. */
async function ranksOf(asked: Asked, known: Map<string, Reading>): Promise<Map<string, number[]>> {
  const env = { ...process.env, HOME: asked.home, DRIPSTONE_HOME: join(asked.home, '.dripstone') };
  await using app = await createApp({
    env,
    clock: systemClock,
    signal: new AbortController().signal,
    access: 'read',
  });
  const recall = withMemory(app, known);
  const ranks = new Map<string, number[]>();
  for (const { name, mode } of RANKINGS) {
    const places: number[] = [];
    for (const { q, isRight } of asked.questions) {
      const options = {
        query: q,
        project: null,
        limit: 10,
        mode,
        agent: null,
        kind: null,
        role: null,
        since: null,
        until: null,
      };
      const { hits } = await search(recall, options);
      places.push(hits.findIndex(isRight) + 1);
      if (
        values.misses === true &&
        name === 'joined' &&
        !(places.at(-1)! > 0 && places.at(-1)! <= 5)
      )
        console.log(
          `miss ${q}\n${hits
            .slice(0, 5)
            .map((hit) => `     ${hit.type} ${hit.role} ${hit.passage.slice(0, 140)}`)
            .join('\n')}`,
        );
    }
    ranks.set(name, places);
  }
  return ranks;
}

/** Caches the model's results, because every ranking asks the same questions. */
function withMemory(recall: Recall, known: Map<string, Reading>): Recall {
  const embedder: Recall['embedder'] = {
    ...recall.embedder,
    get: async () => {
      const made = await recall.embedder.get();
      const read = async (text: string): Promise<Reading> => {
        const reading = known.get(text) ?? (await made!.read!(text));
        known.set(text, reading);
        return reading;
      };
      return made === null
        ? null
        : {
            fingerprint: made.fingerprint,
            dimensions: made.dimensions,
            embed: (texts) => made.embed(texts),
            close: () => made.close(),
            read,
          };
    },
  };
  return { ...recall, embedder };
}

function figures(places: readonly number[]): string {
  const within = (k: number) =>
    (places.filter((at) => at > 0 && at <= k).length / places.length).toFixed(3);
  const mrr = places.reduce((sum, at) => sum + (at > 0 ? 1 / at : 0), 0) / places.length;
  return [within(1), within(5), within(10), mrr.toFixed(3)].join(' | ');
}

function print(all: readonly { asked: Asked; ranks: Map<string, number[]> }[]): void {
  const last = RANKINGS.at(-1)!.name;
  const sets = [...new Set(all.flatMap(({ asked }) => asked.questions.map(({ set }) => set)))];
  for (const set of sets) {
    const placesOf = (name: string, from = all) =>
      from.flatMap(({ asked, ranks }) =>
        ranks.get(name)!.filter((_, i) => asked.questions[i]!.set === set),
      );
    console.log(
      `\n${set}: ${placesOf(last).length} queries\n\n| ranking | R@1 | R@5 | R@10 | MRR |\n| --- | --- | --- | --- | --- |`,
    );
    for (const { name } of RANKINGS) console.log(`| ${name} | ${figures(placesOf(name))} |`);
    console.log(
      `\nR@5 of each home, ${last}: ${all
        .map((one) => placesOf(last, [one]))
        .filter((places) => places.length > 0)
        .map((places) => `${places.filter((at) => at > 0 && at <= 5).length}/${places.length}`)
        .join(', ')}`,
    );
  }
}

const folder = join(root, 'models', 'all-MiniLM-L6-v2');
const limits = {
  memoryCapBytes: 2 ** 30,
  recycleTexts: 1e6,
  idleMs: 60_000,
  textTimeoutMs: 60_000,
};
const embedder = await createEmbedder({ folder, dimensions: 384, threads: 1, ...limits });
const asked: Asked[] = [];
if (values.corpus !== undefined) {
  const corpus = resolve(values.corpus);
  for (const file of readdirSync(join(corpus, 'gold')).filter((name) => name.endsWith('.json')))
    asked.push(askedOf(join(corpus, 'gold', file), corpus, resolve(values.homes ?? temporary)));
}
for (const talk of makeConversations()) asked.push(await askedOfTalk(talk, embedder));
await embedder.close();
const known = new Map<string, Reading>();
const all: { asked: Asked; ranks: Map<string, number[]> }[] = [];
for (const each of asked) all.push({ asked: each, ranks: await ranksOf(each, known) });
print(all);
rmSync(temporary, { recursive: true });
