/** Lines that programs print and people do not type. */
const PRINTED = [
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // log with a date
  /^\s*\[?\d\d:\d\d:\d\d[\].,\s]/, // log with a time
  /^\s+at \S.*[(:]\d+/, // JavaScript and Java stack
  /^Traceback \(most recent call last\)|^\s+File ".+", line \d+/, // Python stack
  /^\s*-->\s\S+:\d+|^\s*\d+\s+\|\s|^\s*[\^~]+\s*$|^\s*\|\s*[\^~-]*\s*$/, // code frames
  /^\s*\S+\.\w{1,5}:\d+(?::\d+)?[:\s]|^\s*\S+\.\w{1,5}\(\d+,\d+\):/, // file:line:column
  /^\s*(?:\S+\s)?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[:\s\]]/,
  /^\s*(?:npm|yarn|pnpm) (?:ERR!|error|warn)\b|^error\[E\d+\]|^error TS\d+/i,
  /^\s*(?:--- (?:PASS|FAIL|SKIP)|=== (?:RUN|PAUSE|CONT)|ok\s+\S+\s+[\d.(]|(?:PASS|FAIL)\s+\S+|==> |FAILED \S+::|E {3,}\S)/,
  /^(?:diff --git |@@ -\d|(?:\+\+\+|---) [ab]\/|index [\da-f]{7,})/,
  /^\s*[✓✗✔✖×⎿●]\s|[│├└┌┐┤┬┴┼]|[─═]{4,}/,
  /^(?:❯|➜|➤)\s|^\S*\w+@[\w.-]+[:\s][~/].*[$#%]\s|^\$ \S/, // shell prompts
];

const MIN_LINES = 3;
/** Blank, indented or odd lines between two printed ones belong to them. */
const MAX_GAP = 2;

function isPrinted(line: string): boolean {
  return line.length < 2000 && PRINTED.some((shape) => shape.test(line));
}

/**
 * Splits a prompt into what the person wrote and the printed lines that they pasted (logs, stack
 * traces, diffs, shell sessions). Only runs of three or more unmistakable lines count; code, quotes
 * and prose stay with the person.
 */
export function splitPasted(text: string): { words: string; pasted: string } {
  const lines = text.split('\n');
  if (lines.length < MIN_LINES) return { words: text, pasted: '' };
  const taken = new Set<number>();
  let run: number[] = [];
  lines.forEach((line, at) => {
    if (!isPrinted(line)) return;
    const last = run.at(-1);
    if (last !== undefined && at - last - 1 > gapAllowed(lines, last, at)) {
      addRun(run, taken);
      run = [];
    }
    run.push(at);
  });
  addRun(run, taken);
  if (taken.size === 0) return { words: text, pasted: '' };
  const pick = (wanted: boolean) =>
    lines
      .filter((_, at) => taken.has(at) === wanted)
      .join('\n')
      .trim();
  return { words: pick(false).replace(/\n{3,}/g, '\n\n'), pasted: pick(true) };
}

/** Between printed lines any number of blank or indented lines may stand, but only a few others. */
function gapAllowed(lines: string[], from: number, to: number): number {
  const others = lines
    .slice(from + 1, to)
    .filter((line) => line.trim() !== '' && !/^\s{2,}/.test(line)).length;
  return others <= MAX_GAP ? Infinity : -1;
}

function addRun(run: number[], taken: Set<number>): void {
  if (run.length < MIN_LINES) return;
  for (let at = run[0]!; at <= run.at(-1)!; at++) taken.add(at);
}
