import type { Draft, SessionFacts } from '../types.js';
import type { Redactor } from './redactor.js';

/**
 * Drafts with every text they carry masked: text, command, tool, folder, branch, files. Ids and joins are left alone: they are
 * hashed or never shown.
 * @param open lines of a private key that the drafts before left open
 * @returns the drafts, and how many lines may still follow in the next ones
 */
export async function redactDrafts(
  drafts: readonly Draft[],
  redactor: Redactor,
  open: number,
): Promise<{ drafts: Draft[]; open: number }> {
  const stream = await redactor.redactStream(
    drafts.map(({ text }) => text),
    open,
  );
  const names = await maskedNames(drafts.flatMap(namesIn), redactor);
  const map = (value: string | null): string | null => (value === null ? null : (names.get(value) as string));
  const masked = drafts.map((draft, i): Draft => {
    const text = stream.texts[i] as string;
    if (text === draft.text && namesIn(draft).every((name) => map(name) === name)) return draft;
    return {
      ...draft,
      text,
      command: map(draft.command),
      tool: map(draft.tool),
      cwd: map(draft.cwd),
      branch: map(draft.branch),
      files: draft.files.map((file) => names.get(file) as string),
    };
  });
  return { drafts: masked, open: stream.open };
}

const namesIn = ({ command, tool, cwd, branch, files }: Draft): (string | null)[] => [command, tool, cwd, branch, ...files];

const NAMED = ['title', 'version', 'cwd', 'branch', 'remote', 'originalCwd'] as const;

/** What logs say about their sessions, masked: title, folders, branch, remote. An absent fact stays absent. */
export async function redactFacts(facts: readonly SessionFacts[], redactor: Redactor): Promise<SessionFacts[]> {
  const names = await maskedNames(
    facts.flatMap((fact) => NAMED.map((name) => fact[name])),
    redactor,
  );
  return facts.map((fact) => {
    const masked: SessionFacts = { ...fact };
    for (const name of NAMED) {
      const value = fact[name];
      if (typeof value === 'string') masked[name] = names.get(value) as string;
    }
    return masked;
  });
}

/** Each different value once: commands, folders and branches repeat from draft to draft. */
async function maskedNames(values: readonly (string | null | undefined)[], redactor: Redactor): Promise<Map<string, string>> {
  const names = [...new Set(values.filter((value) => typeof value === 'string'))];
  const masked = await redactor.redact(names);
  return new Map(names.map((name, i) => [name, masked[i] as string]));
}
