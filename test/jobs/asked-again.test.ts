/**
 * A question that is answered later: the answer meets the lines that were shown, whatever the
 * session holds by then.
 */
import { afterAll, expect, test } from 'vitest';
import { setStage } from '../commands/stage.js';
import { answers, claudeLog, says, shell, type Turn } from './made-log.js';

const stage = setStage({
  config: 'embed: {enabled: false}\nllm: {session_tokens: 2500, window_tokens: 4600}\n',
});
afterAll(() => stage.remove());

const ID = '11111111-1111-4111-8111-111111111111';
const LOG = `.claude/projects/-home-ann-kettle/${ID}.jsonl`;
/**
 * More than one part, and more than all parts may show: which lines are left out depends on all of
 * them.
 */
const turns: Turn[] = Array.from({ length: 40 }, (_, n) => [
  says(
    `step ${n}: the gauge of boiler ${n} must show bars, since the field team reads nothing else on that panel`,
  ),
  shell(`make gauge-${n}`, `ok, gauge ${n} built`, 0),
  answers(
    `Gauge ${n} is drawn in bars now; the old scale of boiler ${n} was in psi because the first supplier sent psi.`,
  ),
]).flat();
const log = (count: number): string =>
  claudeLog({ session: ID, cwd: '/home/ann/kettle', day: '2026-11-10' }, turns.slice(0, count));

/** The last typed line that a prompt shows, and its number. */
function lastTyped(prompt: string): [line: number, quote: string] {
  const found = [...prompt.matchAll(/^\[(\d+)\] user: (.+)$/gm)].at(-1)!;
  return [Number(found[1]), found[2]!];
}

interface Question {
  question: string;
  prompt: string;
}
const next = async (): Promise<Question> =>
  (await stage.type('tidy', '--project', 'all', '--json')).json<{ questions: Question[] }>()
    .questions[0]!;

/** Answers with the last typed line that was shown. @returns what came of it */
async function answerTo({ question, prompt }: Question): Promise<string> {
  const [line, quote] = lastTyped(prompt);
  const lesson = {
    about: 'new',
    kind: 'preference',
    scope: 'project',
    importance: 2,
    text: quote,
    line,
    quote,
  };
  stage.stdin = [JSON.stringify({ question, lessons: [lesson] })];
  return (await stage.type('tidy', '--answer', '-')).out;
}

test('each part of a long session is answered by the lines that it showed, and an answer given before it grew still counts', async () => {
  stage.put(LOG, log(90));
  await stage.type('run');
  const asked = await next();
  stage.put(LOG, log(120));
  await stage.type('run');
  for (const part of [1, 2, 3]) {
    const told = await answerTo(part === 1 ? asked : await next());
    expect(told).toContain('  + preference (the user said): step ');
    expect(told).not.toContain('not taken');
  }
});
