/** For each kind of fact: when its events prove it, and its line. */
import type { FactEvent, FactFields, FactName } from '../types.js';
import { errorSpan } from '../text/errors.js';
import { list } from '../text/fields.js';

/** The result of a template for the events of one key. */
export interface FactLine {
  /** One line. */
  text: string;
  fields: FactFields;
  importance: 2 | 3 | 4;
  /** Value of the line on the page, 0..1. */
  worth: number;
  /** Commands that the line suggests; they are checked for taint. */
  commands: string[];
  files: string[];
  /** Events that support or contradict the fact, oldest first. */
  events: FactEvent[];
}

/** Longest line of a fact. */
const LONGEST = 190;
/** Longest error in a line. */
const ERROR_CHARS = 90;
const LEAST_ERROR_CHARS = 24;

/** From this time on, a line names the duration of a command. */
const LONG_MS = 30_000;
const LEAST_RUNS = 3;
const LEAST_SESSIONS = 2;
/** For these classes one session is enough to prove that a form fails. */
const SURE_CLASSES: ReadonlySet<string> = new Set(
  'test build lint run typecheck check format'.split(' '),
);

const CLASS_TITLE: Readonly<Record<string, string>> = {
  test: 'Tests',
  build: 'Build',
  lint: 'Lint',
  format: 'Format',
  typecheck: 'Types',
  check: 'All checks',
  run: 'Run',
  release: 'Release',
  generate: 'Generated code',
  db: 'Database',
};

/** Each gets the events of one key, oldest first; null if they do not prove the fact. */
export const TEMPLATES: Readonly<
  Record<FactName, (events: readonly FactEvent[]) => FactLine | null>
> = {
  works: worksLine,
  changed: (events) => {
    const support = effective(events);
    const newest = support.at(-1);
    if (newest === undefined) return null;
    const { fields } = newest;
    const changes = [...listIn(fields, 'dropped'), ...listIn(fields, 'added')];
    const isSure =
      fields['in_error'] === true ||
      SURE_CLASSES.has(str(fields, 'class')) ||
      sessionsOf(support) >= LEAST_SESSIONS;
    if (!isSure || changes.some((part) => PRINTING.test(part) || BYPASSING.test(part))) return null;
    const [fails, works] = [inFolder(fields, 'fails'), inFolder(fields, 'works')];
    return withError(events, fields, [`${code(fails)} fails here`, `: ${code(works)} works`], {
      worth: 0.7,
      commands: [works],
    });
  },
  before: (events) => {
    const { fields } = events.at(-1)!;
    const [fails, needs] = [inFolder(fields, 'fails'), str(fields, 'needs')];
    return withError(events, fields, [`${code(fails)} fails`, ` until ${code(needs)} has run`], {
      worth: 0.75,
      commands: [needs],
    });
  },
  absent: (events) => {
    const support = effective(events);
    const instead = support
      .map(({ fields }) => str(fields, 'instead'))
      .filter((name) => name !== '');
    const last = support.at(-1);
    if (last === undefined || (instead.length === 0 && sessionsOf(support) < LEAST_SESSIONS))
      return null;
    const program = str(last.fields, 'program');
    const other = instead.at(-1);
    const text = `${code(program)} is not there${other === undefined ? '' : `: use ${code(other)}`}`;
    return factLine(
      events,
      text,
      { program, instead: other ?? null },
      { worth: 0.6, commands: other === undefined ? [] : [other] },
    );
  },
  slow: (events) => {
    const { fields } = events.at(-1)!;
    const times = events.map(({ fields: { ms: each } }) => Number(each));
    const ms = median(times);
    if (ms < 2 * LONG_MS || !isSteady(times)) return null;
    const form = str(fields, 'form');
    return factLine(
      events,
      `${code(form)} takes about ${duration(ms)}`,
      { ...fields, ms },
      { importance: 2, worth: 0.45 },
    );
  },
  edited: (events) => {
    // One session proves nothing, since its edit may not be the cure.
    const support = effective(events);
    const files = listIn(support.at(-1)?.fields ?? {}, 'files').filter(
      (file) => sessionsOf(support.filter(edits(file))) >= LEAST_SESSIONS,
    );
    if (files.length === 0) return null;
    const { fields } = support.at(-1)!;
    const names = files.slice(0, 2).map(code).join(' and ');
    const text = `${errorSpan(str(fields, 'error'), ERROR_CHARS)} went away with an edit of ${names}`;
    return factLine(support, text, { ...fields, files }, { worth: 0.3, files });
  },
  // The rule itself is a claim and has its own line.
  broken: () => null,
};

/**
 * The supporting events of a fact; none if two sessions contradicted it after the newest of these
 * events.
 */
function effective(events: readonly FactEvent[]): FactEvent[] {
  const support = events.filter(({ supports }) => supports);
  const since = events.filter(
    ({ supports, known_at }) => !supports && known_at > (support.at(-1)?.known_at ?? ''),
  );
  return sessionsOf(since) >= LEAST_SESSIONS ? [] : support;
}

/**
 * The form of a class that worked in the most sessions, then most often, then last; for tests also
 * the form for one file. A form needs three runs or two sessions. A failed run contradicts nothing.
 */
function worksLine(events: readonly FactEvent[]): FactLine | null {
  const passed = events.filter(({ supports }) => supports);
  const usual = (narrow: boolean): string => {
    const runs = new Map<string, FactEvent[]>();
    for (const event of passed.filter(({ fields }) => fields['narrow'] === narrow)) {
      const form = str(event.fields, 'form');
      runs.set(form, [...(runs.get(form) ?? []), event]);
    }
    const enough = [...runs].filter(
      ([, of]) => sessionsOf(of) >= LEAST_SESSIONS || of.length >= LEAST_RUNS,
    );
    const newest = (of: readonly FactEvent[]): string => of.at(-1)!.known_at;
    const [best] = enough.sort(
      ([a, x], [b, y]) =>
        sessionsOf(y) - sessionsOf(x) ||
        y.length - x.length ||
        (newest(x) === newest(y) ? (a < b ? -1 : 1) : newest(x) < newest(y) ? 1 : -1),
    );
    return best?.[0] ?? '';
  };
  const isTest = events[0]!.key === 'test';
  const [form, one] = [usual(false), isTest ? usual(true) : ''];
  // The form for one file comes first only if no run tested everything.
  const isWholeSeen = passed.some(({ fields }) => fields['narrow'] === false);
  const shown = form === '' && !isWholeSeen ? one : form;
  const runs = passed.filter(({ fields }) => str(fields, 'form') === shown);
  if (shown === '') return null;
  // A form that ran on only one part may be useful for that task alone.
  if (form === '' && new Set(runs.map(({ quote }) => quote)).size < 2) return null;
  const times = runs.flatMap(({ fields }) =>
    typeof fields['ms'] === 'number' ? [fields['ms']] : [],
  );
  const ms = median(times);
  const time = ms >= LONG_MS && isSteady(times) ? ` (about ${duration(ms)})` : '';
  const title =
    form === '' ? 'Part of the tests' : (CLASS_TITLE[events[0]!.key] ?? 'Often asked for');
  const narrow = form === '' || one === '' ? '' : `; one: ${code(one)}`;
  const whole = `${title}: ${code(shown)}${time}${narrow}`;
  const text = whole.length <= LONGEST ? whole : `${title}: ${code(shown)}${time}`;
  const failed = events.filter(
    ({ supports, fields }) => !supports && str(fields, 'form') === shown,
  ).length;
  const fields = {
    class: events[0]!.key,
    form: shown,
    one: one === '' ? null : one,
    passed: runs.length,
    failed,
    ms,
  };
  return factLine(runs, text, fields, {
    worth: 0.6,
    commands: [shown, ...(one === '' ? [] : [one])],
  });
}

/** Null for a text that is too long. */
function factLine(
  events: readonly FactEvent[],
  text: string,
  fields: FactFields,
  more: Partial<Pick<FactLine, 'importance' | 'worth' | 'commands' | 'files'>>,
): FactLine | null {
  if (text === '' || text.length > LONGEST) return null;
  return {
    text,
    fields,
    importance: 3,
    worth: 0.5,
    commands: [],
    files: [],
    ...more,
    events: [...events],
  };
}

/** A line with as much of the error as fits between its two parts. */
function withError(
  events: readonly FactEvent[],
  fields: FactFields,
  [before, after]: readonly [string, string],
  more: Partial<Pick<FactLine, 'worth' | 'commands'>>,
): FactLine | null {
  const free = Math.min(ERROR_CHARS, LONGEST - before.length - after.length - 6);
  const error = str(fields, 'error');
  const reason = free < LEAST_ERROR_CHARS || error === '' ? '' : ` with ${errorSpan(error, free)}`;
  return factLine(events, `${before}${reason}${after}`, fields, more);
}

function str(fields: FactFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function listIn(fields: FactFields, name: string): readonly string[] {
  return list(fields[name]) as string[];
}

function edits(file: string): (event: FactEvent) => boolean {
  return ({ fields }) => listIn(fields, 'files').includes(file);
}

function inFolder(fields: FactFields, name: string): string {
  const folder = str(fields, 'folder');
  return folder === '' ? str(fields, name) : `cd ${folder} && ${str(fields, name)}`;
}

/** The text as a code span, without backticks, which would end the span. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

function sessionsOf(events: readonly FactEvent[]): number {
  return new Set(events.map(({ agent, session }) => `${agent}\0${session}`)).size;
}

/** If the times differ more, the runs did different work or waited for a person. */
function isSteady(times: readonly number[]): boolean {
  return times.length >= LEAST_RUNS && Math.min(...times) >= median(times) / 2;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** `40 s`, `3 min`: rounded so that the line does not change with every run. */
function duration(ms: number): string {
  return ms < 90_000
    ? `${Math.max(10, Math.round(ms / 10_000) * 10)} s`
    : `${Math.round(ms / 60_000)} min`;
}

/** Options that only change the output or limit how much is processed. */
const PRINTING =
  /^-{1,2}(?:v+|verbose|quiet|q|debug|help|h|version|dry-?run|n|watch|w|list|l|trace|stacktrace|info|x|s|k|t|run|run-.*|color|no-color|tb|reporter|j|o|output|format|y|yes|limit|L|count|head|tail|log.*|maxfail|bail|silent)(?:=|$)/;
/** Options and settings that switch off or bypass a check, or rewrite the checked files. */
const BYPASSING =
  /^-{1,2}(?:f|D|u|hard|force.*|.*-force|no-verify|.*skip.*|.*ignore.*|.*exclude.*|allow-.*|.*allow-empty.*|pass-?with-?no-?tests|update.*|fix.*|write|insecure|no-check.*|.*unsafe.*|.*danger.*|break-.*|privileged|trusted-.*|disable.*|.*secur.*|.*sandbox.*)(?:=|$)|^\w*(?:VERIFY|REJECT|INSECURE|SKIP|DISABLE|UNSAFE|SSL|TLS|FORCE|ALLOW|IGNORE)\w*=/;
