/**
 * Manages the child process that computes vectors: forks it on demand, sends one text at a time,
 * replaces a process that uses too much memory or crashes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { AppError, messageOf } from '../errors.js';
import { createMutex } from '../mutex.js';
import { compiledFile } from '../place.js';
import type { Embedder, Reading, SignedReading } from '../types.js';
import { findModel } from './model-folder.js';
import type { As, ModelToLoad } from './model.js';
import type { Answer, FromWorker, ToWorker, With } from './worker.js';

export interface EmbedderOptions {
  /** Folder of the model, e.g. `models/all-MiniLM-L6-v2`. */
  folder: string;
  /** Null: the length of the model's first vector. */
  dimensions: number | null;
  threads: number;
  /**
   * The child is replaced above this resident size and after this many texts, since the runtime
   * never frees memory.
   */
  memoryCapBytes: number;
  recycleTexts: number;
  /** The child ends after this long without work. */
  idleMs: number;
  /** If a text takes longer, the runtime hangs and the child is killed. */
  textTimeoutMs: number;
  /** A child that does not load the model in this time is killed; default two minutes. */
  loadTimeoutMs?: number;
  /** Called after each text. */
  answered?: () => void;
  /** File that the child runs; tests use a crashing one. */
  entry?: string;
  /** The native file of the runtime; a package has it for one platform. */
  runtime?: string;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const LOAD_MS = 120_000;

class ChildGone extends Error {}

/** One child process from its start to its end. */
class Life {
  texts = 0;
  rss = 0;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private gone: Error | null = null;
  private ready: Promise<number>;

  constructor(options: EmbedderOptions, model: ModelToLoad) {
    this.child = fork(options.entry ?? compiledFile('embed/worker.js'), {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const late = setTimeout(() => this.child.kill('SIGKILL'), options.loadTimeoutMs ?? LOAD_MS);
    this.ready = new Promise((resolve, reject) => {
      const leave = (why: string): void => {
        clearTimeout(late);
        this.gone ??= new ChildGone(why);
        reject(this.gone);
        for (const one of this.waiting.values()) one.reject(this.gone);
        this.waiting.clear();
      };
      this.child.on('message', (message: FromWorker) => {
        const isLoaded = message.kind === 'ready' || message.id === null;
        if (isLoaded) clearTimeout(late);
        if (message.kind === 'ready') resolve(message.dimensions);
        else if (message.kind !== 'failed' || message.id !== null) this.settle(message);
        else
          reject(
            new AppError('MODEL_FAILED', `the embedding model does not load: ${message.message}`),
          );
      });
      this.child.on('exit', (code, signal) =>
        leave(`the embedding process ended (${signal ?? `exit ${code}`})`),
      );
      this.child.on('error', (error) => leave(`the embedding process failed: ${error.message}`));
    });
    this.ready.catch(() => undefined);
    this.send({ kind: 'load', ...model });
  }

  private send(message: ToWorker): void {
    this.child.send(message, () => undefined);
  }

  private settle(message: FromWorker): void {
    if (message.kind === 'ready' || message.id === null) return;
    const one = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.kind === 'failed') one?.reject(new AppError('EMBED_FAILED', message.message));
    else {
      this.rss = message.rss;
      one?.resolve(message);
    }
  }

  async embed(text: string, as: As, timeoutMs: number, beside?: With): Promise<Answer> {
    await this.ready;
    if (this.gone) throw this.gone;
    const id = this.texts++;
    const timer = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        this.send({
          kind: 'embed',
          id,
          text,
          as,
          ...(beside === undefined ? {} : { with: beside }),
        });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The child is killed at once: it has no data to lose, and may still be loading. */
  async end(): Promise<void> {
    if (this.gone) return;
    const exit = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill('SIGKILL');
    await exit;
  }
}

class ProcessEmbedder implements Embedder {
  private idle: NodeJS.Timeout | null = null;
  private readonly inTurn = createMutex();

  constructor(
    readonly fingerprint: string,
    public dimensions: number,
    private readonly options: EmbedderOptions,
    private readonly model: ModelToLoad,
    private life: Life | null,
  ) {}

  async embed(texts: string[]): Promise<Float32Array[]> {
    return (await this.ask(texts)).map(({ vector }) => vector);
  }

  async embedSigned(texts: string[]): Promise<SignedReading[]> {
    return (await this.ask(texts, 'signs')).map(({ vector, signs }) => ({
      vector,
      signs: signs ?? new Uint8Array(0),
    }));
  }

  async read(text: string): Promise<Reading> {
    const [{ vector, pieces, states }] = (await this.ask([text], 'states', 'query')) as [Answer];
    return { vector, pieces: pieces ?? [], states: states ?? new Float32Array(0) };
  }

  private ask(texts: readonly string[], beside?: With, as: As = 'document'): Promise<Answer[]> {
    return this.inTurn(async () => {
      if (this.idle) clearTimeout(this.idle);
      try {
        const answers: Answer[] = [];
        for (const text of texts) answers.push(await this.askOne(text, as, beside));
        this.options.answered?.();
        return answers;
      } finally {
        this.idle = setTimeout(() => void this.rest(), this.options.idleMs);
        this.idle.unref();
      }
    });
  }

  /** After a crash, tries the text once more in a new process; throws after a second crash. */
  private async askOne(text: string, as: As, beside?: With): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await (
          await this.alive()
        ).embed(text, as, this.options.textTimeoutMs, beside);
        this.dimensions ||= answer.vector.length;
        if (answer.vector.length !== this.dimensions)
          throw new AppError(
            'MODEL_FAILED',
            `the model gives ${answer.vector.length} dimensions, not ${this.dimensions}`,
          );
        return answer;
      } catch (error) {
        if (!(error instanceof ChildGone)) throw error;
        this.life = null;
        if (attempt === 2)
          throw new AppError('EMBEDDER_CRASHED', `${error.message} twice on one text`, {
            cause: error,
          });
      }
    }
  }

  private async alive(): Promise<Life> {
    const worn =
      this.life &&
      (this.life.texts >= this.options.recycleTexts || this.life.rss > this.options.memoryCapBytes);
    if (worn) await this.rest();
    return (this.life ??= new Life(this.options, this.model));
  }

  private async rest(): Promise<void> {
    const life = this.life;
    this.life = null;
    await life?.end();
  }

  async close(): Promise<void> {
    if (this.idle) clearTimeout(this.idle);
    await this.inTurn(() => this.rest());
  }
}

/**
 * Checks the model's files and prepares an embedder; the child starts with the first text, or at
 * once, so that the model loads early.
 * @throws AppError `MODEL_MISSING` or `MODEL_DAMAGED`
 */
export async function createEmbedder(
  options: EmbedderOptions,
  when: 'first text' | 'now' = 'first text',
): Promise<Embedder> {
  const machine = `${process.platform}-${process.arch}`;
  if (!existsSync(options.runtime ?? compiledFile(`native/${machine}/onnxruntime_binding.node`))) {
    throw new AppError(
      'MODEL_MISSING',
      `this package has no runtime for the embedding model on ${machine}`,
      {
        hint: 'search works with words alone; install the package that was made for this machine, if there is one',
      },
    );
  }
  const loading = { folder: options.folder, threads: options.threads };
  // A model of another folder cannot start early: its files must be read first.
  const life = when === 'now' && options.dimensions !== null ? new Life(options, loading) : null;
  try {
    const { fingerprint, ...found } = await findModel(options.folder);
    const model = { ...loading, ...found };
    const begun = life ?? (when === 'now' ? new Life(options, model) : null);
    return new ProcessEmbedder(fingerprint, options.dimensions ?? 0, options, model, begun);
  } catch (error) {
    await life?.end();
    throw error;
  }
}

// Makes the embedder on demand, or gives the reason why there is none: search then uses words
// alone.

export interface EmbedderLease {
  /**
   * The embedder that the config names, made at the first call; null if the model is off, missing
   * or does not load.
   */
  get(): Promise<Embedder | null>;
  /** Loads the model in its process, since a text will come soon. */
  warm(): void;
  /** Why `get` gave null, or why the last call failed; null after a success. */
  problem(): string | null;
  /** Reports a failure; after the second failure in a row the model is not used for a while. */
  fail(reason: string): void;
  close(): Promise<void>;
}

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 30 * 60_000;

/**
 * A model that failed twice in a row is not used for one minute, then two, four …, so that nothing
 * waits for a broken model.
 */
class Rest {
  private failure: { reason: string; inRow: number; until: number } | null = null;

  /** @param mono monotonic milliseconds */
  constructor(private readonly mono: () => number) {}

  /** Why the last call failed; null after a success. */
  reason(): string | null {
    return this.failure?.reason ?? null;
  }

  isOver(): boolean {
    return this.failure === null || this.mono() >= this.failure.until;
  }

  fail(reason: string): void {
    const inRow = (this.failure?.inRow ?? 0) + 1;
    const rest = inRow === 1 ? 0 : Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (inRow - 2));
    this.failure = { reason, inRow, until: this.mono() + rest };
  }

  answered(): void {
    this.failure = null;
  }
}

/**
 * @param make makes the embedder and is called once; the embedder calls `answered` after a success
 * @param lack why there is no embedder, or null
 * @param mono monotonic milliseconds
 */
export function leaseEmbedder(
  make: (when: 'first text' | 'now', answered: () => void) => Promise<Embedder>,
  lack: string | null,
  mono: () => number,
): EmbedderLease {
  let made: Promise<Embedder | null> | null = null;
  const rest = new Rest(mono);
  const begin = async (when: 'first text' | 'now'): Promise<Embedder | null> => {
    if (lack !== null) return null;
    try {
      return await make(when, () => rest.answered());
    } catch (error) {
      lack = messageOf(error);
      return null;
    }
  };
  return {
    get: async () => {
      const embedder = await (made ??= begin('first text'));
      return rest.isOver() ? embedder : null;
    },
    warm: () => void (made ??= begin('now')),
    problem: () => lack ?? rest.reason(),
    fail: (reason) => rest.fail(reason),
    close: async () => {
      await (await made)?.close();
    },
  };
}
