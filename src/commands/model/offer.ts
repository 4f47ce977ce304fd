/**
 * The question whether a model may read, put once: at the end of a run or an installation, to a
 * person at a terminal, when there are sessions enough and their own vendor's program to read them.
 */
import type { Config, HomePaths } from '../../config.js';
import { AppError } from '../../errors.js';
import { type Costs, estimateCosts } from '../../jobs/asking/costs.js';
import { waitingFor } from '../../jobs/asking/backlog.js';
import { isDecided } from '../../jobs/asking/llm-facts.js';
import { type KnownProgram, findPrograms } from '../../llm/index.js';
import { counted, withCommas } from '../../text/amounts.js';
import { FINDS, SENT, describeCosts, lookedAt, recipientOf } from './consent.js';
import { type Example, readOne } from './trial.js';
import { choiceOf, switchOn, writeChoice } from './use.js';
import type { Io } from '../../io.js';

/** Fewer sessions show little of what a model is worth. */
const LEAST_SESSIONS = 5;

const LATER =
  'nothing is sent, and you are not asked again: `dripstone model` tells the same at any time\n';

/** What is proposed: a program, the configuration with it, and what it costs. */
interface Proposal {
  program: KnownProgram;
  config: Config;
  costs: Costs | null;
}

/**
 * Tells what a model would find, what is sent to whom and what it costs; reads one session as an
 * example when the person agrees, then asks whether to go on. The default is no.
 */
export async function offerModel(io: Io, paths: HomePaths, config: Config): Promise<void> {
  const { ask } = io;
  if (ask === undefined || !isAtHand(io) || config.llm.provider !== 'off' || isDecided(paths))
    return;
  const found = await propose(io, config);
  if (found === null || !(await noteAsked(io, paths))) return;
  const agrees = async (question: string): Promise<boolean> =>
    /^\s*y(?:es)?\s*$/i.test((await ask(`${question} [y/N] `, '')) ?? '');
  const { name } = found.program;
  const llm = found.config.llm;
  io.err(
    `\n${name} is on this machine and can read your sessions\n` +
      `${[FINDS, SENT, recipientOf(llm), ...describeCosts(found.costs, llm)].join('\n')}\n`,
  );
  if (!(await agrees(`Let ${name} read one session now, as an example?`))) return io.err(LATER);
  const example = await readExample(io, paths, found);
  if (example === null) return;
  io.err(renderExample(example));
  if (!(await agrees(`Ask ${name} from now on?`))) return io.err(LATER);
  await switchOn(io, paths, name, choiceOf(found.program, null));
}

/** A person who sees the question and can answer it. */
function isAtHand(io: Io): boolean {
  return (
    io.terminal &&
    io.outIsTerminal === true &&
    (io.env['CI'] ?? '') === '' &&
    io.caller().kind === 'person'
  );
}

/**
 * The program whose own agent has most sessions that wait; null when none has enough, or the store
 * is busy.
 */
async function propose(io: Io, config: Config): Promise<Proposal | null> {
  const programs = findPrograms(io.env['PATH']).filter(
    ({ agent, refused }) => agent !== null && refused === null,
  );
  if (programs.length === 0) return null;
  return lookedAt(io, async (app) => {
    let best: Omit<Proposal, 'costs'> | null = null;
    let most = LEAST_SESSIONS - 1;
    for (const program of programs) {
      const tried = { ...config, llm: { ...config.llm, ...choiceOf(program, null) } };
      const { open } = await app.store.read((db) => waitingFor(db, tried.llm));
      if (open.length <= most) continue;
      most = open.length;
      best = { program, config: tried };
    }
    return best === null
      ? null
      : { ...best, costs: await estimateCosts({ ...app, config: best.config }) };
  });
}

/**
 * Notes the default answer before the question is put, so that no end of it, not even a closed
 * terminal, lets it be put again.
 * @returns false when config.yaml cannot be written (a link into a folder of a system's manager):
 * then nothing is asked
 */
async function noteAsked(io: Io, paths: HomePaths): Promise<boolean> {
  try {
    await writeChoice(paths, io.clock, { provider: 'off' });
    return true;
  } catch {
    return false;
  }
}

async function readExample(
  io: Io,
  paths: HomePaths,
  { program, config }: Proposal,
): Promise<Example | null> {
  try {
    io.err(`${program.name} reads one session …\n`);
    const example = await readOne(io, paths, config);
    if (example === null || example.isJson) return example;
    io.err(
      `${program.name} does not answer with JSON, so its lessons would be dropped: nothing was changed\n`,
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${program.name} was not switched on: ${error.message}\n`);
  }
  return null;
}

/** One claim with the words that it quotes, and what the call cost. */
function renderExample({ project, claims, ms, tokensIn, tokensOut }: Example): string {
  const cost = `${withCommas(tokensIn + tokensOut)} tokens, ${(ms / 1000).toFixed(1)} s`;
  const [best] = [...claims].sort(
    (a, b) => b.importance - a.importance || b.evidence.trust - a.evidence.trust,
  );
  if (best === undefined)
    return `in this session of ${project} it found nothing to keep, as in many (${cost})\n`;
  const more = claims.length === 1 ? '' : `, and ${counted(claims.length - 1, 'more lesson')}`;
  const words = `  ${best.kind}: ${best.text}\n  from: "${best.evidence.quote}"\n`;
  return `it found in a session of ${project}:\n${words}(${cost}${more})\n`;
}
