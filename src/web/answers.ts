/**
 * What the server answers, as schemas: the OpenAPI document is made of them. Programs may find more
 * fields than these.
 */
import { z } from 'zod';
import { LESSON_STATUSES, lessonFields } from '../types.js';
import { eventShape, hitShape, lessonShape, outsideShape, statusShape } from '../types/shapes.js';

const version = z.literal(1);
const count = z.number().int();

const shown = lessonFields('answers');
const lessonFieldsShown = Object.fromEntries(shown.map((field) => [field, true])) as Record<
  (typeof shown)[number],
  true
>;
/** A lesson as programs get it: `lessonJson` makes it, the page shows it. */
const lessonAnswer = outsideShape(lessonShape.pick(lessonFieldsShown)).extend({
  project: z.string().nullable().describe('slug; null for what is true everywhere'),
  first_seen: z.string().nullable(),
  last_seen: z.string().nullable(),
  status: z.enum([...LESSON_STATUSES, 'withheld']),
  reason: z.string().nullable(),
});
export type LessonJson = z.infer<typeof lessonAnswer>;
const lesson = lessonAnswer.loose().meta({ id: 'Lesson' });

/** A sentence that may become a rule. */
const wishFields = z.object({
  id: z.string(),
  text: z.string().describe('as typed'),
  project: z.string().describe('slug'),
  day: z.string(),
  agent: z.string(),
  session: z.string(),
  path: z.string().nullable(),
  line: count.nullable(),
});
export type WishJson = z.infer<typeof wishFields>;

const evidence = eventShape.loose();
const hit = hitShape.loose().meta({ id: 'Hit' });

/** Tokens under one key, and what they cost. */
const usageLineFields = z.object({
  key: z.string().nullable(),
  agent: z.string().nullable(),
  project: z.string().nullable(),
  active_seconds: count.nullable(),
  messages: count,
  input: count,
  cache_read: count,
  cache_write: count,
  output: count,
  reasoning: count,
  cost: z
    .number()
    .nullable()
    .describe('US dollars; null when the price of a model among them is unknown'),
  known_cost: z.number().describe('of the models whose price is known'),
  unknown_models: z.array(z.string()),
});
export type UsageLine = z.infer<typeof usageLineFields>;
const usageLine = usageLineFields.loose().meta({ id: 'UsageLine' });

const usageFields = z.object({
  since: z.string().nullable().describe('day; null: everything'),
  project: z.string().nullable(),
  prices: z.object({ date: z.string().describe('day on which the shipped prices were looked up') }),
  by: z.string(),
  rows: z.array(usageLineFields),
  projects: z.array(usageLineFields).nullable(),
  total: usageLineFields,
});
export type UsageAnswer = z.infer<typeof usageFields>;

export const problem = z
  .object({ version, error: z.object({ code: z.string(), message: z.string(), next: z.string() }) })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

export const answers = {
  search: z.looseObject({ version, mode: z.string(), weak: z.boolean(), hits: z.array(hit) }),
  page: z.looseObject({
    version,
    project: z.string().nullable(),
    path: z.string(),
    tokens: count,
    text: z.string(),
  }),
  lessons: z.looseObject({ version, lessons: z.array(lesson) }),
  lesson: z.looseObject({
    version,
    lesson: z.intersection(lesson, z.looseObject({ evidence: z.array(evidence) })),
  }),
  why: z.looseObject({
    version,
    id: z.string(),
    text: z.string(),
    confidence: z.number(),
    lines: z.array(z.string()),
  }),
  edit: z.looseObject({
    version,
    action: z.string(),
    by: z.string(),
    id: z.string(),
    lesson: lesson.nullable(),
    note: z.string().nullable(),
  }),
  review: z.looseObject({ version, waiting: z.array(lesson), wishes: z.array(wishFields.loose()) }),
  reviewed: z.looseObject({ version, id: z.string(), kept: z.boolean() }),
  projects: z.looseObject({
    version,
    projects: z.array(z.looseObject({ slug: z.string(), name: z.string() })),
  }),
  show: z.looseObject({ version, type: z.enum(['entry', 'lesson', 'session']), id: z.string() }),
  status: statusShape.extend({ version }).loose(),
  usage: usageFields
    .extend({
      version,
      rows: z.array(usageLine),
      projects: z.array(usageLine).nullable(),
      total: usageLine,
    })
    .loose(),
  taken: z.looseObject({
    version,
    taken: count,
    left_out: z.array(z.object({ index: count, reason: z.string() })),
  }),
  health: z.looseObject({ version, program: z.string(), store: z.boolean(), by: z.string() }),
  view: z.looseObject({ version }),
} as const;
