/** Opens connections to a language model. */
import { type LanguageModel, MOST_ANSWER_BYTES, ModelError } from './model.js';

const BUSY = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
/** There was no connection, so nothing was sent. */
const UNSENT = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT'.split(' '),
);
/** Characters of an error's body that are reported, since the body may be a whole page. */
const REPORTED_CHARS = 200;

/**
 * Posts JSON and reads JSON.
 * @throws ModelError: `timeout` when the signal ends it, `busy` for 429 and 5xx, `refused` for
 * other statuses, `failed` when no server listens or the answer is not JSON
 */
async function postJson(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    // Redirects could carry the key to another host.
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
      redirect: 'error',
    });
    const text = await readBody(response);
    if (!response.ok)
      throw new ModelError(
        BUSY.has(response.status) ? 'busy' : 'refused',
        `${hostOf(url)} answers ${response.status}: ${text.replace(/\s+/g, ' ').slice(0, REPORTED_CHARS)}`,
      );
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw toModelError(error, url, signal);
  }
}

/** Reads JSON from a server on this machine; null if the server does not answer in time. */
export async function getJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    return response.ok ? (JSON.parse(await readBody(response)) as unknown) : null;
  } catch {
    return null;
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER_BYTES)
      throw new ModelError(
        'failed',
        `${hostOf(response.url)} sends more than ${MOST_ANSWER_BYTES} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toModelError(error: unknown, url: string, signal: AbortSignal): ModelError {
  if (error instanceof ModelError) return error;
  if (signal.aborted)
    return new ModelError('timeout', `${hostOf(url)} did not answer in time`, error);
  if (error instanceof SyntaxError)
    return new ModelError('failed', `${hostOf(url)} does not answer with JSON`, error);
  const cause = (error as { cause?: { code?: string } }).cause?.code;
  const message = `${hostOf(url)} cannot be reached${cause === undefined ? '' : ` (${cause})`}`;
  return new ModelError('failed', message, error, cause === undefined || !UNSENT.has(cause));
}

/** The host alone, since the whole address may contain a key. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'the address';
  }
}

/** Whether a server runs on this machine. */
export function isOnThisMachine(url: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(hostOf(url));
}

// Anthropic's `/v1/messages` (version 2023-06-01).

interface Message {
  content?: { type?: unknown; text?: unknown }[];
  usage?: { input_tokens?: unknown; output_tokens?: unknown };
}

/** @param url the base without `/v1`; the default is Anthropic's own */
export function openAnthropic(url: string, model: string, key: string): LanguageModel {
  return {
    provider: 'anthropic',
    model,
    async ask(prompt, { maxTokens, signal }) {
      const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
      const body = {
        model,
        max_tokens: maxTokens,
        temperature: 0,
        messages: [{ role: 'user', content: prompt }],
      };
      const address = `${url.replace(/\/+$/, '')}/v1/messages`;
      const answer = (await postJson(address, headers, body, signal)) as Message | null;
      const texts = (answer?.content ?? [])
        .filter((block) => block.type === 'text' && typeof block.text === 'string')
        .map((block) => block.text as string);
      if (texts.length === 0) throw new ModelError('failed', `the answer of ${model} has no text`);
      return {
        text: texts.join('\n'),
        tokensIn: countOf(answer?.usage?.input_tokens),
        tokensOut: countOf(answer?.usage?.output_tokens),
      };
    },
  };
}

// Every server with `/v1/chat/completions`: Ollama, llama-server, LM Studio, OpenAI and others.

interface Completion {
  choices?: { message?: { content?: unknown } }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
}

/**
 * @param url the base, up to and with `/v1`
 * @param key null for servers that need none
 */
export function openOpenAi(url: string, model: string, key: string | null): LanguageModel {
  return {
    provider: 'openai',
    model,
    async ask(prompt, { maxTokens, signal, schema }) {
      const headers: Record<string, string> =
        key === null ? {} : { authorization: `Bearer ${key}` };
      // Small models have no system role. With temperature 0 the same session gives the same
      // lessons, if the server supports this.
      const body = {
        model,
        messages: [{ role: 'user', content: prompt }],
        max_tokens: maxTokens,
        temperature: 0,
        stream: false,
      };
      const address = `${url.replace(/\/+$/, '')}/chat/completions`;
      const post = (more: object) => postJson(address, headers, { ...body, ...more }, signal);
      const answer = (await withShape(post, schema)) as Completion | null;
      const text = answer?.choices?.[0]?.message?.content;
      if (typeof text !== 'string')
        throw new ModelError('failed', `the answer of ${model} has no message`);
      return {
        text,
        tokensIn: countOf(answer?.usage?.prompt_tokens),
        tokensOut: countOf(answer?.usage?.completion_tokens),
      };
    },
  };
}

/**
 * Sends the schema of the answer. If the server refuses the schema (400, 422), asks once more
 * without it.
 */
async function withShape(
  post: (more: object) => Promise<unknown>,
  schema: object | undefined,
): Promise<unknown> {
  if (schema === undefined) return post({});
  try {
    return await post({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
  } catch (error) {
    if (error instanceof ModelError && SHAPELESS.test(error.message)) return post({});
    throw error;
  }
}

const SHAPELESS = / answers (?:400|422): .*(?:response_format|json_schema|schema)/;

/** A token count from the provider; null if it is no count. */
function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value)
    : null;
}
