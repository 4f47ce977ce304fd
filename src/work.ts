/** Work that commands and servers ask for: the daemon does it when one runs, else this process. */
import { createApp, withApp, type App } from './app.js';
import { whyNoLine } from './context/index.js';
import type { Io } from './io.js';
import { askDaemon } from './jobs/delegate.js';
import type { TypedEdit } from './jobs/learning/typed-edit.js';
import { signature, type Answer, type Request } from './jobs/requests.js';
import { lessonJson, slugsOf } from './recall/lessons.js';
import { loadProjects } from './store/index.js';
import type { Edit } from './types.js';
import type { LessonJson } from './types/answers.js';

type Work = Exclude<Request, { kind: 'run' }>;

/** Does it in the name of the caller; the store must not be open meanwhile. */
export async function carryOut<K extends Work['kind']>(
  io: Io,
  work: Omit<Extract<Work, { kind: K }>, 'version' | 'by'> & { kind: K },
): Promise<Extract<Answer, { kind: K }>> {
  const request = { version: 1, by: signature(io.caller()), ...work } as unknown as Work;
  const answer = (await askDaemon(io, request)) ?? (await doHere(io, request));
  return answer as Extract<Answer, { kind: K }>;
}

async function doHere(io: Io, work: Work): Promise<Answer> {
  // Most commands find a daemon, and load nothing of its work.
  const { act } = await import('./jobs/serve-request.js');
  const { prepareStore } = await import('./jobs/upkeep/recover.js');
  return withApp({ ...io, access: 'write' }, async (app) => {
    if (work.kind === 'import' || work.kind === 'purge') await prepareStore(app);
    return act(app, work);
  });
}

/** An edit that was made. */
export interface LessonEdited {
  plan: Edit;
  /** Who made it, as `signature` names them. */
  by: string;
  /** What was done, for a person: `changed`. */
  verb: string;
  /** As it is now; null when it is gone. */
  lesson: LessonJson | null;
  /** Its words, for a lesson that is gone. */
  before: string | null;
  /** What keeps it out of memory or off the page; null when nothing does. */
  note: string | null;
}

/** As `lessons add --json` and the others print it. */
export function editJson({ plan, by, lesson, note }: LessonEdited) {
  return { action: plan.action, by, id: plan.lesson, lesson, note };
}

/** Makes an edit that was planned with the store of `app`, which is given back first. */
export async function makeEdit(
  app: App,
  io: Io,
  { plan, owner, verb, before = null }: TypedEdit,
): Promise<LessonEdited> {
  const slugs = await slugsOf(app);
  await app.store.release();
  const { lesson } = await carryOut(io, { kind: 'edit', edit: plan, owner });
  const isKept = plan.text === null || (lesson !== null && lesson.status !== 'forgotten');
  const note = !isKept
    ? await whyWithheld(io, plan, owner)
    : plan.text === null
      ? null
      : whyNoLine(lesson!);
  return {
    ...{ plan, by: signature(io.caller()), verb: isKept ? verb : 'withheld', note },
    ...{ lesson: lesson && lessonJson(lesson, slugs), before: before ?? plan.text },
  };
}

/** Why an agent's words are kept out, now that they are stored. */
async function whyWithheld(io: Io, { lesson: id }: Edit, owner: string | null): Promise<string> {
  await using app = await createApp({ ...io, access: 'read' });
  const project =
    (await app.store.read((db) => loadProjects(db))).find((each) => each.id === owner) ?? null;
  const reason = (await app.withheld(project)).find(({ lesson }) => lesson.id === id)?.reason;
  return `${reason ?? 'a person forgot it'}; a person can say it with \`dripstone lessons add\``;
}
