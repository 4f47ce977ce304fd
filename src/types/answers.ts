/** Answers that commands print with `--json` and that the page in the browser shows. */
import type { Hit, Lesson, lessonFields, Outside } from '../types.js';

type AnswerFields = Outside<Pick<Lesson, ReturnType<typeof lessonFields<'answers'>>[number]>>;

/** A lesson; `project` is the slug, or null for what is true everywhere. */
export interface LessonJson extends Omit<AnswerFields, 'first_seen' | 'last_seen' | 'status'> {
  first_seen: string | null;
  last_seen: string | null;
  status: Lesson['status'] | 'withheld';
  /** Why it is withheld. */
  reason: string | null;
}

/** A hit of a search; `passage` is what matched, `text` is longer. */
export type HitJson = Omit<Hit, 'whole' | 'short' | 'origin' | 'tool'> & { passage: string };

/** A sentence that the person typed and that may become a rule. */
export interface WishJson {
  id: string;
  text: string;
  /** Slug. */
  project: string;
  day: string;
  agent: string;
  session: string;
  path: string | null;
  line: number | null;
}
