import type { Sentence } from './sentences-split.js';

/** Columns of such tables are numbers, results or versions of one day: their rows are no statements. */
const OF_THE_DAY = /^(?:#|no\.?|id|status|state|severity|priority|verdict|result|done|date|before|after|current|proposed|old|new|line|lines|changes?|finding|action|step|option|approach|pros?|cons?|test|scenario|严重度|状态|结果)$/iu;
const PROBLEM = /^(?:problem|symptom|error|failure|failure mode|message|issue|what fails|when you see|fehler|symptôme|síntoma|问题|错误)s?$/iu;
const CAUSE = /^(?:(?:root )?causes?|why|reason|because|explanation|what it means|meaning|ursache|grund|cause|causa|原因)$/iu;
const CURE = /^(?:fix|cure|solution|remedy|workaround|what to do|do this|use instead|instead|lösung|solución|解决)$/iu;
const NOTE = /^(?:notes?|caveats?|gotchas?|constraints?|limitations?|limits?|requires?|requirements?|needs|behaviou?r|effect|what happens|rule|hinweis|remarque|nota|说明|备注|限制)$/iu;

const cellsOf = (line: string): string[] => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/).map((cell) => cell.replace(/\\\|/g, '|').trim());
const isRule = (line: string): boolean => /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$/.test(line);
const bare = (cell: string): string => cell.replace(/\*\*|__/g, '').trim();
const lower = (words: string): string => (/^\p{Lu}\p{Ll}/u.test(words) ? (words[0] as string).toLowerCase() + words.slice(1) : words);
const ended = (words: string): string => words.replace(/[.;:!]+$/, '');

/** A verb in the third person: what the row's first cell does. */
const DOES = /^(?:(?:never|always|only|silently)\s)?(?:needs?|requires?|fails?|rewrites?|overwrites?|ignores?|expects?|runs?|reads?|writes?|takes?|must|cannot|does(?:n['’]t| not)|is|has|skips?|rejects?|refuses?|times? out|hangs?|breaks?|deletes?|starts?|stops?|only)\s/iu;

/** Statements that a row makes: a problem with its cause and cure, a note on the named thing, a note that is a sentence. */
function statementsOf(cells: string[], columns: { problem: number; cause: number; cure: number; note: number }): string[] {
  const at = (column: number): string => (column < 0 ? '' : bare(cells[column] ?? ''));
  const [problem, cause, cure, note, first] = [at(columns.problem), at(columns.cause), at(columns.cure), at(columns.note), bare(cells[0] ?? '')];
  const out: string[] = [];
  if (problem !== '' && cause !== '') {
    const named = /^`[^`]+`(?:\s(?:in|from|on|at|with|when)\s.+)?$/u.test(problem);
    out.push(`${named ? `${problem} means that ${lower(ended(cause))}` : `${ended(problem)}, because ${lower(ended(cause))}`}${cure === '' ? '' : `: ${lower(ended(cure))}`}`);
  } else if (problem !== '' && cure !== '' && /^`[^`]+`$/u.test(problem)) out.push(`When ${problem} appears, ${lower(ended(cure))}`);
  if (note !== '') out.push(/^`[^`]+`$/u.test(first) && DOES.test(note) ? `${first} ${lower(note)}` : note.replace(/^(?:required|needed|important|note|caveat)\s*[-–—:]\s+/iu, ''));
  return out;
}

/**
 * What the tables of a text state, row by row, as sentences; tables of results, findings and options state nothing that lasts.
 * `block` is -1: a row stands in no paragraph.
 */
export function tableSentences(text: string): Sentence[] {
  const lines = text.split(/\r?\n/);
  const out: Sentence[] = [];
  for (let at = 0; at + 2 < lines.length; at += 1) {
    if (!(lines[at] ?? '').includes('|') || !isRule(lines[at + 1] ?? '')) continue;
    const heads = cellsOf(lines[at] ?? '').map(bare);
    const find = (kind: RegExp): number => heads.findIndex((head) => kind.test(head));
    const columns = { problem: find(PROBLEM), cause: find(CAUSE), cure: find(CURE), note: find(NOTE) };
    const isDated = heads.some((head) => OF_THE_DAY.test(head));
    for (at += 2; at < lines.length && (lines[at] ?? '').includes('|'); at += 1) {
      if (isDated) continue;
      for (const words of statementsOf(cellsOf(lines[at] ?? ''), columns)) if (words.length >= 20) out.push({ text: words, said: (lines[at] ?? '').trim(), heading: heads[columns.note] ?? heads[0] ?? null, previous: null, intro: null, first: true, item: false, block: -1, line: at });
    }
  }
  return out;
}
