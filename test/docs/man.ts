/** docs/dripstone.1 from docs/cli.md. Usage: tsx test/docs/man.ts; test/docs/man.test.ts fails while it is old. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = join(import.meta.dirname, '../../docs');

/** A line of Markdown in the language of man: code is bold, links are their words. */
function inline(line: string): string {
  const plain = line
    .replaceAll('\\', '\\e')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('-', '\\-')
    .replaceAll(/`([^`]+)`/g, '\\fB$1\\fP');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}

/** Headings, paragraphs, bullets and tables; a table's row becomes a term with its meaning. */
export function renderMan(markdown: string): string {
  const out = [
    '.TH DRIPSTONE 1',
    '.SH NAME',
    'dripstone \\- memory for coding agents, made from the session logs they already write',
  ];
  for (const line of markdown.split('\n')) {
    const cells = /^\| (.*) \|$/.exec(line)?.[1]?.split(' | ');
    if (/^# /.test(line) || /^\| -/.test(line)) continue;
    if (/^## /.test(line)) out.push(`.SH ${inline(line.slice(3).toUpperCase())}`);
    else if (cells !== undefined) out.push('.TP', inline(cells[0]!), inline(cells.slice(1).join(' · ')));
    else if (/^- /.test(line)) out.push('.IP \\(bu 2', inline(line.slice(2)));
    else if (line.trim() === '') out.push('.PP');
    else out.push(inline(line.trim()));
  }
  return `${out.join('\n').trimEnd()}\n`;
}

export const manual = (): string => renderMan(readFileSync(join(docs, 'cli.md'), 'utf8'));
export const manPath = join(docs, 'dripstone.1');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(manPath, manual());
