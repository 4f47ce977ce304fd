/** A call ends with its time, whatever the garbage collector does meanwhile. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { startCall } from '../../src/jobs/asking/pending-call.js';
import type { ModelRequest } from '../../src/jobs/asking/question.js';
import { openModel } from '../../src/llm/index.js';
import { startServer } from '../llm/server.js';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

test('a server that never answers runs into the limit', async () => {
  const { url } = await startServer(() => null);
  const model = openModel(
    { provider: 'openai', model: 'toy', url, key_variable: '', command: [] },
    {},
    '/nowhere',
  )!;
  const flight = startCall(model, { prompt: 'hello' } as ModelRequest, {
    time: '',
    timeoutMs: 300,
    mono: () => 0,
  });
  const collecting = setInterval(collect, 20);
  await flight.done;
  clearInterval(collecting);
  expect(flight.ended?.error?.failure).toBe('timeout');
});
