/**
 * Writes the tables of docs/agents.md that come from the code. Usage: tsx test/docs/write-tables.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentsTable } from './agents-table.js';

const path = join(import.meta.dirname, '../../docs/agents.md');
const table = /^\| agent \| (?:name|reads) \|[\s\S]*?(?=\n\n)/m;
const text = readFileSync(path, 'utf8');
if (!table.test(text)) throw new Error('docs/agents.md has no table of agents');
writeFileSync(
  path,
  text.replace(table, () => agentsTable()),
);
