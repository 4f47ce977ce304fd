import { expect, test } from 'vitest';
import { EndpointEmbedder, type EndpointOptions } from '../../src/embed/endpoint.js';
import { leaseModel, type EmbedSettings } from '../../src/embed/lease.js';
import { startVectorServer, status } from './server.js';

function options(url: string, more: Partial<EndpointOptions> = {}): EndpointOptions {
  const none = { key: null, documentPrefix: '', queryPrefix: '' };
  return { url, model: 'toy', ...none, timeoutMs: 5000, ...more };
}

function length(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}

test('texts go in batches with what stands before them, a question with its own; vectors come back in order, of unit length', async () => {
  const server = await startVectorServer(6);
  const embedder = new EndpointEmbedder(
    options(`${server.url}/`, { key: 'k', documentPrefix: 'passage: ', queryPrefix: 'query: ' }),
  );
  const texts = Array.from({ length: 40 }, (_, i) => 'abcdef'[i % 6]!.repeat(9));
  const vectors = await embedder.embed(texts);
  expect(server.asked.map(({ input }) => input.length)).toEqual([32, 8]);
  expect(server.asked[0]).toMatchObject({ model: 'toy', key: 'Bearer k' });
  expect(server.asked[0]!.input[0]).toBe('passage: aaaaaaaaa');
  expect(vectors[0]).toEqual(vectors[6]);
  expect(vectors[0]).not.toEqual(vectors[1]);
  for (const vector of vectors) expect(length(vector)).toBeCloseTo(1, 5);
  await embedder.embedQuery('why');
  expect(server.asked.at(-1)!.input).toEqual(['query: why']);
  expect(embedder.dimensions).toBe(6);
});

test.each([
  ['a wrong key', (url: string) => options(url), status(401), /127\.0\.0\.1:\d+ answers 401/],
  [
    'a redirect',
    (url: string) => options(url),
    status(307, { location: 'http://192.0.2.1/' }),
    /cannot be reached/,
  ],
  [
    'one that never answers',
    (url: string) => options(url, { timeoutMs: 50 }),
    () => undefined,
    /did not answer within 0.05 s/,
  ],
  [
    'no JSON',
    (url: string) => options(url),
    (_: unknown, r: { end(s: string): void }) => r.end('<html>'),
    /not answer with JSON/,
  ],
  [
    'too few vectors',
    (url: string) => options(url),
    (_: unknown, r: { end(s: string): void }) => r.end('{"data":[]}'),
    /does not have 1 vectors/,
  ],
  [
    'no numbers',
    (url: string) => options(url),
    (_: unknown, r: { end(s: string): void }) =>
      r.end('{"data":[{"index":0,"embedding":[null,1]}]}'),
    /something else than numbers/,
  ],
])('%s is said clearly, and nothing of the text or key in it', async (_, how, instead, says) => {
  const server = await startVectorServer(4);
  server.instead = instead as typeof server.instead;
  const embedder = new EndpointEmbedder({ ...how(server.url), key: 'open-sesame' });
  const error = await embedder.embed(['my private text']).then(
    () => null,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({
    code: 'ENDPOINT_FAILED',
    message: expect.stringMatching(says) as string,
  });
  expect(error!.message).not.toMatch(/open-sesame|private/);
});

test('a text that is too long is given up alone; a request that is wrong with any text gives none up', async () => {
  const server = await startVectorServer(4);
  const embedder = new EndpointEmbedder(options(server.url));
  server.instead = ({ input }, response) =>
    input[0]!.length > 9 ? void response.writeHead(400).end() : 'answer';
  await expect(embedder.embed(['much too long'])).rejects.toMatchObject({ code: 'EMBED_FAILED' });
  server.instead = status(400);
  await expect(embedder.embed(['short'])).rejects.toMatchObject({ code: 'ENDPOINT_FAILED' });
});

test('a server that failed twice in a row rests a minute, then two, and is asked again; a missing key or name is said', async () => {
  const server = await startVectorServer(4);
  const settings: EmbedSettings = {
    enabled: true,
    model: 'toy',
    url: server.url,
    key_variable: '',
  };
  let now = 0;
  const lease = (more: Partial<EmbedSettings> = {}) =>
    leaseModel({
      settings: { ...settings, ...more },
      shipped: '/nowhere',
      userHome: '/home/ann',
      env: { EMPTY: '' },
      signal: new AbortController().signal,
      mono: () => now,
    });
  const one = lease();
  const embedder = await one.get();
  one.fail('no answer');
  expect([await one.get(), one.problem()]).toEqual([embedder, 'no answer']);
  one.fail('no answer');
  expect(await one.get()).toBeNull();
  now = 60_000;
  expect(await one.get()).toBe(embedder);
  one.fail('no answer');
  now = 120_000;
  expect(await one.get()).toBeNull();
  now = 180_000;
  await (await one.get())!.embed(['works']);
  expect(one.problem()).toBeNull();
  one.fail('no answer');
  expect(await one.get()).toBe(embedder);
  expect(lease({ model: '' }).problem()).toMatch(/embed\.model is empty/);
  expect(lease({ key_variable: 'EMPTY' }).problem()).toMatch(/EMPTY .* is not set/);
  expect(server.asked).toHaveLength(1);
});
