/**
 * What several people know about one project, as one crystal that a repository may carry. Pure; the
 * order of the people makes no difference. Nothing personal is in it: no global lesson, quote,
 * entry, edit or id of a session; what one of them forgot counts as their word against it.
 */
import { createHash } from 'node:crypto';
import type { LessonEvent, Lesson } from '../../types.js';
import { contradictionsAmong } from '../near.js';
import { fingerprintOf, keyOfText, lessonId } from '../identity.js';
import { compareText, sortedSet } from '../order.js';
import { adoptCrystal, joinCrystals } from './merge.js';
import { idOf, rememberedLessons } from './parse.js';
import type { Crystal, CrystalLesson } from './shape.js';

/** One person's crystal of the project. */
export interface Member {
  name: string;
  /** 0 to 1: how far their word counts in the team. */
  trust: number;
  crystal: Crystal;
}

/** Two lessons of which one denies the other, or one that somebody forgot. */
export interface Dispute {
  lessons: { id: string; text: string; by: string[] }[];
  /** Who forgot it; empty where two lessons contradict each other. */
  forgotten_by: string[];
}

export interface Team {
  crystal: Crystal;
  disputes: Dispute[];
}

/** A person's word against what they forgot, unless it is weighed less. */
const TRUST_OF_FORGETTING = 1;

/**
 * The same person and session give the same mark in every merge, and nobody can tell from it who
 * they were.
 */
function markOf(name: string, session: string): string {
  return createHash('sha256').update(`${name}\0${session}`).digest('hex').slice(0, 16);
}

function sharedEvent(event: LessonEvent, { name, trust }: Member): LessonEvent {
  return {
    ...event,
    session: markOf(name, event.session),
    entry: null,
    trust: event.trust * trust,
    quote: '',
  };
}

/** A place in somebody's home tells their account. */
const IN_HOME =
  /(?:^|[\s"'`=:,;(])(?:~[/\\]|\/(?:home|Users|root|mnt\/c\/Users)\/|[a-z]:[/\\]Users[/\\])/i;

function isShared(text: string): boolean {
  return !IN_HOME.test(text);
}

/** The lessons under the ids that they have in the team, and those that they had before. */
type Renamed = ReadonlyMap<CrystalLesson, string>;

/**
 * Ids of lessons that stand for themselves: of one that was put in other words nothing is left of
 * the first, and where several people have different words under one id, no one's words replace
 * another's.
 */
function renamedOf(members: readonly Member[], project: string): Renamed {
  const lessons = members.flatMap(({ crystal }) => crystal.lessons);
  const wordings = new Map<string, Set<string>>();
  for (const lesson of lessons) {
    const id = idOf(lesson, project);
    wordings.set(id, (wordings.get(id) ?? new Set<string>()).add(fingerprintOf(lesson.text)));
  }
  const isOwn = (lesson: CrystalLesson): boolean =>
    wordings.get(idOf(lesson, project))!.size > 1 ||
    (lesson.learnt !== undefined && lesson.learnt.text !== lesson.text);
  return new Map(
    lessons
      .filter(isOwn)
      .map((lesson) => [lesson, lessonId(project, lesson.kind, keyOfText(lesson.text))] as const),
  );
}

/** Field by field: what a person wrote into the file beside them is theirs. */
function sharedLesson(lesson: CrystalLesson, member: Member, renamed: Renamed): CrystalLesson {
  const { kind, scope, text, importance, files, said_by, worth, extractor } = lesson;
  const own = renamed.get(lesson);
  return {
    ...{
      id: own ?? idOf(lesson, member.crystal.project!.id),
      kind,
      scope,
      text,
      importance,
      said_by,
      worth,
      extractor,
    },
    key: own === undefined ? (lesson.key ?? keyOfText(text)) : keyOfText(text),
    files: files.filter(isShared),
    pinned: false,
    tags: [],
    supersedes: [],
    conflicts_with: [],
    evidence: lesson.evidence.map((event) => sharedEvent(event, member)),
  };
}

/**
 * A remote of `host/owner/repo`; a folder of this machine, or one with an account in it, is nobody
 * else's.
 */
function sharedProject({ id, name, remote }: NonNullable<Crystal['project']>): Crystal['project'] {
  return {
    id,
    name,
    aliases: [],
    ...(remote !== undefined && /^[^@:\s]+$/.test(remote) ? { remote } : {}),
  };
}

/** Who forgot which lesson, by its id. */
function forgottenIn(members: readonly Member[]): Map<string, { member: Member; day: string }[]> {
  const forgotten = new Map<string, { member: Member; day: string }[]>();
  for (const member of members)
    for (const { id, at } of member.crystal.tombstones)
      forgotten.set(id, [...(forgotten.get(id) ?? []), { member, day: at.slice(0, 10) }]);
  return forgotten;
}

/** What one person gives to the team. */
function shareOf(member: Member, renamed: Renamed): Crystal {
  const { crystal } = member;
  return {
    ...crystal,
    project: sharedProject(crystal.project!),
    lessons: crystal.lessons
      .filter(
        (lesson) => lesson.scope !== 'global' && lesson.evidence.some(({ supports }) => supports),
      )
      .map((lesson) => sharedLesson(lesson, member, renamed)),
    history: [],
    tombstones: [],
    edits: [],
    written: {},
    extra: {},
    entities: crystal.entities
      .filter(({ name }) => isShared(name))
      .map(({ name, type }) => ({ name, type })),
    relations: crystal.relations
      .filter(({ from, to }) => isShared(from) && isShared(to))
      .map(({ from, rel, to, sessions }) => ({
        ...{ from, rel, to },
        sessions: sessions.map((session) => markOf(member.name, session)).sort(compareText),
      })),
  };
}

/** @param members at least one, all of one project by id or remote; names differ */
export function mergeTeam(members: readonly Member[]): Team {
  const sorted = [...members].sort((a, b) => compareText(a.name, b.name));
  const ids = sorted.map(({ crystal }) => crystal.project!.id).sort(compareText);
  const project = sorted.find(({ crystal }) => crystal.project!.id === ids[0])!.crystal.project!;
  const own = sorted.map((member) => ({
    ...member,
    crystal: adoptCrystal(member.crystal, project),
  }));
  const renamed = renamedOf(own, project.id);
  const shares = own.map((member) => shareOf(member, renamed));
  const joined = shares
    .slice(1)
    .reduce((team, share) => joinCrystals(team, share), joinCrystals(null, shares[0]!));
  const forgotten = forgottenIn(own);
  for (const [lesson, id] of renamed) {
    const by = forgotten.get(idOf(lesson, project.id));
    if (by !== undefined) forgotten.set(id, by);
  }
  const lessons = joined.lessons.map((lesson) =>
    withDoubts(lesson, forgotten.get(lesson.id!) ?? []),
  );
  const crystal = { ...joined, lessons };
  const pairs = contradictionsAmong(rememberedLessons(crystal));
  return {
    crystal: withConflicts(crystal, pairs),
    disputes: disputesOf(crystal, own, pairs, forgotten, renamed),
  };
}

function withDoubts(
  lesson: CrystalLesson,
  forgotten: readonly { member: Member; day: string }[],
): CrystalLesson {
  const doubts = forgotten.map(({ member, day }): CrystalLesson['evidence'][number] => ({
    ...{ agent: 'person', session: markOf(member.name, 'person'), entry: null, day },
    ...{ trust: TRUST_OF_FORGETTING * member.trust, supports: false, quote: '' },
  }));
  return { ...lesson, evidence: [...lesson.evidence, ...doubts] };
}

function withConflicts(crystal: Crystal, pairs: readonly (readonly [Lesson, Lesson])[]): Crystal {
  const others = (id: string): string[] =>
    pairs.flatMap(([a, b]) => (a.id === id ? [b.id] : b.id === id ? [a.id] : []));
  return {
    ...crystal,
    lessons: crystal.lessons.map((lesson) => ({
      ...lesson,
      conflicts_with: sortedSet(others(lesson.id!)),
    })),
  };
}

function disputesOf(
  crystal: Crystal,
  members: readonly Member[],
  pairs: readonly (readonly [Lesson, Lesson])[],
  forgotten: ReadonlyMap<string, { member: Member; day: string }[]>,
  renamed: Renamed,
): Dispute[] {
  const holders = (id: string): string[] =>
    members
      .filter((member) =>
        member.crystal.lessons.some(
          (lesson) => (renamed.get(lesson) ?? idOf(lesson, crystal.project!.id)) === id,
        ),
      )
      .map(({ name }) => name);
  const told = ({ id, text }: Pick<Lesson, 'id' | 'text'>) => ({ id, text, by: holders(id) });
  return [
    ...pairs.map(([a, b]) => ({ lessons: [told(a), told(b)], forgotten_by: [] })),
    ...crystal.lessons.flatMap((lesson): Dispute[] => {
      const by = forgotten.get(lesson.id!) ?? [];
      return by.length === 0
        ? []
        : [
            {
              lessons: [told({ ...lesson, id: lesson.id! })],
              forgotten_by: by.map(({ member }) => member.name),
            },
          ];
    }),
  ];
}
