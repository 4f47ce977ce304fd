/** What the server answers, as schemas: the OpenAPI document is made of them. Programs may find more fields than these. */
import { z } from 'zod';
import { LESSON_KINDS, LESSON_STATUSES, SAID_BY, SCOPES } from '../types.js';

const version = z.literal(1);
const time = z.string().nullable().describe('ISO 8601 UTC');
const count = z.number().int();

/** A lesson as programs get it: `lessonJson` makes it, the page shows it. */
const lessonFields = z.object({
  id: z.string(),
  kind: z.enum(LESSON_KINDS),
  scope: z.enum(SCOPES),
  project: z.string().nullable().describe('slug; null for what is true everywhere'),
  text: z.string(),
  importance: z.number().int().min(1).max(5),
  confidence: z.number().min(0).max(1),
  sessions: count,
  first_seen: z.string().nullable(),
  last_seen: z.string().nullable(),
  said_by: z.enum(SAID_BY),
  status: z.enum([...LESSON_STATUSES, 'withheld']),
  reason: z.string().nullable(),
  pinned: z.boolean(),
  tags: z.array(z.string()),
  files: z.array(z.string()),
  uses: count,
  superseded_by: z.string().nullable(),
});
export type LessonJson = z.infer<typeof lessonFields>;
const lesson = lessonFields.loose().meta({ id: 'Lesson' });

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

const evidence = z.looseObject({
  agent: z.string(),
  session: z.string(),
  entry: z.string().nullable(),
  day: z.string(),
  trust: z.number(),
  supports: z.boolean(),
  quote: z.string(),
});

const hit = z
  .looseObject({
    type: z.enum(['entry', 'lesson', 'episode', 'note']),
    id: z.string(),
    score: z.number(),
    text: z.string(),
    agent: z.string().nullable(),
    session: z.string().nullable(),
    project: z.string().nullable(),
    at: time,
    role: z.string().nullable(),
    path: z.string().nullable(),
    line: count.nullable(),
    source: z.enum(['log', 'archive']),
    citation: z.string(),
  })
  .meta({ id: 'Hit' });

const usageLine = z
  .looseObject({
    key: z.string().nullable(),
    messages: count,
    input: count,
    cache_read: count,
    cache_write: count,
    output: count,
    reasoning: count,
    cost: z.number().nullable(),
  })
  .meta({ id: 'UsageLine' });

export const problem = z
  .object({ version, error: z.object({ code: z.string(), message: z.string(), next: z.string() }) })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

export const answers = {
  search: z.looseObject({ version, mode: z.string(), weak: z.boolean(), hits: z.array(hit) }),
  page: z.looseObject({ version, project: z.string().nullable(), path: z.string(), tokens: count, text: z.string() }),
  lessons: z.looseObject({ version, lessons: z.array(lesson) }),
  lesson: z.looseObject({ version, lesson: z.intersection(lesson, z.looseObject({ evidence: z.array(evidence) })) }),
  why: z.looseObject({ version, id: z.string(), text: z.string(), confidence: z.number(), lines: z.array(z.string()) }),
  edit: z.looseObject({ version, action: z.string(), by: z.string(), id: z.string(), lesson: lesson.nullable() }),
  review: z.looseObject({ version, waiting: z.array(lesson), wishes: z.array(wishFields.loose()) }),
  reviewed: z.looseObject({ version, id: z.string(), kept: z.boolean() }),
  projects: z.looseObject({ version, projects: z.array(z.looseObject({ slug: z.string(), name: z.string() })) }),
  show: z.looseObject({ version, type: z.enum(['entry', 'lesson', 'session']), id: z.string() }),
  status: z.looseObject({
    version,
    sources: z.array(z.looseObject({ agent: z.string(), files: count })),
    jobs: z.array(z.looseObject({ name: z.string() })),
    store: z.looseObject({ bytes: count }),
    degraded: z.array(z.looseObject({ code: z.string(), text: z.string() })),
  }),
  usage: z.looseObject({ version, by: z.string(), rows: z.array(usageLine), total: usageLine }),
  taken: z.looseObject({ version, taken: count, left_out: z.array(z.object({ index: count, reason: z.string() })) }),
  health: z.looseObject({ version, program: z.string(), store: z.boolean(), by: z.string() }),
  view: z.looseObject({ version }),
} as const;
