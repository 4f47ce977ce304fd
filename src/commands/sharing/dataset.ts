/** `dripstone dataset`: writes the memory as Parquet files that other engines read. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createApp } from '../../app.js';
import { AppError, EXIT } from '../../errors.js';
import type { DatasetReport } from '../../jobs/dataset/plan.js';
import { writeDataset } from '../../jobs/dataset/write.js';
import { counted, mib, withCommas } from '../../text/amounts.js';
import { printJson, type Command } from '../command.js';
import { ASKING, oneWord } from '../typed.js';

export const datasetCommand: Command = {
  name: 'dataset',
  summary: 'write what is stored as Parquet files, for engines such as DuckDB, Spark or Athena',
  usage: 'DIR [--no-texts] [--hash-users] [--json]',
  options: {
    'no-texts': {
      type: 'boolean',
      help: 'leave out what people, agents and tools wrote: texts, commands, errors, quotes, titles',
    },
    'hash-users': { type: 'boolean', help: 'replace names of user accounts by keyed hashes' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  exits: {
    ...ASKING,
    [EXIT.busy]: 'the store is in use, or another process writes a dataset of this home',
    [EXIT.interrupted]: 'interrupted; the same command continues',
  },
  examples: [
    'dripstone dataset ~/dripstone-dataset',
    'dripstone dataset /mnt/team/dripstone --no-texts --hash-users',
    'Nothing is uploaded. Both options stay on for a folder once they were given. docs/scale.md tells how engines read it.',
  ],
  async run(io, args) {
    const path = resolve(
      io.cwd,
      oneWord(args, 'dataset takes one folder', 'dripstone dataset ~/dripstone-dataset'),
    );
    await using app = await createApp({ ...io, access: 'read' });
    if (!existsSync(app.paths.key))
      throw new AppError(
        'NO_KEY',
        `${app.paths.key} is missing: a dataset could not be told from another home's`,
        { hint: 'run `dripstone run` first: it makes one' },
      );
    await app.store.release();
    const report = await writeDataset(app, path, {
      texts: !args.flag('no-texts'),
      users: !args.flag('hash-users'),
    });
    if (args.flag('json')) printJson(io, { path, ...report });
    else io.out(render(path, report));
    return EXIT.done;
  },
};

function render(
  path: string,
  { writer, options, tables, files, purged, missing, excluded, oldest, newest }: DatasetReport,
): string {
  const sums = Object.values(tables);
  const rows = sums.reduce((sum, each) => sum + each.rows, 0);
  const bytes = sums.reduce((sum, each) => sum + each.bytes, 0);
  const count = sums.reduce((sum, each) => sum + each.files, 0);
  const left = [
    ...(options.texts ? [] : ['no texts']),
    ...(options.users ? [] : ['users hashed']),
  ].join(', ');
  return [
    `${path}: ${counted(rows, 'row')} in ${counted(count, 'file')} (${mib(bytes)}) as writer ${writer}${left && ` · ${left}`}`,
    `  ${Object.entries(tables)
      .map(([name, table]) => `${name} ${withCommas(table.rows)}`)
      .join(' · ')}`,
    ...(oldest === null || newest === null
      ? []
      : [`  entries from ${oldest.slice(0, 10)} to ${newest.slice(0, 10)}`]),
    files.added + files.rewritten + files.removed === 0
      ? 'nothing new: no byte was changed'
      : `${files.added} added, ${files.rewritten} rewritten, ${files.removed} removed, ${files.unchanged} as they were`,
    ...(purged === 0
      ? []
      : [
          `${counted(purged, 'entry was', 'entries were')} purged in the home since the last time: no file here has one`,
        ]),
    ...(missing === 0
      ? []
      : [`${counted(missing, 'entry has', 'entries have')} no text here: the database lacks it`]),
    ...(excluded.length === 0
      ? []
      : [`not written, since config.yaml excludes them: ${excluded.join(', ')}`]),
    '',
  ].join('\n');
}
