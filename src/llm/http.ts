/** The only place that opens a connection. */
import { ModelError, MOST_ANSWER_BYTES } from './model.js';

const BUSY = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
/** What is told of an error's body: it may be a whole page. */
const TOLD_CHARS = 200;

/**
 * Posts JSON and reads JSON.
 * @throws ModelError: `timeout` when the signal ends it, `busy` for 429 and 5xx, `refused` for other statuses, `failed` when nobody listens or the answer is not JSON
 */
export const postJson = async (
  url: string,
  headers: Record<string, string>,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> => {
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
        `${hostOf(url)} answers ${response.status}: ${text.replace(/\s+/g, ' ').slice(0, TOLD_CHARS)}`,
      );
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw toModelError(error, url, signal);
  }
};

/** Reads JSON from a server on this machine, or null when nobody answers within the time. */
export const getJson = async (url: string, timeoutMs: number): Promise<unknown> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    return response.ok ? (JSON.parse(await readBody(response)) as unknown) : null;
  } catch {
    return null;
  }
};

const readBody = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER_BYTES)
      throw new ModelError('failed', `${hostOf(response.url)} sends more than ${MOST_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const toModelError = (error: unknown, url: string, signal: AbortSignal): ModelError => {
  if (error instanceof ModelError) return error;
  if (signal.aborted) return new ModelError('timeout', `${hostOf(url)} did not answer in time`, error);
  if (error instanceof SyntaxError) return new ModelError('failed', `${hostOf(url)} does not answer with JSON`, error);
  const cause = (error as { cause?: { code?: string } }).cause?.code;
  return new ModelError('failed', `${hostOf(url)} cannot be reached${cause === undefined ? '' : ` (${cause})`}`, error);
};

/** Never the whole address: it may hold a key. */
const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return 'the address';
  }
};
