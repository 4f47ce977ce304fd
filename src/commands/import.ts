/** `dripstone import`: reads an export of another machine, or somebody else's crystal.json. */
import { existsSync, statSync } from 'node:fs';
import { refuseAgents } from '../caller.js';
import { EXIT, usage } from '../errors.js';
import { counted } from '../text/amounts.js';
import type { ImportReport } from '../jobs/sharing/import.js';
import type { PurgedElsewhere } from '../jobs/upkeep/purge.js';
import { print, type Command, WORKING, value, flag } from '../command.js';
import { carryOut } from '../work.js';
import { archiveOf } from './export.js';

export const importCommand: Command = {
  name: 'import',
  summary:
    "merge the export of another machine, or take in somebody else's crystal.json; a second import changes nothing",
  usage: 'FILE [--json] | crystal.json --from NAME [--json]',
  options: {
    from: value(
      'NAME',
      "FILE is a crystal.json of person NAME: its claims get that name and count as much as an agent's",
    ),
    json: flag('print JSON'),
  },
  exits: {
    ...WORKING,
    [EXIT.partial]:
      'done, but a text that the other machine purged is still on this one; the output says where',
  },
  examples: ['dripstone import ~/memory.json.gz', 'dripstone import crystal.json --from anna'],
  async run(io, args) {
    refuseAgents(io.caller(), 'an import');
    const file = archiveOf(io, args, 'import');
    if (!existsSync(file) || !statSync(file).isFile())
      throw usage(`there is no file ${file}`, 'make one with `dripstone export FILE`');
    const from = ownerOf(file, args.text('from'));
    const { report } = await carryOut(io, { kind: 'import', file, from });
    print(io, args, { ...report }, render(report));
    return report.purged?.proof.clean === false ? EXIT.partial : EXIT.done;
  },
};

/** A person's name. It is stored as the author of evidence. */
const OWNER = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,59}$/u;

/** Author of the crystal; null for an export. */
function ownerOf(file: string, from: string | null): string | null {
  if (from === null && !file.endsWith('.json')) return null;
  if (from === null)
    throw usage(
      `${file} is a crystal.json, but it does not say whose it is`,
      '`dripstone import crystal.json --from NAME`: its claims carry that name',
    );
  if (!OWNER.test(from))
    throw usage(
      `--from ${from} is not a name`,
      'a name has at most 60 letters, digits, spaces and . _ @ -',
    );
  return from;
}

function render({ projects, lessons, edits, notes, purged }: ImportReport): string {
  return [
    `imported: ${counted(projects, 'new project')}, ${counted(lessons, 'new lesson')}, ${counted(edits, 'new edit')}, ` +
      `${counted(notes, 'new line')} of notes`,
    ...(purged === null ? [] : [renderPurged(purged)]),
    '',
  ].join('\n');
}

/** What this import purged because the other machine had purged it, with the proof. */
export function renderPurged({ entries, lessons, proof }: PurgedElsewhere): string {
  const went = `purged there, and now here: ${counted(entries, 'entry', 'entries')}, ${counted(lessons, 'lesson')}; `;
  return proof.clean
    ? `${went}proof: 0 found in ${counted(proof.files, 'file')} and in every text column of the database`
    : `${went}NOT CLEAN: it is still in ${[...proof.hits, ...proof.rows, ...proof.unreadable].join(', ')}`;
}
