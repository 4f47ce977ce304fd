/** The sessions that changed a project's files, and the contents of these files. */
import { grouped, type Db } from './db.js';
import { textsOf, type TextKey } from './rows/texts.js';
import { withPlaces } from './search/numbers.js';

/** A session that edited a file. */
interface FileEditor {
  file: string;
  agent: string;
  session: string;
  title: string | null;
  edits: number;
  first: string | null;
  last: string | null;
  /** The person's last text before the first edit. */
  asked: string | null;
  path: string | null;
  line: number | null;
  /** Entry of the first edit. */
  entry: string;
}

/**
 * Sessions that edited a file, newest first.
 * @param file path below the project's root, the end of such a path, or an absolute path
 */
export async function editorsOf(
  db: Db,
  file: string,
  project: string | null,
  limit: number,
): Promise<FileEditor[]> {
  const found = await db.all<Omit<FileEditor, 'path' | 'line'>>(
    `WITH edits AS (
       SELECT e.*, coalesce(nullif(trim(f.title), ''), p.title) AS title
       FROM own.file_edits e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
         LEFT JOIN own.episodes p ON p.agent = e.agent AND p.session = e.session
       WHERE ($project::VARCHAR IS NULL OR f.project_id = $project)
         AND (e.file = $file OR ends_with(e.file, '/' || $file) OR ends_with($file, '/' || e.file))
       -- Forks and resumes repeat rows of their parents: each row once, of the session that began first.
       QUALIFY row_number() OVER (PARTITION BY e.entry, e.file ORDER BY f.oldest, e.session, e.agent) = 1),
     grouped AS (
       SELECT file, agent, session, any_value(title) AS title, count(*) AS edits, min(time) AS first, max(time) AS last,
         min(seq) AS seq, arg_min(entry, seq) AS entry
       FROM edits GROUP BY file, agent, session)
     SELECT g.* EXCLUDE (seq),
       (SELECT arg_max(p.text, p.seq) FROM own.prompts p
        WHERE p.agent = g.agent AND p.session = g.session AND p.seq < g.seq) AS asked
     FROM grouped g ORDER BY g.last DESC NULLS LAST, g.session, g.file LIMIT $limit`,
    { file, project, limit },
  );
  return await withPlaces(db, found);
}

/** Base names, in lower case, of the files that an agent or a person reads first. */
const READ_FIRST = [
  ...[
    'claude.md',
    'agents.md',
    'gemini.md',
    'readme.md',
    'contributing.md',
    'makefile',
    'justfile',
    'package.json',
  ],
  ...[
    'mise.toml',
    '.mise.toml',
    'pyproject.toml',
    'cargo.toml',
    'composer.json',
    'deno.json',
    'taskfile.yml',
    'taskfile.yaml',
  ],
];
/** Limit on each kind, newest first, since only the present contents of files are useful. */
const MOST_SHOWN = 40;

/**
 * The last known contents of a project's instruction files and manifests, from its logs (injected
 * texts, calls on such files and their results), so files of other machines are included.
 */
export async function shownOfFiles(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => string[]> {
  if (owners.length === 0) return () => [];
  const newest = `QUALIFY row_number() OVER (PARTITION BY of ORDER BY time DESC NULLS LAST, n) <= ${MOST_SHOWN}`;
  const rows = await db.all<TextKey & { of: string }>(
    `WITH here AS (
       SELECT *, project_id AS of FROM own.current_entries WHERE project_id IN (SELECT unnest($owners::VARCHAR[]))),
     calls AS (
       SELECT * FROM here WHERE role = 'tool_call'
         AND len(list_filter(files, lambda file: list_contains($names, lower(regexp_extract(file, '[^/\\\\]+$'))))) > 0
       ${newest}),
     injected AS (SELECT * FROM here WHERE origin = 'injected' ${newest})
     SELECT of, n, length FROM injected UNION SELECT of, n, length FROM calls
     UNION SELECT r.of, r.n, r.length FROM here r
       JOIN calls c ON r.call = c.call AND r.session = c.session AND r.role = 'tool_result'
     ORDER BY n`,
    { owners, names: READ_FIRST },
  );
  const texts = await textsOf(db, rows);
  const found = grouped(rows, ({ of }) => of);
  return (owner) => (found.get(owner ?? '') ?? []).flatMap(({ n }) => texts.get(n) ?? []);
}
