/** `dripstone how` and `dripstone blame`: what ran here, and who changed a file. */
import { createApp } from '../../app.js';
import { EXIT, usage } from '../../errors.js';
import { cleanForms } from '../../recall/moments/clean.js';
import { passageAround } from '../../recall/passage.js';
import { editorsOf, loadLessons, type FileEditor, type FormRuns } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { isShown, outside, type Lesson, type Outside } from '../../types.js';
import { printJson, type Command } from '../command.js';
import { ASKING, PROJECT, oneWord } from '../typed.js';
import { projectHere } from '../../recall/project-here.js';

const LIMIT = { type: 'string', value: 'N', help: 'most rows to print (default 20)' } as const;
const ASKED_CHARS = 160;

export const howCommand: Command = {
  name: 'how',
  summary: 'the forms in which a program ran here, with counts, last day and median time',
  usage: 'PROGRAM [--json]',
  options: {
    project: PROJECT,
    limit: LIMIT,
    json: { type: 'boolean', help: 'print {"version":1,"program","project","forms","withheld"}' },
  },
  exits: ASKING,
  examples: ['dripstone how docker', 'dripstone how "go test"'],
  async run(io, args) {
    const program = args.words.join(' ').trim();
    if (program === '') throw usage('how needs a program', 'type `dripstone how docker`');
    await using app = await createApp({ ...io, access: 'read' });
    const project = await projectHere(app, args.text('project'), io.cwd);
    const { forms, withheld } = await app.store.read((db) =>
      cleanForms(db, program, project?.id ?? null, args.count('limit', 20)),
    );
    if (args.flag('json'))
      printJson(io, { program, project: project?.slug ?? null, forms, withheld });
    else io.out(`${formsText(program, forms, withheld)}\n`);
    return EXIT.done;
  },
};

export function formsText(program: string, forms: readonly FormRuns[], withheld: number): string {
  if (forms.length + withheld === 0) return `${program} never ran here`;
  const kept =
    withheld === 0
      ? []
      : [
          `${counted(withheld, 'form')} withheld: a page or a tool's output named it first, or it destroys`,
        ];
  return [...forms.map(formLine), ...kept].join('\n');
}

function formLine({ form, runs, passed, failed, sessions, last, ms }: FormRuns): string {
  const counts = `${runs} in ${sessions} session${sessions === 1 ? '' : 's'}, ${passed} passed, ${failed} failed`;
  const time =
    ms === null ? '' : ` · ${ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`}`;
  return `${form}\n    ${counts}${last === null ? '' : ` · last ${last.slice(0, 10)}`}${time}`;
}

export const blameCommand: Command = {
  name: 'blame',
  summary:
    'the sessions that edited a file, the prompt before each edit, and lessons that name the file',
  usage: 'FILE [--json]',
  options: {
    project: PROJECT,
    limit: LIMIT,
    json: { type: 'boolean', help: 'print {"version":1,"file","project","sessions","lessons"}' },
  },
  exits: ASKING,
  examples: ['dripstone blame src/cart.ts'],
  async run(io, args) {
    const file = oneWord(args, 'blame takes one file', 'dripstone blame src/cart.ts');
    await using app = await createApp({ ...io, access: 'read' });
    const project = await projectHere(app, args.text('project'), io.cwd);
    const wanted = file.replaceAll('\\', '/').replace(/^\.\//, '');
    const { sessions, lessons } = await app.store.read(async (db) => ({
      sessions: await editorsOf(db, wanted, project?.id ?? null, args.count('limit', 20)),
      lessons: lessonsAbout(await loadLessons(db), wanted, project?.id ?? null),
    }));
    if (args.flag('json'))
      printJson(io, { file: wanted, project: project?.slug ?? null, sessions, lessons });
    else io.out(blameText(wanted, sessions, lessons));
    return EXIT.done;
  },
};

type About = Pick<Outside<Lesson>, 'id' | 'kind' | 'text' | 'said_by'> & { day: string };

/** Lessons that name a file, the newest first. */
export function lessonsAbout(
  lessons: readonly Lesson[],
  file: string,
  project: string | null,
): About[] {
  const isAbout = (each: string): boolean =>
    each === file || each.endsWith(`/${file}`) || file.endsWith(`/${each}`);
  return lessons
    .filter(
      (lesson) =>
        isShown(lesson) &&
        (project === null || lesson.project === project || lesson.project === null),
    )
    .filter(({ files }) => files.some(isAbout))
    .map((lesson): About => ({
      ...outside(lesson, ['id', 'kind', 'text', 'saidBy']),
      day: lesson.lastSeen,
    }))
    .sort((a, b) => (a.day === b.day ? (a.id < b.id ? -1 : 1) : a.day < b.day ? 1 : -1));
}

export function blameText(
  file: string,
  sessions: readonly FileEditor[],
  lessons: readonly About[],
): string {
  if (sessions.length === 0 && lessons.length === 0) return `no session edited ${file}\n`;
  const rows = sessions.map(
    ({ agent, session, edits, last, asked, title, path, line }) =>
      `${last?.slice(0, 10) ?? 'no day'} · ${agent} ${session.slice(0, 8)} · ${edits} edit${edits === 1 ? '' : 's'}` +
      `${title === null ? '' : ` · ${passageAround(title, null, ASKED_CHARS)}`}` +
      `${asked === null ? '' : `\n    > ${passageAround(asked, null, ASKED_CHARS)}`}` +
      `${path === null ? '' : `\n    ${path}:${line}`}`,
  );
  const known = lessons.map(
    ({ kind, text, said_by: by, day }) => `${day} · ${kind}, ${WHO[by]}: ${text}`,
  );
  return `${[...rows, ...known].join('\n')}\n`;
}

const WHO: Readonly<Record<Lesson['saidBy'], string>> = {
  user: 'the user said',
  observed: 'seen in the logs',
  agent: 'an agent said',
};
