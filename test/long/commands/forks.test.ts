/** Forks and resumes repeat what their parents hold; answers count it once. */
import { expect, test } from 'vitest';
import { answers, claudeLog, says, shell, type Turn } from '../../jobs/made-log.js';
import { editorsOf } from '../../../src/store/index.js';
import { formsThatRan } from '../../../src/store/search/answers.js';
import { begunStage, setStage, type Stage } from '../../stage.js';

const CWD = '/home/mira/code/kettle';
function edited(file: string): Turn {
  const input = { file_path: file, old_string: 'tea:', new_string: 'tea: water' };
  return {
    records: [
      {
        type: 'assistant',
        message: {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_edit', name: 'Edit', input }],
        },
      },
      {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_edit', content: 'done' }],
        },
      },
    ],
  };
}

/** An answer with the tokens that it took. */
function counted(output: number): Turn {
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-opus-4-5', content: [] };
  return {
    records: [
      {
        type: 'assistant',
        message: { ...message, usage: { input_tokens: 5, output_tokens: output } },
      },
    ],
  };
}

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  const parent = claudeLog({ session: 'a1', cwd: CWD, day: '2026-11-18' }, [
    says('Boil the water'),
    shell('pnpm test', '3 passed', 0),
    edited(`${CWD}/Makefile`),
    answers('The water boils.'),
    counted(7),
  ]);
  const own = claudeLog({ session: 'b2', cwd: CWD, day: '2026-11-19' }, [
    says('Boil it again'),
    shell('pnpm test', '3 passed', 0),
  ]);
  made.put('.claude/projects/-home-mira-code-kettle/a1.jsonl', parent);
  made.put(
    '.claude/projects/-home-mira-code-kettle/b2.jsonl',
    parent.replaceAll('"sessionId":"a1"', '"sessionId":"b2"') + own,
  );
  await made.type('run');
});

test('a run, an edit, a prompt and a command of a part that two sessions hold count once', async () => {
  const stage = await begun();
  const [ran, edited] = await stage.ask((db) =>
    Promise.all([formsThatRan(db, null), editorsOf(db, 'Makefile', null, 20)]),
  );
  expect(ran).toMatchObject([{ form: 'pnpm test', runs: 2, failed: 0, sessions: 2 }]);
  expect(edited).toMatchObject([{ session: 'a1', edits: 1 }]);
});

interface Counted {
  hits: { type: string; text: string; session: string; path: string }[];
  sessions: { session: string; entries: number }[];
  total: { messages: number; output: number };
}

async function countedIn(stage: Stage, query: string): Promise<Counted> {
  const found = {};
  for (const words of [
    ['search', query],
    ['sessions', '--automated'],
    ['usage', '--since', 'all'],
  ])
    Object.assign(found, JSON.parse((await stage.type(...words, '--json')).out));
  return found as Counted;
}

/** Entries of a search, and those of each session. */
async function messagesIn(
  stage: Stage,
): Promise<[texts: string[], sessions: string[], total: object]> {
  const { hits, sessions, total } = await countedIn(stage, 'water boils');
  return [
    hits.filter(({ type }) => type === 'entry').map(({ text }) => text),
    sessions.map(({ session, entries }) => `${session} ${entries}`).sort(),
    total,
  ];
}

test('a search, a session and tokens count a message of a fork once', async () => {
  const [texts, sessions, total] = await messagesIn(await begun());
  expect(texts.filter((text) => text === 'The water boils.')).toHaveLength(1);
  expect(new Set(texts).size).toBe(texts.length);
  expect(sessions).toEqual(['a1 6', 'b2 3']);
  expect(total).toMatchObject({ messages: 1, output: 7 });
});

test('what a compaction repeats, in its log and in that of a subagent, counts once', async () => {
  const stage = setStage({ now: '2026-11-21T12:00:00Z' });
  const log = claudeLog({ session: 'c3', cwd: CWD, day: '2026-11-18' }, [
    says('Boil the water'),
    answers('The water boils.'),
    counted(7),
  ]);
  const compacted = claudeLog({ session: 'c3', cwd: CWD, day: '2026-11-18', from: 20 }, [
    { records: [{ type: 'system', subtype: 'compact_boundary', content: 'compacted' }] },
  ]);
  const sub = claudeLog({ session: 'c3', cwd: CWD, day: '2026-11-18', from: 30 }, [
    answers('The lid is on.'),
  ]);
  const folder = '.claude/projects/-home-mira-code-kettle';
  stage.put(`${folder}/c3.jsonl`, log + compacted + log);
  stage.put(
    `${folder}/c3/subagents/agent-d4.jsonl`,
    (log + sub).replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"d4"'),
  );
  await stage.type('run');
  const [texts, sessions, total] = await messagesIn(stage);
  expect(texts.filter((text) => text === 'The water boils.')).toHaveLength(1);
  expect(sessions).toEqual(['agent-d4 1', 'c3 3']);
  expect(total).toMatchObject({ messages: 1, output: 7 });
});

test("a message that a fork repeats is its parent's, whichever is read first, also if the parent goes on", async () => {
  const parent = claudeLog({ session: 'e5', cwd: CWD, day: '2026-11-18' }, [
    says('Boil the water'),
    answers('The water boils.'),
  ]);
  const later = claudeLog({ session: 'e5', cwd: CWD, day: '2026-11-20' }, [says('Pour it')]);
  const forked = parent.replaceAll(
    '"sessionId":"e5"',
    '"sessionId":"f6","forkedFrom":{"sessionId":"e5","messageUuid":"m"}',
  );
  const own = claudeLog({ session: 'f6', cwd: CWD, day: '2026-11-19' }, [says('Add the lid')]);
  const folder = '.claude/projects/-home-mira-code-kettle';
  const logs = { e5: parent + later, f6: forked + own };
  for (const order of [['e5', 'f6'] as const, ['f6', 'e5'] as const]) {
    const stage = setStage({ now: '2026-11-21T12:00:00Z' });
    for (const session of order) {
      stage.put(`${folder}/${session}.jsonl`, logs[session]);
      await stage.type('run', '--only', 'ingest');
    }
    const { hits, sessions } = await countedIn(stage, 'water boils');
    const entries = hits.filter(({ type }) => type === 'entry');
    expect(entries.map(({ session }) => session)).toEqual(entries.map(() => 'e5'));
    expect(entries.map(({ path }) => path.slice(-8))).toEqual(entries.map(() => 'e5.jsonl'));
    expect(sessions.map(({ session, entries: n }) => `${session} ${n}`).sort()).toEqual([
      'e5 3',
      'f6 1',
    ]);
  }
});

const PI = '.pi/agent/sessions/--home-mira-code-kettle--';

function piLog(
  id: string,
  hour: number,
  parent: string | null,
  said: readonly [string, string][],
): string {
  const at = (minute: number): string => `2026-11-18T${hour}:0${minute}:00.000Z`;
  const header = { type: 'session', version: 3, id, timestamp: at(0), cwd: CWD };
  return [
    parent === null ? header : { ...header, parentSession: `/home/mira/${PI}/${parent}.jsonl` },
    ...said.map(([role, text], i) => ({
      ...{ type: 'message', id: `${id}${i}`, parentId: null, timestamp: at(i + 1) },
      message: { role, content: [{ type: 'text', text }] },
    })),
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

test('a fork whose original is gone is learnt from, until its original is read', async () => {
  const original = piLog('0a', 10, null, [
    ['user', 'Find out why the kettle whistles twice'],
    [
      'assistant',
      'The lid is loose, so the steam leaves twice.\n\nRemember: the lid of the kettle closes with a quarter turn.',
    ],
  ]);
  const [, ...copied] = original.split('\n');
  const fork = piLog('0b', 11, '0a', [['user', 'Thanks, that was it, close the lid now']]);
  const [head, ...own] = fork.split('\n');
  const lay = (stage: Stage, names: readonly string[]): void => {
    if (names.includes('0a')) stage.put(`${PI}/0a.jsonl`, original);
    if (names.includes('0b'))
      stage.put(`${PI}/0b.jsonl`, [head, ...copied.slice(0, -1), ...own].join('\n'));
  };
  const pageOf = async (stage: Stage): Promise<string> =>
    (await stage.type('context', '--project', 'kettle')).out;
  const alone = setStage({ now: '2026-11-21T12:00:00Z' });
  lay(alone, ['0b']);
  await alone.type('run');
  expect(await pageOf(alone)).toContain('`0b`');
  expect(await pageOf(alone)).toContain('quarter turn');
  const both = setStage({ now: '2026-11-21T12:00:00Z' });
  lay(both, ['0a', '0b']);
  await both.type('run');
  lay(alone, ['0a']);
  await alone.type('run');
  expect(await pageOf(alone)).toBe(await pageOf(both));
});
