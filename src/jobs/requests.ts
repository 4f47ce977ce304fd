/** Requests of commands to the daemon over its socket, and the answers. */
import { z } from 'zod';
import { JOB_NAMES, PERSON, type Caller, type Lesson } from '../types.js';
import { editShape } from '../types/shapes.js';
import type { ImportReport } from './sharing/import.js';
import type { PurgeReport } from './upkeep/purge.js';
import type { Summary } from './publishing/summary.js';

/** `person`, or the agent's name. dripstone's commands always send it; other programs may not. */
const byShape = z.string().min(1).default('unknown');

/** A call by `dripstone model use` itself. */
const callShape = z.object({
  time: z.string(),
  provider: z.string(),
  model: z.string(),
  purpose: z.literal('test'),
  agent: z.null(),
  session: z.null(),
  tokens_in: z.number(),
  tokens_out: z.number(),
  ms: z.number(),
  outcome: z.enum(['ok', 'failed', 'busy', 'timeout', 'refused']),
  error: z.string().nullable(),
});

const purgeShape = z.object({
  match: z.string().nullable(),
  session: z.object({ agent: z.string(), session: z.string() }).nullable(),
  project: z.string().nullable(),
  before: z.string().nullable(),
  notes: z.boolean(),
});

export const requestShape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    only: z.array(z.enum(JOB_NAMES)).nullable(),
    rebuild: z.boolean(),
  }),
  z.object({
    kind: z.literal('import'),
    file: z.string(),
    /** Owner of the crystal.json; null: an export of the person. */
    from: z.string().nullable().default(null),
    by: byShape,
  }),
  z.object({ kind: z.literal('purge'), purge: purgeShape, by: byShape }),
  z.object({
    kind: z.literal('edit'),
    edit: editShape.omit({ place: true }),
    owner: z.string().nullable(),
    by: byShape,
  }),
  z.object({ kind: z.literal('ledger'), call: callShape }),
]);

export type Request = z.infer<typeof requestShape>;

export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'person' ? PERSON : caller.name;
}
export function callerBy(by: string): Caller {
  return by === PERSON ? { kind: 'person' } : { kind: 'agent', name: by };
}

export type Answer =
  | { kind: 'run'; summary: Summary }
  | { kind: 'edit'; lesson: Lesson | null }
  | { kind: 'ledger' }
  | { kind: 'purge'; report: PurgeReport }
  | { kind: 'import'; report: ImportReport }
  | { kind: 'failed'; message: string; hint: string; exitCode: number };
