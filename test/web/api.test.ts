/** The HTTP API: every answer as the command prints it, every refusal with its status and next step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROUTES } from '../../src/web/routes.js';
import { type Known, type Stage, type Web, openWeb, samplesStage, setStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';

/** Opens a database for as long as it is told. */
const HOLD = fileURLToPath(new URL('../faults/children/hold.mjs', import.meta.url));

let stage: Stage;
let web: Web;

beforeAll(async () => {
  stage = await samplesStage();
  stage.lockWaitMs = 0;
  web = openWeb(stage);
}, 120_000);
afterAll(async () => {
  await web.close();
});

async function lessons(query = ''): Promise<Known[]> {
  return (await web.page('GET', `/lessons${query}`)).body['lessons'];
}

describe('reading', { timeout: 60_000 }, () => {
  test('docs/cli.md lists the routes', () => {
    const documented = readFileSync('docs/cli.md', 'utf8').matchAll(
      /`(GET|POST|PATCH|DELETE)\s+(\/[^` ?]*)/g,
    );
    expect([...documented].map(([, method, path]) => `${method} ${path}`)).toEqual(
      ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    );
  });

  test('what a command prints, too, is the same', async () => {
    const [first] = await lessons();
    const { id } = first!;
    const asked: [url: string, argv: string[]][] = [
      [
        '/search?q=checkout+test&limit=3',
        ['search', 'checkout test', '--limit', '3', '--project', 'all'],
      ],
      ['/lessons?all=1', ['lessons', 'list', '--all', '--project', 'all']],
      ['/lessons?withheld=true', ['lessons', 'list', '--withheld', '--project', 'all']],
      ['/lessons?all=0&kind=command', ['lessons', 'list', '--kind', 'command', '--project', 'all']],
      [`/show/${id}?around=1`, ['show', id]],
      ['/status', ['status']],
      [
        '/usage?since=all&by=model',
        ['usage', '--since', 'all', '--by', 'model', '--project', 'all'],
      ],
    ];
    for (const [url, argv] of asked) {
      const answer = await web.page('GET', url);
      expect(answer.status, url).toBe(200);
      await web.rest();
      const typed = (await stage.type(...argv, '--json')).json<Known>();
      // Times of looking differ; a use that was noted changes no answer here.
      expect(Object.keys(answer.body).sort()).toEqual(Object.keys(typed).sort());
      if (!/^\/(?:status|search)/.test(url)) expect(answer.body, url).toEqual(typed);
    }
    const [review, lesson] = [
      await web.page('GET', '/review'),
      await web.page('GET', `/lessons/${id}`),
    ];
    await web.rest();
    const reviewed = (await stage.type('review', '--project', 'all', '--json')).json<Known>();
    expect(review.body['waiting']).toEqual(reviewed['waiting']);
    expect(review.body['wishes']).toEqual(reviewed['wishes']);
    const why = (await stage.type('lessons', 'why', id, '--json')).json<Known>();
    expect(lesson.body['why']).toEqual(why['lines']);
  });

  test('a question is answered as recall answers it, a rule that was broken names where, and two that say the same are two when the person says so', async () => {
    const kettle = setStage();
    const log = (session: string, day: string, turns: ReturnType<typeof says>[]): void =>
      void kettle.log({ session, cwd: '/home/ann/kettle', day }, turns);
    log('11111111-1111-4111-8111-111111111111', '2026-11-10', [
      says('Remember: Never run `npm install` here, use pnpm'),
      answers('Noted.'),
    ]);
    log('22222222-2222-4222-8222-222222222222', '2026-11-12', [
      says('Add the steam sensor'),
      shell('npm install steam', 'added 1 package', 0),
      answers('Done.'),
    ]);
    for (const text of [
      'Remember: run `make gen` before the tests of src/gen',
      'Remember: run `make gen` first, before any tests of src/gen',
    ])
      log(`${text.length}333333-3333-4333-8333-333333333333`, '2026-11-10', [
        says('Look at the kettle'),
        answers(text),
      ]);
    expect((await kettle.type('run')).code).toBe(0);
    const own = openWeb(kettle);
    onTestFinished(() => own.close());
    const { rules } = (await own.page('GET', '/review')).body;
    expect(rules).toMatchObject([
      {
        told: 1,
        broken: 1,
        breaks: [{ agent: 'claude-code', what: 'npm install steam' }],
        guard: null,
        commands: ['npm install'],
      },
    ]);
    const guarded = await own.page('POST', `/rules/${rules[0].id}/guard`, { guard: 'deny' });
    expect(guarded.body).toMatchObject({ id: rules[0].id, guard: 'deny' });
    expect((await own.page('GET', '/review')).body['rules'][0].guard).toBe('deny');
    const q = 'add the steam sensor';
    const { body } = await own.page('GET', `/recall?q=${encodeURIComponent(q)}&project=kettle`);
    await own.rest();
    const printed = (await kettle.type('recall', q, '--project', 'kettle', '--json')).json();
    expect(printed).toMatchObject({ type: 'prompt', project: expect.any(String) as string });
    expect(body).toEqual(printed);
    const gens = async (): Promise<{ id: string; status: string }[]> => {
      const { lessons: all } = (await own.page('GET', '/lessons?all=1')).body;
      return (all as { id: string; status: string; text: string }[]).filter(({ text }) =>
        text.includes('make gen'),
      );
    };
    const statuses = async (): Promise<string[]> =>
      (await gens()).map(({ status }) => status).sort();
    const [a, b] = await gens();
    expect(await statuses()).toEqual(['live', 'superseded']);
    const apart = await own.page('POST', `/lessons/${a!.id}/apart`, { other: b!.id });
    expect(apart.status).toBe(200);
    expect(await statuses()).toEqual(['live', 'live']);
    await own.page('POST', '/undo', {});
    expect(await statuses()).toEqual(['live', 'superseded']);
  });

  test('what is asked wrongly, or is not there, has its own status and a next step', async () => {
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
      ['/openapi.json', 404, 'NOT_FOUND'],
      ['/sessions?before=x', 400, 'USAGE'],
    ];
    for (const [url, status, code] of asked) {
      const answer = await web.page('GET', url);
      expect([url, answer.status, answer.body['error']?.code]).toEqual([url, status, code]);
      expect(answer.body['error'].next, url).toMatch(/\S/);
    }
  });

  test('a body that is too large, no JSON, or of another type is refused before it is looked at', async () => {
    const large = await web.page('POST', '/lessons', { text: 'x'.repeat(1_100_000) });
    expect([large.status, large.body['error'].code]).toEqual([413, 'TOO_LARGE']);
    expect((await web.page('POST', '/undo', '{"a":')).status).toBe(400);
    expect((await web.page('POST', '/undo', '[1]')).status).toBe(400);
    expect(
      (await web.page('POST', '/lessons', 'text=x', { 'content-type': 'text/plain' })).status,
    ).toBe(415);
  });
});

describe('writing', { timeout: 120_000 }, () => {
  /** The files of the project that hold a text. */
  const holders = (text: string): string[] =>
    ['context.md', 'crystal.json', 'detail/preferences.md'].filter((name) =>
      readFileSync(join(stage.folder('tidepool'), name), 'utf8').includes(text),
    );

  test('the person adds, changes, pins, forgets and takes back; the files follow before the answer', async () => {
    const added = await web.page('POST', '/lessons', {
      text: 'Always rinse the tide gauge',
      project: 'tidepool',
    });
    expect(added.body).toMatchObject({ by: 'person', action: 'add', lesson: { said_by: 'user' } });
    const id = added.body['id'];
    expect(holders('rinse the tide gauge')).toHaveLength(3);
    const changed = await web.page('PATCH', `/lessons/${id}`, {
      text: 'Always rinse the tide gauge twice',
      pinned: true,
    });
    expect(changed.body['lesson']).toMatchObject({
      text: 'Always rinse the tide gauge twice',
      pinned: true,
    });
    expect(holders('gauge twice')).toHaveLength(3);
    expect((await web.page('DELETE', `/lessons/${id}`)).status).toBe(200);
    // The crystal keeps what a hand wrote, so that it can be taken back.
    expect(holders('gauge twice')).toEqual(['crystal.json']);
    const undone = await web.page('POST', '/undo', {});
    expect(undone.body['lesson']).toMatchObject({ status: 'live' });
    expect(holders('gauge twice')).toHaveLength(3);
    expect((await web.page('PATCH', `/lessons/${id}`, {})).status).toBe(400);
    expect((await web.page('PATCH', `/lessons/${id}`, { kind: 'fact', pinned: true })).status).toBe(
      400,
    );
    expect((await web.page('POST', '/lessons', { text: 'nowhere' })).status).toBe(400);
  });

  test('a page that an agent opened is the agent’s: its own words, none of the person changed', async () => {
    const [said] = (await lessons()).filter(({ said_by }) => said_by === 'user');
    await web.rest();
    const other = openWeb(stage, { kind: 'agent', name: 'toy-agent' });
    onTestFinished(() => other.close());
    expect((await other.page('GET', '/start')).body).toMatchObject({ by: 'toy-agent' });
    const own = await other.page('POST', '/lessons', {
      text: 'The gauge logs in feet',
      project: 'tidepool',
    });
    expect(own.body).toMatchObject({ by: 'toy-agent' });
    for (const [method, path, body] of [
      ['DELETE', `/lessons/${said!['id']}`, undefined],
      ['PATCH', `/lessons/${said!['id']}`, { pinned: true }],
      ['PATCH', `/lessons/${said!['id']}`, { text: 'something else entirely' }],
      ['POST', `/review/${said!['id']}`, { keep: true }],
      ['POST', `/rules/${said!['id']}/guard`, { guard: 'deny' }],
    ] as const) {
      const refused = await other.page(method, path, body);
      expect([method, refused.status, refused.body['error'].code]).toEqual([
        method,
        403,
        'PERSON_ONLY',
      ]);
    }
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
