/**
 * Asks a server for vectors (`/v1/embeddings`), only if the config names it, and only with masked
 * text.
 */
import { AppError } from '../errors.js';
import type { Embedder } from '../types.js';
import { shortHash } from '../text/fingerprint.js';

export interface EndpointOptions {
  /** The base address, up to and including `/v1`. */
  url: string;
  model: string;
  /** Null for servers that need none. */
  key: string | null;
  documentPrefix: string;
  queryPrefix: string;
  timeoutMs: number;
  /** Aborts open requests before the process ends. */
  signal?: AbortSignal;
  /** Called after each good answer. */
  answered?: () => void;
}

/** Texts per request: few enough that a small server answers within seconds. */
const BATCH = 32;
/** Time limit for a question's vector, since a person waits. */
const QUERY_MS = 10_000;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const MOST_DIMENSIONS = 8192;
/** Characters quoted from an error's body, which may be a whole page. */
const ERROR_CHARS = 200;
/** With these statuses the text may be the cause, for example if it is too long. */
const OF_TEXT = new Set([400, 413, 422]);
/** If a server rejects a text, this text shows whether it accepts any. */
const ANY_TEXT = 'dripstone';

/** Depends on server, model and document prefix, not on the key. */
function endpointFingerprint({ url, model, documentPrefix }: EndpointOptions): string {
  return `${model}:endpoint:${shortHash(JSON.stringify([baseOf(url), model, documentPrefix]))}`;
}

function baseOf(url: string): string {
  return url.replace(/\/+$/, '');
}

export class EndpointEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly batch = BATCH;
  readonly sends = true;
  dimensions = 0;

  constructor(private readonly options: EndpointOptions) {
    this.fingerprint = endpointFingerprint(options);
  }

  async embed(texts: string[]): Promise<Float32Array[]> {
    const { documentPrefix, timeoutMs } = this.options;
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(
        ...(await this.ask(
          texts.slice(at, at + BATCH).map((text) => documentPrefix + text),
          timeoutMs,
        )),
      );
    return vectors;
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const input = [this.options.queryPrefix + text];
    return (await this.ask(input, Math.min(QUERY_MS, this.options.timeoutMs)))[0]!;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * @throws AppError EMBED_FAILED for texts that the server rejects, ENDPOINT_FAILED for everything
   * else
   */
  private async ask(input: string[], timeoutMs: number): Promise<Float32Array[]> {
    const vectors = vectorsIn(await this.post(input, timeoutMs), input.length);
    for (const vector of vectors) {
      this.dimensions ||= vector.length;
      if (vector.length !== this.dimensions)
        throw this.failed(`gives vectors of ${vector.length} dimensions and of ${this.dimensions}`);
    }
    this.options.answered?.();
    return vectors;
  }

  private async post(input: string[], timeoutMs: number): Promise<unknown> {
    const { url, model, key, signal } = this.options;
    const late = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? late : AbortSignal.any([late, signal]);
    let response: Response;
    let text: string;
    try {
      // A redirect could send texts and the key to another host.
      response = await fetch(`${baseOf(url)}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input }),
        signal: ended,
        redirect: 'error',
      });
      text = await this.bodyOf(response);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (late.aborted) throw this.failed(`did not answer within ${timeoutMs / 1000} s`, error);
      const code = (error as { cause?: { code?: string } }).cause?.code;
      throw this.failed(`cannot be reached${code === undefined ? '' : ` (${code})`}`, error);
    }
    if (response.ok) return this.parsed(text);
    const says = `answers ${response.status}: ${text.replace(/\s+/g, ' ').slice(0, ERROR_CHARS)}`;
    if (!OF_TEXT.has(response.status)) throw this.failed(says);
    // A wrong request fails with any text, so it must not mark this text as failed.
    if (input[0] !== ANY_TEXT) await this.ask([ANY_TEXT], timeoutMs);
    else throw this.failed(says);
    throw new AppError('EMBED_FAILED', `${this.host()} ${says}`);
  }

  private parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.failed('does not answer with JSON', error);
    }
  }

  private async bodyOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MOST_ANSWER_BYTES) throw this.failed(`sends more than ${MOST_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  private failed(says: string, cause?: unknown): AppError {
    return new AppError('ENDPOINT_FAILED', `the embedding server ${this.host()} ${says}`, {
      hint: 'see embed.url, embed.model and embed.key_variable in config.yaml',
      ...(cause === undefined ? {} : { cause }),
    });
  }

  /** The host alone, since the whole address may contain a key. */
  private host(): string {
    try {
      return new URL(this.options.url).host;
    } catch {
      return 'at embed.url';
    }
  }
}

/** `{data: [{index, embedding}]}` as vectors of unit length, in the order of the texts. */
function vectorsIn(answer: unknown, count: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  const wrong = (what: string): AppError =>
    new AppError('ENDPOINT_FAILED', `the embedding server's answer ${what}`);
  if (!Array.isArray(data) || data.length !== count) throw wrong(`does not have ${count} vectors`);
  const vectors = new Array<Float32Array>(count);
  data.forEach((each: { index?: unknown; embedding?: unknown } | null, i) => {
    const at = typeof each?.index === 'number' ? each.index : i;
    const numbers = each?.embedding;
    if (
      !Array.isArray(numbers) ||
      numbers.length === 0 ||
      numbers.length > MOST_DIMENSIONS ||
      !(at in data)
    )
      throw wrong('has something that is not a vector');
    const vector = unitOf(numbers as unknown[]);
    if (vector === null)
      throw wrong('has a vector with something else than numbers, or only zeros');
    vectors[at] = vector;
  });
  if (Object.keys(vectors).length !== count) throw wrong('names a text twice');
  return vectors;
}

function unitOf(numbers: readonly unknown[]): Float32Array | null {
  if (!numbers.every((x) => typeof x === 'number' && Number.isFinite(x))) return null;
  const norm = Math.sqrt((numbers as number[]).reduce((sum, x) => sum + x * x, 0));
  const vector = Float32Array.from(numbers as number[], (x) => x / norm);
  return vector.every(Number.isFinite) ? vector : null;
}
