import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import type { Change } from '../commands/edits.js';
import type { Run } from '../commands/runs.js';
import type { SessionInput } from '../session.js';
import { errorSpan } from '../../text/error-span.js';
import { changedPiece, findingsIn, type Finding } from './lint-findings.js';

/** Rules that any change may meet and whose message says all: no lesson of this project. */
const ORDINARY =
  /^(?:F401|F841|I001|E501|W29\d|E30\d|TS2304|TS2339|TS2322|TS2345|TS6133|TS2307|TS1005|TS7006|TS2552|TS2551|no-unused-vars|@typescript-eslint\/no-unused-vars|unused|gofmt|goimports|prettier\/prettier|format|attr-defined|name-defined|import-not-found|E0425|E0433|E0432|E0308|E0599|typecheck|semi|quotes|indent|arg-type|return-value|assignment|call-arg|misc|union-attr)$|[uU]nused/;

/** Compiler errors are of one piece of code: only a cure that the message asks for makes one worth keeping. */
const COMPILER = /^(?:TS\d+|E\d{4})$/;

/** What made a finding go away. */
interface Cure {
  replace?: { from: string; to: string };
  mark?: string;
}

interface Met {
  finding: Finding;
  run: Run;
  cured: Cure | null;
}

const same = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

/** Line pairs of an edit: removed and added in their order. */
function pairsOf(change: Change): { from: string; to: string }[] {
  const lines = change.entry.text.split('\n').slice(1);
  const removed = lines.filter((l) => l.startsWith('-')).map((l) => l.slice(1).trim());
  const added = lines.filter((l) => l.startsWith('+')).map((l) => l.slice(1).trim());
  return removed.length === added.length ? removed.map((from, i) => ({ from, to: added[i] ?? '' })) : [];
}

const namesIn = (text: string): string[] => text.match(/[A-Za-z_]{4,}/g) ?? [];

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

const SILENCED =
  /\/\/ ?nolint:[\w,]+|# noqa: ?[\w,]+|eslint-disable(?:-next-line|-line)? [\w/@-]+|biome-ignore [\w/]+|# type: ignore\[[\w-]+\]|# pylint: disable=[\w-]+|# shellcheck disable=\w+|#\[allow\([\w:]+\)\]|rubocop:disable [\w/]+/;

/** The mark that silences the rule where it is meant to be broken. */
function markOf(finding: Finding, near: Change[]): Cure | null {
  const added = near.flatMap((c) => c.entry.text.split('\n').filter((l) => l.startsWith('+')));
  const mark = added.map((l) => SILENCED.exec(l)?.[0]).find((m) => m?.includes(finding.rule.split('/').at(-1) ?? ''));
  return mark === undefined ? null : { mark };
}

function cureOf(finding: Finding, from: number, to: number, changes: Change[]): Cure | null {
  const near = changes.filter((c) => c.at > from && c.at < to && same(c.file, finding.file));
  return replacementOf(finding, near) ?? markOf(finding, near);
}

function wordsFor(met: Met, tool: string): string {
  const { rule, message } = met.finding;
  const said = message === '' ? '' : `: ${errorSpan(message, met.cured === null ? 110 : 80)}`;
  const cure =
    met.cured === null
      ? ''
      : met.cured.mark !== undefined
        ? `; where it is meant, mark it \`${met.cured.mark}\``
        : replaceWords(met.cured.replace);
  return `\`${tool}\` enforces \`${rule}\`${said}${cure}`;
}

/** A piece of a line of code without the bracket that it leaves open. */
const closed = (code: string): string => {
  let rest = code.trim();
  while (/[,(]$/.test(rest) || (rest.match(/\(/g) ?? []).length > (rest.match(/\)/g) ?? []).length)
    rest = (/[,(]$/.test(rest) ? rest.slice(0, -1) : rest.slice(0, rest.lastIndexOf('('))).trim();
  return rest;
};

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
