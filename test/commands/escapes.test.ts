/**
 * What others wrote reaches a terminal with its control characters shown, whatever command prints
 * it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { visible } from '../../src/errors.js';
import { says, shell } from '../jobs/made-log.js';
import { type Stage, setStage } from '../stage.js';

let stage: Stage;

const HOSTILE = '\u001b]52;c;cm0gLXJmIH4=\u0007\u009b2J\u202e';

const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const SESSION = '11111111-1111-4111-8111-111111111111';

test('every reading command, on a terminal and as JSON, shows what would steer it', async () => {
  stage = setStage({ config: `embed: {enabled: false}\n` });
  const cwd = `/home/ann/kettle${HOSTILE}`;
  stage.log({ session: SESSION, cwd, day: '2026-11-20' }, [
    says(`Remember: always use tabs ${HOSTILE} for the zebrafish, never spaces.`),
    shell(`echo zebrafish ${HOSTILE}`, `zebrafish ${HOSTILE}`, 0),
    shell(`make zebrafish`, `error: zebrafish ${HOSTILE}`, 2),
  ]);
  stage.put(`.claude/projects/-kettle/bad\u001b]0;own\u0007.jsonl`, 'not json\n');
  mkdirSync(join(stage.home, '.claude/projects/-kettle/folder\u001b[2J.jsonl'));
  const said = [await stage.type('run')];
  writeFileSync(
    join(
      stage.stone,
      'projects',
      (await stage.type('sql', 'SELECT slug FROM projects')).json<{ slug: string }>().slug,
      'notes.md',
    ),
    `zebrafish ${HOSTILE}\n`,
  );
  const hit = (await stage.type('search', 'zebrafish', '--json', '--project', 'all'))
    .json<{ hits: { type: string; id: string }[] }>()
    .hits.find(({ type }) => type === 'entry')!;
  for (const words of [
    ['search', 'zebrafish', '--project', 'all'],
    ['show', hit.id],
    ['status'],
    ['status', '--check'],
    ['lessons', 'list', '--all', '--project', 'all'],
    ['context', '--project', 'all'],
    ['recall', 'zebrafish'],
    ['sql', 'SELECT text, cwd, path FROM entries'],
    ['sql', `SELECT '${HOSTILE}' AS "${HOSTILE}"`],
    ['sql', `SELECT ${HOSTILE}`],
    ['model'],
    ['link', '--print'],
    ['service', 'status'],
    ['nosuch\u001b[2J'],
    ['lessons', 'show', 'a\u001b[2J'],
    ['context', '--project', `x${HOSTILE}`],
  ]) {
    said.push(await stage.type(...words));
    if (['search', 'show', 'status', 'lessons', 'context'].includes(words[0]!))
      said.push(await stage.type(...words, '--json'));
  }
  expect(said.some(({ out }) => /always use tabs \S*\\u202e for the zebrafish/.test(out))).toBe(
    true,
  );
  for (const { out, err } of said)
    expect([STEERS.exec(out), STEERS.exec(err)]).toEqual([null, null]);
  expect(said.some(({ out }) => out.includes('\\u001b]52;c;'))).toBe(true);
  const { text } = (
    await stage.type(
      'sql',
      `SELECT text FROM entries WHERE role = 'tool_result' AND text LIKE 'zebrafish%'`,
    )
  ).json<{ text: string }>();
  expect(text).toBe(`zebrafish ${HOSTILE}`);
});

test('line ends and tabs stay; every other control character has a visible form that JSON reads back', () => {
  expect(visible('a\tb\nc\r\nd')).toBe('a\tb\nc\nd');
  expect(visible('\r\u001b[0m\u009b\u202e\u007f')).toBe('\\u000d\\u001b[0m\\u009b\\u202e\\u007f');
  const value = { a: `\u0085\u2066${HOSTILE}` };
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
});
