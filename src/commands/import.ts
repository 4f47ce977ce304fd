/** `dripstone import`: takes in what another machine exported. */
import { existsSync, statSync } from 'node:fs';
import { createApp } from '../app.js';
import { EXIT } from '../errors.js';
import { counted } from '../jobs/amounts.js';
import { importHome, type ImportReport } from '../jobs/import.js';
import { stopReading } from '../jobs/ingest.js';
import { prepareStore } from '../jobs/run-all.js';
import { printJson, usage, type Command, type Io } from './command.js';
import { askDaemon } from './delegate.js';
import { archiveOf, EXITS } from './export.js';

export const importCommand: Command = {
  name: 'import',
  summary: 'take in what another machine exported; joined by id, twice is once',
  usage: 'FILE [--json]',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  exits: EXITS,
  async run(io, args) {
    const file = archiveOf(io, args, 'import');
    if (!existsSync(file) || !statSync(file).isFile()) throw usage(`there is no file ${file}`, 'make one with `dripstone export FILE`');
    const report = await carryIn(io, file);
    if (args.flag('json')) printJson(io, { ...report });
    else io.out(render(report));
    return EXIT.done;
  },
};

const carryIn = async (io: Io, file: string): Promise<ImportReport> => {
  const answer = await askDaemon(io, { version: 1, kind: 'import', file });
  if (answer?.kind === 'import') return answer.report;
  await using app = await createApp({ ...io, access: 'write', hurry: true });
  await prepareStore(app);
  const report = await importHome(app, file);
  await stopReading(app.store);
  return report;
};

const CONFIG = {
  taken: 'config.yaml was taken over: read it once',
  same: 'config.yaml is the same',
  kept: 'config.yaml differs: yours was kept',
  refused: 'config.yaml of the archive is not valid here and was left out',
  none: 'no config.yaml',
} as const;

const render = ({ projects, lessons, edits, notes, config }: ImportReport): string =>
  `imported: ${counted(projects, 'project')}, ${counted(lessons, 'new lesson')}, ${counted(edits, 'new edit')}, ${counted(notes, 'new line')} of notes; ${CONFIG[config]}\n`;
