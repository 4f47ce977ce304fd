/**
 * Tools that teach: memory_remember and memory_forget. What an agent says through them is the
 * agent's.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { whyNoLine } from '../context/index.js';
import { isOpenToAgents, planAdd, planForget } from '../lessons/index.js';
import { keyOfText } from '../text/fingerprint.js';
import { AppError, EXIT } from '../errors.js';
import { maskText } from '../jobs/upkeep/mask.js';
import { loadLessons } from '../store/index.js';
import { isShown, type LessonKind } from '../types.js';
import { say } from './answer.js';
import { type Memory, projectOf } from './memory.js';
import { oneLesson } from '../recall/lessons.js';
import { carryOut } from '../work.js';

/** A lesson is a sentence. */
export const MOST_CHARS = 300;

export interface Remembered {
  text: string;
  kind: LessonKind;
  everywhere: boolean;
}

/** Adds a lesson of the agent, at its low trust and under taint; a known sentence adds none. */
export async function remember(
  memory: Memory,
  { text, kind, everywhere }: Remembered,
): Promise<CallToolResult> {
  const project = everywhere ? null : await projectOf(memory);
  if (!everywhere && project === null)
    throw new AppError('NO_PROJECT', 'this folder is no project that is known', {
      hint: 'it is known once a session in it was read; `everywhere` takes what is true of the person in every project',
      exitCode: EXIT.usage,
    });
  const words = (await maskText(memory.app, text)).trim();
  const owners = project === null ? [null] : [project.id, null];
  const lessons = await memory.app.store.read((db) =>
    Promise.all(owners.map((owner) => loadLessons(db, { owner }))),
  );
  const known = lessons
    .flat()
    .find((each) => isShown(each) && keyOfText(each.text) === keyOfText(words));
  if (known !== undefined) return say(`known already: ${known.text} ^${known.id.slice(0, 8)}`);
  const plan = planAdd(project?.id ?? null, kind, words, memory.app.clock.now().toISOString());
  await memory.app.store.release();
  const owner = project?.id ?? null;
  const { lesson } = await carryOut(memory.io, { kind: 'edit', edit: plan, owner });
  if (lesson === null || lesson.status === 'forgotten')
    return say(
      'noted, but withheld: the person forgot it, a tool or page named a part of it first, or it fetches, sends, destroys or ' +
        'weakens safety. The person can see it with `dripstone lessons list --withheld` and say it with `dripstone lessons add`',
    );
  const note = whyNoLine(lesson);
  const said = `remembered as what an agent says: ${lesson.text} ^${plan.lesson.slice(0, 8)}`;
  return say(note === null ? said : `${said}\n${note}`);
}

/** Forgets what agents said or tools showed; of a person's word it only says how the person can. */
export async function forget(memory: Memory, meant: string): Promise<CallToolResult> {
  const lesson = await oneLesson(memory.app, meant);
  if (!isOpenToAgents(lesson, 'forget'))
    return say(
      `not forgotten: the user said or pinned "${lesson.text}". Propose it to them; they can type ` +
        `\`dripstone lessons forget ${lesson.id.slice(0, 8)}\` in a terminal of their own`,
    );
  await memory.app.store.release();
  const edit = planForget(lesson.id, memory.app.clock.now().toISOString());
  await carryOut(memory.io, { kind: 'edit', edit, owner: lesson.project });
  return say(`forgotten: ${lesson.text}`);
}
