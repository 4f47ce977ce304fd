import { errorSpan } from '../../text/error-span.js';
import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import type { Change, Run } from '../commands/runs.js';
import { outputLines } from '../outcome.js';
import type { SessionInput } from '../session.js';

/** Rules of any project whose message says all: no lesson of this one. */
const ORDINARY =
  /^(?:F401|F841|I001|E501|W29\d|E30\d|TS2304|TS2339|TS2322|TS2345|TS6133|TS2307|TS1005|TS7006|TS2552|TS2551|no-unused-vars|@typescript-eslint\/no-unused-vars|unused|gofmt|goimports|prettier\/prettier|format|attr-defined|name-defined|import-not-found|E0425|E0433|E0432|E0308|E0599|typecheck|semi|quotes|indent|arg-type|return-value|assignment|call-arg|misc|union-attr)$|[uU]nused/;

/** Compiler errors are of one piece of code: only a cure that the message asks for makes one worth keeping. */
const COMPILER = /^(?:TS\d+|E\d{4})$/;

/** What made a finding go away. */
interface Cure {
  replace?: { from: string; to: string };
}

interface Met {
  finding: Finding;
  run: Run;
  cured: Cure | null;
}

function same(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/** Line pairs of an edit: removed and added in their order. */
function pairsOf(change: Change): { from: string; to: string }[] {
  const lines = change.entry.text.split('\n').slice(1);
  const removed = lines.filter((l) => l.startsWith('-')).map((l) => l.slice(1).trim());
  const added = lines.filter((l) => l.startsWith('+')).map((l) => l.slice(1).trim());
  return removed.length === added.length ? removed.map((from, i) => ({ from, to: added[i] ?? '' })) : [];
}

function namesIn(text: string): string[] {
  return text.match(/[A-Za-z_]{4,}/g) ?? [];
}

/** The small replacement that the message asks for: its new words stand in the message. */
function replacementOf(finding: Finding, near: Change[]): Cure | null {
  for (const pair of near.flatMap(pairsOf)) {
    const piece = changedPiece(pair.from, pair.to);
    if (piece === null || piece.to === '' || /`/.test(piece.from + piece.to)) continue;
    const old = namesIn(piece.from);
    if (namesIn(piece.to).some((w) => !old.includes(w) && namesIn(finding.message).includes(w))) return { replace: piece };
  }
  return null;
}

function cureOf(finding: Finding, from: number, to: number, changes: Change[]): Cure | null {
  const near = changes.filter((c) => c.at > from && c.at < to && same(c.file, finding.file));
  // A comment that silences the rule is an exception of one place, never a cure: as a lesson it contradicted what a person
  // wanted.
  return replacementOf(finding, near);
}

function wordsFor(met: Met, tool: string): string {
  const { rule, message } = met.finding;
  const said = message === '' ? '' : `: ${errorSpan(message, met.cured === null ? 110 : 80)}`;
  const cure = met.cured === null ? '' : replaceWords(met.cured.replace);
  return `\`${tool}\` enforces \`${rule}\`${said}${cure}`;
}

/** A piece of a line of code without the bracket that it leaves open. */
function closed(code: string): string {
  let rest = code.trim();
  while (/[,(]$/.test(rest) || (rest.match(/\(/g) ?? []).length > (rest.match(/\)/g) ?? []).length)
    rest = (/[,(]$/.test(rest) ? rest.slice(0, -1) : rest.slice(0, rest.lastIndexOf('('))).trim();
  return rest;
}

function replaceWords(piece: Cure['replace']): string {
  if (piece === undefined) return '';
  const [from, to] = [closed(piece.from), closed(piece.to)];
  if (to === '' || to === from) return '';
  return from === '' ? `; add \`${to}\`` : `; write \`${to}\`, not \`${from}\``;
}

/** Lint rules that stopped this session and were cured in it: the rule, what it says and the replacement. */
export function lintRules(session: SessionInput, runs: Run[], changes: Change[]): Candidate[] {
  const met = new Map<string, Met>();
  for (const run of runs) {
    if (!/^(?:lint|check|typecheck|build|test)$/.test(run.form.class) || run.call.result === null) continue;
    const green = runs.find(
      (r) =>
        r.at > run.at &&
        r.form.text === run.form.text &&
        (r.verdict === 'ok' || findingsIn(r.call.result?.text ?? '').length === 0),
    );
    for (const finding of findingsIn(run.call.result.text)) {
      if (ORDINARY.test(finding.rule) || /\.md$/.test(finding.file)) continue;
      const until = green?.at ?? run.at;
      const touched = changes.some((c) => c.at > run.at && c.at < until && same(c.file, finding.file));
      const old = met.get(finding.rule);
      const cured = touched ? cureOf(finding, run.at, until, changes) : null;
      if (touched && (old === undefined || (old.cured === null && cured !== null)))
        met.set(finding.rule, { finding, run, cured });
    }
  }
  return [...met.values()]
    .filter((m) => m.cured !== null || !COMPILER.test(m.finding.rule))
    .slice(0, 8)
    .map((m) => {
      const text = wordsFor(m, m.run.form.text);
      return observed(session, {
        kind: 'gotcha',
        text,
        key: `rule:${m.finding.rule}`,
        importance: 3,
        alone: m.cured !== null,
        worth: m.cured === null ? 0.45 : 0.6,
        entry: m.run.call.entry,
        quote: m.run.call.result?.error ?? m.finding.rule,
        tags: ['lint-rule', `rule:${m.finding.rule}`],
        commands: [m.run.form.text],
      });
    })
    .filter((c) => c.text.length <= 200);
}

/** One finding of a linter or compiler. */
interface Finding {
  file: string;
  rule: string;
  message: string;
}

/** Shapes of findings; groups: file, message, rule in any order by name. */
const SHAPES: readonly RegExp[] = [
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: (?<message>.{8,240}?) \((?<rule>[a-z][\w-]{2,30})\)$/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: (?<rule>[A-Z]{1,4}\d{2,5}) (?:\[\*\] )?(?<message>.{6,200})$/,
  /^(?<file>[\w./@+-]+\.\w+)[(:]\d+[,:]\d+\)?(?: -)?:? error (?<rule>TS\d{3,5}): (?<message>.{6,300})$/,
  /^(?<file>[\w./@+-]+\.pyi?):\d+: error: (?<message>.{6,240}?) {1,3}\[(?<rule>[a-z-]+)\]$/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+ (?<rule>lint\/\w+\/\w+)(?<message>)/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: \w: (?:\[\w+\] )?(?<rule>[A-Z]\w+\/\w+): (?<message>.{6,200})$/,
  /^In (?<file>[\w./@+-]+) line \d+:(?<rule>)(?<message>)/,
  /^(?<file>[\w./@+-]+\.md):\d+(?::\d+)? (?<rule>MD\d{3})(?:\/[\w-]+)* (?<message>.{6,200})$/,
];
const ESLINT = /^\s+\d+:\d+\s+(?:error|warning)\s+(?<message>.{6,240}?)\s{2,}(?<rule>(?:@?[\w-]+\/)*[a-z][\w-]+)$/;
const RUSTC = /^(?:error|warning)\[(?<rule>E\d{4})\]: (?<message>.{6,200})$/;

/** The message that some tools print below the place, behind a mark. */
function markedLine(lines: string[]): string {
  return (
    lines
      .map((l) => /^\s*[×✖!✗⚠] (.{6,200})$/u.exec(l)?.[1])
      .find((m) => m !== undefined)
      ?.trim() ?? ''
  );
}

/** Findings in an output, at most 60. */
export function findingsIn(output: string): Finding[] {
  const found: Finding[] = [];
  let file = '';
  const lines = outputLines(output);
  for (const [at, line] of lines.entries()) {
    if (found.length >= 60) break;
    if (/^(?:\.{0,2}\/)?[\w./@+-]+\.\w{1,5}$/.test(line.trim())) file = line.trim();
    const hit =
      SHAPES.map((s) => s.exec(line)?.groups).find((g) => g !== undefined) ??
      ESLINT.exec(line)?.groups ??
      RUSTC.exec(line)?.groups;
    if (hit === undefined || (hit.rule ?? '') === '') continue;
    found.push({
      file: hit.file ?? file,
      rule: hit.rule ?? '',
      message: (hit.message ?? '').trim() || markedLine(lines.slice(at + 1, at + 5)),
    });
  }
  return found;
}

/** The changed piece between two lines: what stood there and what stands there now, with the whole words around. */
export function changedPiece(before: string, after: string): { from: string; to: string } | null {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  while (head > 0 && /[\w.]/.test(before[head - 1] ?? '')) head -= 1;
  while (tail > 0 && /\w/.test(before[before.length - tail] ?? '')) tail -= 1;
  const from = before.slice(head, before.length - tail).trim();
  const to = after.slice(head, after.length - tail).trim();
  return from === to || from.length > 60 || to.length > 60 ? null : { from, to };
}
