/**
 * Writes expected.json of one agent's fixtures anew, to be read line by line before it is
 * committed. Usage: tsx test/agents/write-expected.ts AGENT
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapters } from '../../src/agents/index.js';
import { fold, logsOf, shorten } from './fold.js';

const [agent = ''] = process.argv.slice(2);
const adapter = adapters.find((each) => each.agent === agent);
if (adapter === undefined) throw new Error(`no adapter is called ${agent}`);
const home = join(import.meta.dirname, '../fixtures', agent);
const logs = logsOf(adapter, home).map(({ relative, name, records, fault }) => {
  const { rawEntries, session, unknown, usage } = fold(adapter, name, records);
  const list = (values: readonly unknown[]): string =>
    values.length === 0
      ? '[]'
      : `[\n${values.map((value) => `   ${JSON.stringify(value)}`).join(',\n')}\n  ]`;
  if (fault !== null) process.stderr.write(`${relative}: ${fault}\n`);
  return [
    ` ${JSON.stringify(relative)}: {`,
    `  "session": ${JSON.stringify(session)},`,
    `  "unknown": ${JSON.stringify(unknown)},`,
    ...(usage.length > 0 ? [`  "usage": ${list(usage)},`] : []),
    `  "rawEntries": ${list(rawEntries.map(shorten))}`,
    ' }',
  ].join('\n');
});
writeFileSync(join(home, 'expected.json'), `{\n${logs.join(',\n')}\n}\n`);
