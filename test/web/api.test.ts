/**
 * The HTTP API: every answer as its OpenAPI document says, every refusal with its status and next
 * step.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApi } from '../../src/web/openapi.js';
import { ROUTES } from '../../src/web/routes.js';
import { samplesStage } from '../commands/begun-stage.js';
import { setStage, type Stage } from '../commands/stage.js';
import { answers, claudeLog, says } from '../jobs/made-log.js';
import { mountVolume } from '../faults/volume.js';
import { type Asked, type Known, openWeb, type Web } from './stage.js';
import { testStage } from '../commands/test-stage.js';

/** Opens a database for as long as it is told. */
const HOLD = fileURLToPath(new URL('../faults/children/hold.mjs', import.meta.url));

let stage: Stage;
let web: Web;

beforeAll(async () => {
  stage = await samplesStage();
  writeFileSync(
    join(stage.stone, 'config.yaml'),
    'embed: {enabled: false}\nstore: {lock_wait_ms: 0}\n',
  );
  web = openWeb(stage);
}, 120_000);
afterAll(async () => {
  await web.close();
  stage.remove();
});

async function lessons(query = ''): Promise<Known[]> {
  return (await web.page('GET', `/lessons${query}`)).body['lessons'];
}

/** Checks an answer by the document, as a program that knows nothing but it would. */
function conforms(path: string, method: string, asked: Asked): void {
  const document = JSON.parse(JSON.stringify(openApi(ROUTES))) as Known;
  const { schema } =
    document['paths'][path][method].responses[asked.status === 200 ? 200 : asked.status].content[
      'application/json'
    ];
  const whole = { ...schema, $defs: document['components'].schemas };
  const local = JSON.parse(
    JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as z.core.JSONSchema.BaseSchema;
  const parsed = z.fromJSONSchema(local as never).safeParse(asked.body);
  expect(parsed.error?.issues ?? [], `${method} ${path}`).toEqual([]);
}

describe('reading', { timeout: 60_000 }, () => {
  test('each path answers what the document says, and what the command prints', async () => {
    const [first] = await lessons();
    const { id } = first!;
    const asked: [path: string, url: string, argv: string[]][] = [
      [
        '/search',
        '/search?q=checkout+test&limit=3',
        ['search', 'checkout test', '--limit', '3', '--project', 'all'],
      ],
      ['/context', '/context?project=tidepool', ['context', '--project', 'tidepool']],
      ['/lessons', '/lessons?all=1', ['lessons', 'list', '--all', '--project', 'all']],
      ['/lessons', '/lessons?withheld=true', ['lessons', 'list', '--withheld', '--project', 'all']],
      [
        '/lessons',
        '/lessons?conflicts=0&kind=command',
        ['lessons', 'list', '--kind', 'command', '--project', 'all'],
      ],
      ['/lessons/{id}', `/lessons/${id}`, ['lessons', 'show', id]],
      ['/lessons/{id}/why', `/lessons/${id}/why`, ['lessons', 'why', id]],
      ['/review', '/review', ['review', '--project', 'all']],
      ['/projects', '/projects', ['projects', 'list']],
      ['/show/{id}', `/show/${id}?around=1`, ['show', id]],
      ['/status', '/status', ['status']],
      [
        '/usage',
        '/usage?since=all&by=model',
        ['usage', '--since', 'all', '--by', 'model', '--project', 'all'],
      ],
    ];
    for (const [path, url, argv] of asked) {
      const answer = await web.page('GET', url);
      expect(answer.status, url).toBe(200);
      conforms(path, 'get', answer);
      await web.rest();
      const typed = await stage.type(...argv, '--json');
      // Times of looking differ; a use that was noted changes no answer here.
      expect(Object.keys(answer.body).sort()).toEqual(Object.keys(typed.json()).sort());
      if (path !== '/status' && path !== '/search') expect(answer.body, url).toEqual(typed.json());
    }
    const health = await web.page('GET', '/health');
    conforms('/health', 'get', health);
    expect(health.body).toMatchObject({ store: true, by: 'person' });
  });

  test('what is asked wrongly, for nothing, or for several has its own status and a next step', async () => {
    const all = await lessons('?all=1');
    const shared = new Set(all.map(({ id }) => id.slice(0, 3)));
    const asked: [string, number, string][] = [
      ['/search', 400, 'USAGE'],
      ['/search?q=a&mode=fast', 400, 'USAGE'],
      ['/search?q=-', 400, 'USAGE'],
      ['/search?q=%20-%20', 400, 'USAGE'],
      ['/search?q=%20', 400, 'USAGE'],
      ['/search?q=a&limit=0', 400, 'USAGE'],
      ['/lessons?nope=1', 400, 'USAGE'],
      ['/lessons?project=/etc', 400, 'USAGE'],
      ['/lessons?project=..%2F..', 400, 'USAGE'],
      ['/lessons?project=nowhere', 404, 'PROJECT_UNKNOWN'],
      ['/lessons/zzzzzz', 404, 'LESSON_UNKNOWN'],
      ['/show/zzzzzz', 404, 'NOT_FOUND'],
      ['/nope', 404, 'NOT_FOUND'],
    ];
    for (const [url, status, code] of asked) {
      const answer = await web.page('GET', url);
      expect([url, answer.status, answer.body['error']?.code]).toEqual([url, status, code]);
      expect(answer.body['error'].next, url).not.toBe('');
    }
    expect(shared.size).toBeGreaterThan(1);
    const several = await web.page('GET', '/lessons/test');
    expect(several.status).toBe(409);
  });

  test('a body that is too large, no JSON, or of another type is refused before it is looked at', async () => {
    const large = await web.socket('POST', '/entries', {
      entries: [{ text: 'x'.repeat(1_100_000) }],
    });
    expect([large.status, large.body['error'].code]).toEqual([413, 'TOO_LARGE']);
    expect((await web.page('POST', '/undo', '{"a":')).status).toBe(400);
    expect((await web.page('POST', '/undo', '[1]')).status).toBe(400);
    expect(
      (await web.page('POST', '/lessons', 'text=x', { 'content-type': 'text/plain' })).status,
    ).toBe(415);
  });
});

describe('writing', { timeout: 120_000 }, () => {
  const project = (): string =>
    readdirSync(join(stage.stone, 'projects')).find((name) => name.startsWith('tidepool-'))!;
  const files = (): string =>
    ['context.md', 'crystal.json']
      .map((name) => readFileSync(join(stage.stone, 'projects', project(), name), 'utf8'))
      .join('\n');

  test('the person adds, changes, pins, forgets and takes back; the files follow before the answer', async () => {
    const added = await web.page('POST', '/lessons', {
      text: 'Always rinse the tide gauge',
      project: 'tidepool',
    });
    conforms('/lessons', 'post', added);
    expect(added.body).toMatchObject({ by: 'person', action: 'add', lesson: { said_by: 'user' } });
    const id = added.body['id'];
    expect(files()).toContain('rinse the tide gauge');
    const changed = await web.page('PATCH', `/lessons/${id}`, {
      text: 'Always rinse the tide gauge twice',
      pinned: true,
    });
    conforms('/lessons/{id}', 'patch', changed);
    expect(changed.body['lesson']).toMatchObject({
      text: 'Always rinse the tide gauge twice',
      pinned: true,
    });
    expect(files()).toContain('gauge twice');
    conforms('/lessons/{id}', 'delete', await web.page('DELETE', `/lessons/${id}`));
    expect(
      readFileSync(join(stage.stone, 'projects', project(), 'context.md'), 'utf8'),
    ).not.toContain('gauge');
    const undone = await web.page('POST', '/undo', {});
    conforms('/undo', 'post', undone);
    expect(undone.body['lesson']).toMatchObject({ status: 'live' });
    expect(files()).toContain('gauge twice');
    expect((await web.page('PATCH', `/lessons/${id}`, {})).status).toBe(400);
    expect((await web.page('PATCH', `/lessons/${id}`, { kind: 'fact', pinned: true })).status).toBe(
      400,
    );
    expect((await web.page('POST', '/lessons', { text: 'nowhere' })).status).toBe(400);
  });

  test('over the socket an agent speaks: its own words at its trust, none of the person changed', async () => {
    const own = await web.socket('POST', '/lessons', {
      text: 'The gauge logs in feet',
      project: 'tidepool',
    });
    expect(own.body).toMatchObject({ by: 'api' });
    const [said] = (await lessons()).filter(({ said_by }) => said_by === 'user');
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { pinned: true }],
      ['PATCH', { text: 'something else entirely' }],
    ] as const) {
      const refused = await web.socket(method, `/lessons/${said!['id']}`, body);
      expect([method, refused.status, refused.body['error'].code]).toEqual([
        method,
        403,
        'PERSON_ONLY',
      ]);
    }
    expect((await web.socket('POST', `/review/${said!['id']}`, { keep: true })).status).toBe(403);
    expect((await web.socket('GET', '/view/start')).status).toBe(404);
  });

  test('a page that an agent opened is the agent’s', async () => {
    const other = openWeb(stage, { kind: 'agent', name: 'toy-agent' });
    const [said] = (await lessons()).filter(({ said_by }) => said_by === 'user');
    await web.rest();
    expect((await other.page('DELETE', `/lessons/${said!['id']}`)).status).toBe(403);
    expect((await other.page('GET', '/health')).body).toMatchObject({ by: 'toy-agent' });
    await other.close();
  });

  test('what was looked at waits no more, and waits again when that is taken back', async () => {
    const waiting = async () =>
      (await web.page('GET', '/review')).body['waiting'].map(
        ({ id }: { id: string }) => id,
      ) as string[];
    const before = await waiting();
    expect(before.length).toBeGreaterThan(0);
    const kept = await web.page('POST', `/review/${before[0]}`, { keep: true });
    conforms('/review/{id}', 'post', kept);
    expect(await waiting()).toEqual(before.slice(1));
    await web.page('POST', `/review/${before[0]}`, { keep: false });
    expect(await waiting()).toEqual(before);
  });

  test('entries go into the inbox masked, those that it would not read are named, and a run reads the others', async () => {
    const sent = await web.socket('POST', '/entries', {
      entries: [
        {
          agent: 'kite',
          session: 's1',
          role: 'user',
          text: 'Fly at noon, the key is AKIAIOSFODNN7EXAMPLR',
          at: '2026-11-20T10:00:00Z',
        },
        { agent: 'kite', session: 's1', role: 'pilot', text: 'up' },
      ],
    });
    conforms('/entries', 'post', sent);
    expect(sent.body).toEqual({
      version: 1,
      taken: 1,
      left_out: [{ index: 1, reason: 'no such role' }],
    });
    const [file] = readdirSync(join(stage.stone, 'inbox'));
    expect(readFileSync(join(stage.stone, 'inbox', file!), 'utf8')).not.toContain(
      'AKIAIOSFODNN7EXAMPLR',
    );
    await web.rest();
    expect((await stage.type('run')).code).toBe(0);
    const found = await web.page('GET', '/search?q=fly+at+noon&mode=keyword');
    expect(found.body['hits'][0]).toMatchObject({ agent: 'inbox', session: 'kite:s1' });
  });

  test('while another program holds the database the answer is 423 with a time to come back', async () => {
    const holding = spawn(process.execPath, [HOLD], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void holding.kill('SIGKILL'));
    await web.rest();
    holding.stdin.write(`${join(stage.stone, 'memory.duckdb')}\tread-write\n`);
    await once(holding.stdout, 'data');
    const busy = await web.page('GET', '/lessons');
    expect([busy.status, busy.headers.get('retry-after'), busy.body['error'].code]).toEqual([
      423,
      '2',
      'STORE_BUSY',
    ]);
    expect((await web.page('DELETE', '/lessons/abc')).status).toBe(423);
    holding.stdin.write('go\n');
    await once(holding.stdout, 'data');
    expect((await web.page('GET', '/lessons')).status).toBe(200);
  });
});

test('on a full disk an edit is refused with 507 and what to do, reading goes on, and so does writing with room', async ({
  skip,
}) => {
  const volume = mountVolume(160);
  if (volume === null) return skip('nothing may be mounted');
  onTestFinished(() => volume.remove());
  const full = setStage({ root: volume.path, config: 'embed: {enabled: false}\n' });
  full.put(
    '.claude/projects/-tide/t.jsonl',
    claudeLog({ session: 't', cwd: '/tide', day: '2026-11-19' }, [says('hello gauge')]),
  );
  expect((await full.type('run')).code).toBe(0);
  const asked = openWeb(full);
  onTestFinished(() => asked.close());
  const body = { text: 'Always rinse the tide gauge', project: 'tide' };
  volume.fillTo(20 * 2 ** 20);
  const refused = await asked.page('POST', '/lessons', body);
  expect([refused.status, refused.body['error']]).toEqual([
    507,
    {
      code: 'DISK_FULL',
      message: expect.stringContaining('kept in reserve') as string,
      next: expect.stringContaining('free') as string,
    },
  ]);
  expect((await asked.page('GET', '/lessons')).body['lessons']).toEqual([]);
  volume.drain();
  expect((await asked.page('POST', '/lessons', body)).status).toBe(200);
});

test('two that seem to contradict each other both hold when the person says so, and not any more after an undo', async () => {
  const kettle = testStage();
  const log = (session: string, day: string, text: string): void =>
    void kettle.put(
      `.claude/projects/-home-ann-kettle/${session}.jsonl`,
      claudeLog({ session, cwd: '/home/ann/kettle', day }, [says(text), answers('Done.')]),
    );
  log(
    '11111111-1111-4111-8111-111111111111',
    '2026-11-10',
    'Remember: always use pnpm in this repository, not npm',
  );
  log(
    '22222222-2222-4222-8222-222222222222',
    '2026-11-10',
    'Remember: always use npm in this repository, not pnpm',
  );
  await kettle.type('run');
  const other = openWeb(kettle);
  onTestFinished(() => other.close());
  const conflicts = async () =>
    (await other.page('GET', '/lessons?conflicts=1')).body['lessons'] as { id: string }[];
  const [a, b] = await conflicts();
  expect(b).toBeDefined();
  const apart = await other.page('POST', `/lessons/${a!.id}/apart`, { other: b!.id });
  expect(apart.status).toBe(200);
  conforms('/lessons/{id}/apart', 'post', apart);
  expect(await conflicts()).toEqual([]);
  expect((await other.socket('POST', `/lessons/${a!.id}/apart`, { other: b!.id })).status).toBe(
    403,
  );
  await other.page('POST', '/undo', {});
  expect((await conflicts()).map(({ id }) => id)).toEqual([a!.id, b!.id]);
}, 60_000);
