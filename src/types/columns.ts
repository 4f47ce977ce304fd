/**
 * Fields as columns: tables, statements and views follow from these lists. CONTRIBUTING.md shows
 * how to add one.
 */
import type { Edit, LessonEvent, FactEvent, Lesson } from './shapes.js';

/** A field as a column of the same name. */
export interface Column<Value = unknown> {
  type: 'VARCHAR' | 'VARCHAR[]' | 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP';
  /** Value for older data without this column; absent: the column is required. */
  unknown?: Value;
  /** Stored as JSON text. */
  isJson?: true;
  /** If the value is unknown, the field is missing. */
  isOptional?: true;
}

type ColumnsOf<T> = { readonly [Field in keyof T]-?: Column<T[Field]> };

const TEXT = { type: 'VARCHAR' } as const;
const NUMBER = { type: 'DOUBLE' } as const;
const COUNT = { type: 'INTEGER' } as const;
const FLAG = { type: 'BOOLEAN' } as const;
const LIST = { type: 'VARCHAR[]', unknown: [] as string[] } as const;

/** A field of a lesson. */
export interface LessonColumn<Value = unknown> extends Column<Value> {
  /**
   * Who gets it: answers of commands and the view `lessons`, only the view, or only the program.
   */
  for: 'answers' | 'view' | 'own';
}

/** Fields of a lesson in the order of the view `lessons`; its events have a table of their own. */
export const LESSON_COLUMNS = {
  id: { ...TEXT, for: 'answers' },
  kind: { ...TEXT, for: 'answers' },
  scope: { ...TEXT, for: 'answers' },
  project: { ...TEXT, for: 'answers' },
  text: { ...TEXT, for: 'answers' },
  importance: { ...COUNT, unknown: 2, for: 'answers' },
  confidence: { ...NUMBER, unknown: 0, for: 'answers' },
  sessions: { ...COUNT, unknown: 0, for: 'answers' },
  first_seen: { ...TEXT, unknown: '', for: 'answers' },
  last_seen: { ...TEXT, unknown: '', for: 'answers' },
  said_by: { ...TEXT, unknown: 'agent', for: 'answers' },
  status: { ...TEXT, unknown: 'live', for: 'answers' },
  pinned: { ...FLAG, unknown: false, for: 'answers' },
  tags: { ...LIST, for: 'answers' },
  files: { ...LIST, for: 'answers' },
  uses: { ...COUNT, unknown: 0, for: 'answers' },
  superseded_by: { ...TEXT, unknown: null, for: 'answers' },
  supersedes: { ...LIST, for: 'view' },
  fact: { ...TEXT, unknown: null, for: 'view' },
  fields: { ...TEXT, unknown: null, for: 'view', isJson: true },
  key: { ...TEXT, for: 'own' },
  worth: { ...NUMBER, unknown: 0.5, for: 'own' },
  extractor: { ...COUNT, unknown: 0, for: 'own' },
  learnt: { ...TEXT, isOptional: true, for: 'own', isJson: true },
} as const satisfies {
  readonly [Field in Exclude<keyof Lesson, 'evidence'>]-?: LessonColumn<Lesson[Field]>;
};

const { project: _project, uses: _uses, ...inTable } = LESSON_COLUMNS;
/** Columns of the table; `project` and `uses` are computed from other columns. */
export const LESSON_ROW = inTable;

type LessonField = keyof typeof LESSON_COLUMNS;
type FieldsFor<Wanted> = {
  [Field in LessonField]: (typeof LESSON_COLUMNS)[Field]['for'] extends Wanted ? Field : never;
}[LessonField];

/** Fields of a lesson by who gets them, in the order of {@link LESSON_COLUMNS}. */
export function lessonFields<Wanted extends LessonColumn['for']>(
  ...wanted: readonly Wanted[]
): FieldsFor<Wanted>[] {
  const fields = Object.entries(LESSON_COLUMNS).filter(([, column]) =>
    (wanted as readonly string[]).includes(column.for),
  );
  return fields.map(([field]) => field as FieldsFor<Wanted>);
}

/** Events of lessons, in the order of the view `events`. */
export const EVENT_COLUMNS = {
  agent: TEXT,
  session: TEXT,
  entry: { ...TEXT, unknown: null },
  day: { ...TEXT, unknown: '' },
  trust: NUMBER,
  supports: FLAG,
  quote: TEXT,
} as const satisfies ColumnsOf<LessonEvent>;

/** Results of the fact queries, in the order of the view `facts`. */
export const FACT_COLUMNS = {
  fact: TEXT,
  key: TEXT,
  fields: { ...TEXT, isJson: true },
  agent: TEXT,
  session: TEXT,
  entry: TEXT,
  day: TEXT,
  known_at: { ...TEXT, type: 'TIMESTAMP' },
  supports: FLAG,
  quote: TEXT,
} as const satisfies ColumnsOf<FactEvent>;

export const EDIT_COLUMNS = {
  lesson: TEXT,
  action: TEXT,
  text: { ...TEXT, unknown: null },
  kind: { ...TEXT, unknown: null },
  scope: { ...TEXT, unknown: null },
  time: { ...TEXT, type: 'TIMESTAMP' },
  author: { ...TEXT, isOptional: true },
  place: { ...TEXT, isOptional: true },
} as const satisfies ColumnsOf<Edit>;

/** The named fields of an object, in the order of the names. */
export function picked<T, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}
