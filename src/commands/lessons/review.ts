/** `dripstone review`: what is new since the last time, one lesson at a time, with its evidence. */
import { createApp } from '../../app.js';
import { homeOf, pathsOf } from '../../config.js';
import { planForget, planPin, planReword, planUndo } from '../../distill/index.js';
import { AppError, EXIT, type ExitCode } from '../../errors.js';
import { noteReviewed, waitingFor } from '../../jobs/learning/reviewed.js';
import { maskText } from '../../jobs/upkeep/mask.js';
import { chooseProject } from '../../recall/projects.js';
import { loadLessons, reviewableLessons } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import type { Edit, Lesson } from '../../types.js';
import { type Arguments, type Command, type Io, printJson } from '../command.js';
import { wrapped } from '../terminal/screen.js';
import { makeEdit } from './lessons.js';
import { lessonJson, renderLesson, slugsOf } from './read.js';

export const reviewCommand: Command = {
  name: 'review',
  summary: 'look through what is new, one lesson at a time: keep, edit, forget, pin',
  usage: '[--project P] [--json]',
  options: {
    project: { type: 'string', value: 'P', help: 'folder, slug, name or `all`; default: the project of this folder' },
    json: { type: 'boolean', help: 'only print what waits: {"version":1,"waiting":[…]}, each as in `lessons list`' },
  },
  exits: {
    [EXIT.noStore]: 'no memory yet',
    [EXIT.busy]: 'the store is in use by another process',
    [EXIT.notWritable]: 'the home cannot be written',
  },
  examples: ['dripstone review', 'dripstone review --project all', 'dripstone review --json | jq -r .waiting[].text'],
  async run(io, args) {
    const { waiting, slugs } = await look(io, args);
    if (args.flag('json')) printJson(io, { waiting: waiting.map((lesson) => lessonJson(lesson, slugs)) });
    else if (waiting.length === 0) io.out('nothing new to look through\n');
    else if (io.key === undefined || io.outIsTerminal !== true || io.caller().kind === 'agent')
      io.out(waiting.map((lesson) => renderLesson(lesson, slugs)).join(''));
    else return await new Review(io, waiting, slugs).run();
    return EXIT.done;
  },
};

/** What waits, the weightiest first; the store is not held while a person thinks. */
async function look(io: Io, args: Arguments): Promise<{ waiting: Lesson[]; slugs: Map<string, string> }> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await chooseProject(app, args.text('project'), io.cwd);
  const { all, ids } = await app.store.read(async (db) => ({
    all:
      project === null
        ? await loadLessons(db)
        : [...(await loadLessons(db, { owner: project.id })), ...(await loadLessons(db, { owner: null }))],
    ids: await reviewableLessons(db),
  }));
  const wanted = new Set(waitingFor(app.paths.reviewed, ids));
  const waiting = all.filter(({ id }) => wanted.has(id));
  const weight = ({ importance, confidence }: Lesson): number => importance * confidence;
  waiting.sort((a, b) => weight(b) - weight(a) || (a.id < b.id ? -1 : 1));
  return { waiting, slugs: await slugsOf(app) };
}

/** What was decided about one lesson: kept as it is, or changed by an edit. */
interface Decision {
  lesson: Lesson;
  edit: Edit | null;
}

const KEYS = 'k keep · e edit · f forget · p pin · s later · u undo · q quit ';

class Review {
  private readonly decided: Decision[] = [];
  private readonly path: string;
  private at = 0;

  constructor(
    private readonly io: Io,
    private readonly waiting: readonly Lesson[],
    private readonly slugs: ReadonlyMap<string, string>,
  ) {
    this.path = pathsOf(homeOf(io.env)).reviewed;
  }

  async run(): Promise<ExitCode> {
    while (this.at < this.waiting.length) {
      const lesson = this.waiting[this.at]!;
      const shown = `\n${this.at + 1} of ${this.waiting.length}\n${renderLesson(lesson, this.slugs)}`;
      this.io.out(wrapped(shown, this.io.screen?.columns ?? Infinity));
      if (!(await this.decide(lesson))) break;
    }
    const [left, done] = [this.waiting.length - this.decided.length, this.decided.length];
    this.io.out(`\n${counted(done, 'lesson')} looked through, ${left === 0 ? 'none' : left} left\n`);
    return this.io.signal.aborted ? EXIT.interrupted : EXIT.done;
  }

  /** @returns false when the person ends it */
  private async decide(lesson: Lesson): Promise<boolean> {
    for (;;) {
      this.io.err(KEYS);
      const key = this.io.signal.aborted ? null : await this.io.key!();
      this.io.err('\n');
      // Ctrl-C and Ctrl-D are keys like others while each is read by itself.
      if (key === null || ['q', '\u0003', '\u0004'].includes(key)) return false;
      if (key === 's') this.at++;
      else if (key === 'u') await this.undo();
      else if (!(await this.act(lesson, key))) continue;
      return true;
    }
  }

  /** @returns false for a key that means nothing, or when nothing was changed */
  private async act(lesson: Lesson, key: string): Promise<boolean> {
    const time = this.io.clock.now().toISOString();
    if (key === 'k') this.done(lesson, null);
    else if (key === 'f') return this.change(lesson, planForget(lesson.id, time), 'forgotten');
    else if (key === 'p') return this.change(lesson, planPin(lesson.id, true, time), 'pinned');
    else if (key === 'e') {
      const text = await this.newText();
      return text !== '' && (await this.change(lesson, planReword(lesson.id, text, null, time), 'changed'));
    } else return false;
    return true;
  }

  private async newText(): Promise<string> {
    this.io.err('new text (empty leaves it as it is): ');
    for await (const line of this.io.lines()) {
      if (line.trim() === '') return '';
      await using app = await createApp({ ...this.io, access: 'read' });
      return await maskText(app, line.trim());
    }
    return '';
  }

  /** An edit that fails is told, and the lesson stays in view. */
  private async change(lesson: Lesson, edit: Edit, verb: string): Promise<boolean> {
    try {
      const now = await makeEdit(this.io, edit, lesson.project, this.io.caller());
      this.io.out(`${verb}: ${now?.text ?? lesson.text}\n`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.io.err(`dripstone: ${error.message}\n`);
      return false;
    }
    this.done(lesson, edit);
    return true;
  }

  private done(lesson: Lesson, edit: Edit | null): void {
    noteReviewed(this.path, lesson.id);
    this.decided.push({ lesson, edit });
    this.at++;
  }

  /** Takes back the last decision, and shows that lesson again. */
  private async undo(): Promise<void> {
    const last = this.decided.at(-1);
    if (last === undefined) return this.io.err('nothing to undo\n');
    const undo = last.edit === null ? null : planUndo([last.edit], this.io.clock.now().toISOString());
    if (undo !== null) await makeEdit(this.io, undo, last.lesson.project, this.io.caller());
    this.decided.pop();
    noteReviewed(this.path, last.lesson.id, false);
    this.at = this.waiting.indexOf(last.lesson);
    this.io.out(`taken back: ${last.lesson.text}\n`);
  }
}
