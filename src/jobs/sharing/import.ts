/**
 * Imports another machine's export: crystals are joined by the ids of their lessons, nothing is
 * overwritten, and a second import changes nothing.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { projectFolder } from '../../config.js';
import { AppError } from '../../errors.js';
import {
  adoptCrystal,
  foreignClaims,
  formatCrystal,
  joinCrystals,
  rememberedEdits,
  type Crystal,
} from '../../lessons/index.js';
import { withCommas } from '../../text/amounts.js';
import { addNewEdits, loadProjects, publishFile, saveProjects } from '../../store/index.js';
import { parse } from '../../text/fields.js';
import type { Project } from '../../types.js';
import { withoutChat } from '../../context/index.js';
import { publishProjects } from '../publishing/context.js';
import { takeHandEdits } from '../learning/hand-edits.js';
import { readCrystal } from '../publishing/crystal-file.js';
import { MOST_BYTES, newer, refuse, unpackHome } from './bundle.js';
import { purgeMarked, type PurgedElsewhere } from '../upkeep/purge.js';
import { withoutPurged } from '../upkeep/purge-crystals.js';
import type { JobContext } from '../job.js';
import { learnAll } from '../learning/learn.js';
import { joinReceipts } from '../upkeep/receipts.js';
import { readForeignCrystal, redactorOf, type Redact } from '../upkeep/mask.js';
import { stepOfAll } from '../learning/passed-over.js';
import { slugOf } from '../../projects/plan-projects.js';
import { normaliseRemote, remoteKey } from '../../projects/remote.js';
import { writeCrystals } from '../publishing/write-crystal.js';

export interface ImportReport {
  /** Number of projects that were new here. */
  projects: number;
  /** Number of lessons that were new here, live and past. */
  lessons: number;
  edits: number;
  /** Number of lines added to notes.md files. */
  notes: number;
  /** Data that was deleted because it was purged there; null: none. */
  purged: PurgedElsewhere | null;
}

interface Incoming {
  /** null: the person. */
  slug: string | null;
  crystal: Crystal;
}

/**
 * @throws AppError before anything is written: exit 1 if it is not an export, 13 for a newer one
 */
export async function importHome(context: JobContext, file: string): Promise<ImportReport> {
  refuseAgents(context.caller?.(), 'an import');
  const found = unpackHome(file, readFileSync(file));
  const redact = await redactorOf(context);
  const incoming = [...found]
    .filter(([name]) => name.endsWith('crystal.json'))
    .map(([name, text]) => readIncoming(context, `${name} in ${file}`, text, slugIn(name), redact));
  const report: ImportReport = { projects: 0, lessons: 0, edits: 0, notes: 0, purged: null };
  const marks = (found.get('purged.txt') ?? '').split('\n');
  const prove = await purgeMarked(
    context,
    marks.filter((mark) => /^[\w:]{16,80}$/.test(mark)),
  );
  const known = await context.store.read((db) => loadProjects(db));
  const left = await withoutPurged(
    context,
    incoming,
    (project) => projectHere(known, project) !== undefined,
  );
  for (const each of left) {
    const { project, isNew } = await settleProject(context, each);
    const crystal = project === null ? each.crystal : adoptCrystal(each.crystal, project);
    await takeHandEdits(context, [project]);
    report.lessons += await joinCrystal(context, project, crystal);
    report.edits += (
      await context.store.write((db) =>
        addNewEdits(db, project?.id ?? null, rememberedEdits(crystal)),
      )
    ).length;
    if (isNew) report.projects++;
    report.notes += await joinNotes(
      context,
      project,
      found.get(each.slug === null ? 'global/notes.md' : `projects/${each.slug}/notes.md`),
      redact,
    );
  }
  await joinReceipts(context, found.get('receipts.jsonl') ?? '');
  await publishAll(context);
  report.purged = (await prove?.(left.map(({ crystal }) => crystal))) ?? null;
  return report;
}

async function publishAll(context: JobContext): Promise<void> {
  const projects = await context.store.read((db) => loadProjects(db));
  await learnAll(context, projects, projects);
  await stepOfAll(context, 'crystal', [null, ...projects], (group) =>
    writeCrystals(context, group),
  );
  await stepOfAll(context, 'page', [null, ...projects], (group) => publishProjects(context, group));
}

/**
 * Imports the claims of another person's crystal.json about a project, under that person's name and
 * with an agent's trust. A second import adds nothing.
 * @param owner name of that person
 * @throws AppError before anything is written: exit 1 if it is not a project's crystal, 13 for a
 * newer one
 */
export async function importCrystal(
  context: JobContext,
  file: string,
  owner: string,
): Promise<ImportReport> {
  refuseAgents(context.caller?.(), 'an import');
  const { size } = statSync(file);
  if (size > MOST_BYTES) throw refuse(file, `it has ${withCommas(size)} bytes`);
  const redact = await redactorOf(context);
  const text = readFileSync(file, 'utf8');
  const incoming = readIncoming(context, file, text, 'theirs', redact);
  const { project, isNew } = await settleProject(context, incoming);
  if (project === null) throw refuse(file, 'it names no project');
  const claims = foreignClaims(incoming.crystal, project.id, owner);
  const added = await context.store.write((db) => addNewEdits(db, project.id, claims));
  await publishAll(context);
  return { projects: isNew ? 1 : 0, lessons: added.length, edits: 0, notes: 0, purged: null };
}

function slugIn(name: string): string | null {
  return name.startsWith('global/') ? null : name.split('/')[1]!;
}

/** @param slug null: the person's own crystal */
function readIncoming(
  { clock }: JobContext,
  what: string,
  text: string,
  slug: string | null,
  redact: Redact,
): Incoming {
  const { version } = parse(text);
  if (typeof version === 'number' && version > 1) throw newer(what, version);
  const { crystal, problems } = readForeignCrystal(text, clock.now(), redact);
  if (crystal !== null && problems.length === 0 && (crystal.project === null) === (slug === null))
    return { slug, crystal };
  throw new AppError(
    'NOT_AN_EXPORT',
    `${what} cannot be read: ${problems[0] ?? 'it names the wrong project'}`,
    { hint: 'nothing was imported; make the export again' },
  );
}

/** The known project with that id or remote, or a new one with the name of its folder. */
async function settleProject(
  { store }: JobContext,
  { slug, crystal }: Incoming,
): Promise<{ project: Project | null; isNew: boolean }> {
  if (slug === null || crystal.project === null) return { project: null, isNew: false };
  const { id, name, aliases } = crystal.project;
  const known = await store.read((db) => loadProjects(db));
  const here = projectHere(known, crystal.project);
  const project: Project = here ?? {
    id,
    // Not the name in the file, which may be a word of the command line, such as `all`.
    slug: slugOf(name || slug, id, new Set(known.map((each) => each.slug))),
    name: name || slug,
    remote: remoteOf(crystal.project),
    folders: [],
    aliases,
  };
  await store.write((db) =>
    saveProjects(db, [{ ...project, aliases: aliases.filter((alias) => alias !== project.name) }]),
  );
  return { project, isNew: here === undefined };
}

type ArchivedProject = NonNullable<Crystal['project']>;

function remoteOf({ remote }: ArchivedProject): string | null {
  return remote === undefined ? null : normaliseRemote(remote);
}

function projectHere(known: readonly Project[], named: ArchivedProject): Project | undefined {
  const remote = remoteOf(named);
  const isSame = (other: string | null): boolean =>
    remote !== null && other !== null && remoteKey(other) === remoteKey(remote);
  return (
    known.find(({ id }) => id === named.id) ??
    known.find((each) => isSame(each.remote) || each.aliases.some(isSame))
  );
}

/** @returns number of new lessons */
async function joinCrystal(
  { paths }: JobContext,
  project: Project | null,
  there: Crystal,
): Promise<number> {
  const { crystal: here, path } = readCrystal(paths, project);
  const idsOf = (crystal: Crystal | null): string[] =>
    crystal === null ? [] : [...crystal.lessons, ...crystal.history].flatMap(({ id }) => id ?? []);
  const before = new Set(idsOf(here));
  const joined = joinCrystals(here, there);
  await publishFile(path, formatCrystal(joined));
  return idsOf(joined).filter((id) => !before.has(id)).length;
}

/** Appends the lines that these notes do not have yet. */
async function joinNotes(
  { paths }: JobContext,
  project: Project | null,
  theirs: string | undefined,
  redact: Redact,
): Promise<number> {
  if (theirs === undefined) return 0;
  const path = join(projectFolder(paths, project), 'notes.md');
  const ours = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // Others wrote these lines, so they are masked one by one, without hidden signs and chat turns.
  const clean = (text: string): string[] => redact(withoutChat(text).split('\n'));
  const lines = clean(theirs);
  // Our own lines come back from the other machine in their masked form.
  const known = new Set([...ours.split('\n'), ...clean(ours)].map((line) => line.trim()));
  const fresh = lines.filter(
    (line) =>
      line.trim() !== '' && !known.has(line.trim()) && !/^> (?:Summary|Keywords):/.test(line),
  );
  if (fresh.length > 0)
    await publishFile(
      path,
      ours === '' ? lines.join('\n') : `${ours.trimEnd()}\n\n${fresh.join('\n')}\n`,
    );
  return fresh.length;
}
