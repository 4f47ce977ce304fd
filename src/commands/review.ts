/**
 * `dripstone review`: asks about new lessons one by one, sentences that may become rules, and rules
 * to guard.
 */
import { createApp } from '../app.js';
import { homeOf, pathsOf } from '../config.js';
import { planForget, planPin, planReword, planUndo, planAdd } from '../lessons/index.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { maskText } from '../jobs/upkeep/mask.js';
import { chooseProject } from '../recall/projects.js';
import { counted } from '../text/amounts.js';
import type { Edit, Lesson } from '../types.js';
import { type Command, printJson, EDITING, PROJECT, flag } from '../command.js';
import { wrapped } from './screen.js';
import type { Io } from '../io.js';
import { renderLesson } from '../recall/lessons.js';
import { reviewJson, toReview, type ToReview, type PlacedWish } from '../recall/review.js';
import { noteReviewed, type StoredRule, noteWish, type Wish } from '../store/index.js';
import { forbidding } from '../jobs/learning/typed-edit.js';
import { carryOut, makeEdit } from '../work.js';
import { neverHint, putGuard, renderRule } from './rules.js';

export const reviewCommand: Command = {
  name: 'review',
  summary:
    'review new lessons one at a time; turn sentences that you typed into rules; guard rules that are broken',
  usage: '[--project P] [--json]',
  options: {
    project: PROJECT,
    json: flag('only print what waits: {"version":1,"guards":[…],"waiting":[…],"wishes":[…]}'),
  },
  exits: EDITING,
  examples: [
    'dripstone review',
    'dripstone review --project all',
    'dripstone review --json | jq -r .waiting[].text',
  ],
  async run(io, args) {
    const found = await loadReview(io, args.text('project'));
    const { guards, waiting, wishes, slugs } = found;
    if (args.flag('json')) printJson(io, reviewJson(found));
    else if (guards.length + waiting.length + wishes.length === 0)
      io.out('nothing new to look through\n');
    else if (io.key === undefined || io.outIsTerminal !== true || io.caller().kind === 'agent')
      io.out(
        [
          ...guards.map((rule) => renderRule(rule, {})),
          ...waiting.map((lesson) => renderLesson(lesson, slugs)),
          ...wishes.map(renderWish),
        ].join(''),
      );
    else {
      if (await offerGuards(io, guards)) return io.signal.aborted ? EXIT.interrupted : EXIT.done;
      const code = await new Review(io, waiting, slugs).run();
      if (code === null) await reviewWishes(io, wishes);
      return code ?? (io.signal.aborted ? EXIT.interrupted : EXIT.done);
    }
    return EXIT.done;
  },
};

/** Closes the store before the person answers. */
async function loadReview(io: Io, spec: string | null): Promise<ToReview> {
  await using app = await createApp({ ...io, access: 'read' });
  return await toReview(app, await chooseProject(app, spec, io.cwd));
}

/** The decision about a lesson: kept, or changed by an edit. */
interface Decision {
  lesson: Lesson;
  edit: Edit | null;
}

/** Rows around a lesson: its number above; the omitted part, the keys and the cursor below. */
const TAKEN_ROWS = 6;

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

  /** @returns null if every lesson was reviewed, else the exit code */
  async run(): Promise<ExitCode | null> {
    if (this.waiting.length === 0) return null;
    let ended = false;
    while (this.at < this.waiting.length && !ended) {
      const lesson = this.waiting[this.at]!;
      this.io.out(`\n${this.at + 1} of ${this.waiting.length}\n${this.fitted(lesson)}`);
      ended = !(await this.decide(lesson));
    }
    const [left, done] = [this.waiting.length - this.decided.length, this.decided.length];
    this.io.out(
      `\n${counted(done, 'lesson')} looked through, ${left === 0 ? 'none' : left} left\n`,
    );
    return this.io.signal.aborted ? EXIT.interrupted : ended ? EXIT.done : null;
  }

  /** The lesson with the evidence that fits on the screen, and the number of other events. */
  private fitted(lesson: Lesson): string {
    const { columns, rows } = this.io.screen ?? { columns: 0, rows: 0 };
    const lines = wrapped(renderLesson(lesson, this.slugs).trimEnd(), columns).split('\n');
    const free = rows - TAKEN_ROWS;
    const left = lines.length - Math.max(free, lines.findIndex((line) => line === 'evidence:') + 1);
    if (rows === 0 || left <= 0) return `${lines.join('\n')}\n`;
    return [
      ...lines.slice(0, -left),
      `  … ${counted(left, 'more line')}: \`dripstone lessons show ${lesson.id}\``,
      '',
    ].join('\n');
  }

  /** @returns false if the person ends the review */
  private async decide(lesson: Lesson): Promise<boolean> {
    for (;;) {
      this.io.err(KEYS);
      const key = this.io.signal.aborted ? null : await this.io.key!();
      this.io.err('\n');
      // Ctrl-C and Ctrl-D arrive as keys.
      if (key === null || ['q', '\u0003', '\u0004'].includes(key)) return false;
      if (key === 's') this.at++;
      else if (key === 'u') await this.undo();
      else if (!(await this.act(lesson, key))) continue;
      return true;
    }
  }

  /** @returns false for an unknown key, or if nothing changed */
  private async act(lesson: Lesson, key: string): Promise<boolean> {
    const time = this.io.clock.now().toISOString();
    if (key === 'k') this.done(lesson, null);
    else if (key === 'f') return this.change(lesson, planForget(lesson.id, time), 'forgotten');
    else if (key === 'p') return this.change(lesson, planPin(lesson.id, true, time), 'pinned');
    else if (key === 'e') {
      const text = await this.newText(lesson);
      return (
        text !== '' &&
        (await this.change(lesson, planReword(lesson.id, text, null, time), 'changed'))
      );
    } else return false;
    return true;
  }

  /** @returns '' if the text stays */
  private async newText({ text }: Lesson): Promise<string> {
    const line =
      (await this.io.ask?.('new text (Ctrl-C leaves it as it is): ', text))?.trim() ?? '';
    if (line === '' || line === text) return '';
    await using app = await createApp({ ...this.io, access: 'read' });
    return await maskText(app, line);
  }

  /** Prints the error of a failed edit; the lesson then stays on the screen. */
  private async change(lesson: Lesson, edit: Edit, verb: string): Promise<boolean> {
    try {
      const made = await carryOut(this.io, { kind: 'edit', edit, owner: lesson.project });
      this.io.out(`${verb}: ${made.lesson?.text ?? lesson.text}\n`);
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

  /** Undoes the last decision and shows that lesson again. */
  private async undo(): Promise<void> {
    const last = this.decided.at(-1);
    if (last === undefined) return this.io.err('nothing to undo\n');
    const undo =
      last.edit === null ? null : planUndo([last.edit], this.io.clock.now().toISOString());
    if (undo !== null)
      await carryOut(this.io, { kind: 'edit', edit: undo, owner: last.lesson.project });
    this.decided.pop();
    noteReviewed(this.path, last.lesson.id, false);
    this.at = this.waiting.indexOf(last.lesson);
    this.io.out(`taken back: ${last.lesson.text}\n`);
  }
}

const GUARD_KEYS =
  'w warn each agent that is about to break it · d refuse · n never ask again · s later · q quit ';

/** Offers guards for rules, one by one. @returns whether the person ended it */
export async function offerGuards(io: Io, rules: readonly StoredRule[]): Promise<boolean> {
  for (const [at, rule] of rules.entries()) {
    io.out(`\nbroken rule ${at + 1} of ${rules.length}\n${renderRule(rule, {})}`);
    let key: string | null = null;
    while (key === null || !'wdnsq\u0003\u0004'.includes(key)) {
      io.err(GUARD_KEYS);
      key = io.signal.aborted ? 'q' : ((await io.key!()) ?? 'q');
      io.err('\n');
    }
    if (key === 'w' || key === 'd') await putGuard(io, rule.lesson, key === 'd' ? 'deny' : 'warn');
    else if (key === 'n') noteReviewed(pathsOf(homeOf(io.env)).reviewed, `guard:${rule.lesson}`);
    else if (key !== 's') return true;
  }
  return false;
}

// The part of `dripstone review` about typed sentences: each becomes a rule or is never offered
// again.

/** The typed sentence and its place. */
function renderWish({ text, slug, agent, day, path, line }: PlacedWish): string {
  return `you typed: ${text}\n  ${day} · ${slug} · ${agent}${path === null ? '' : ` · ${path}:${line ?? 1}`}\n`;
}

const WISH_KEYS = 'y a rule, as typed · e in other words · n never ask again · s later · q quit ';

/** Shows the sentences one by one until the person ends the review. */
async function reviewWishes(io: Io, wishes: readonly PlacedWish[]): Promise<void> {
  for (const [at, wish] of wishes.entries()) {
    io.out(`\nsentence ${at + 1} of ${wishes.length}\n${renderWish(wish)}`);
    if (await isEndedAt(io, wish)) return;
  }
}

/** Asks until a key decides. @returns whether the person ends the review */
async function isEndedAt(io: Io, wish: Wish): Promise<boolean> {
  for (;;) {
    io.err(WISH_KEYS);
    const key = io.signal.aborted ? null : await io.key!();
    io.err('\n');
    if (key === null || ['q', '\u0003', '\u0004'].includes(key)) return true;
    if (key === 's') return false;
    if (key === 'n') {
      noteWish(pathsOf(homeOf(io.env)).reviewed, wish.id, io.clock.now());
      return false;
    }
    const text = key === 'y' ? wish.text : key === 'e' ? await otherWords(io, wish.text) : '';
    if (text !== '' && (await take(io, wish, text))) return false;
  }
}

/** @returns '' if the person cancels */
async function otherWords(io: Io, text: string): Promise<string> {
  const line = (await io.ask?.('the rule (Ctrl-C leaves it): ', text))?.trim() ?? '';
  if (line === '') return '';
  await using app = await createApp({ ...io, access: 'read' });
  return await maskText(app, line);
}

/** Asks for the command or path of a prohibition that names none. */
async function askForbidden(io: Io, lesson: Lesson): Promise<void> {
  const { fields } = lesson;
  const isCounted = [fields?.['commands'], fields?.['paths']].flat().some(Boolean);
  if (fields?.['polarity'] !== 'never' || isCounted) return;
  const form =
    (
      await io.ask?.('the command that it forbids, to count and guard it (Enter: none): ', '')
    )?.trim() ?? '';
  if (form === '') return io.out(`not counted: ${neverHint(lesson.id)}\n`);
  await using app = await createApp({ ...io, access: 'read' });
  await makeEdit(app, io, await forbidding(app, io.caller(), lesson, form));
  io.out(`counted: ${form}\n`);
}

/** Stores the sentence as the person's claim. @returns false after a printed error */
async function take(io: Io, { id, project }: Wish, text: string): Promise<boolean> {
  const now = io.clock.now();
  try {
    const edit = planAdd(project, 'preference', text, now.toISOString());
    const { lesson } = await carryOut(io, { kind: 'edit', edit, owner: project });
    io.out(`taken: ${lesson?.text ?? text}\n`);
    if (lesson !== null) await askForbidden(io, lesson);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`dripstone: ${error.message}\n`);
    return false;
  }
  noteWish(pathsOf(homeOf(io.env)).reviewed, id, now);
  return true;
}
