/** Text that prompts of many sessions have in common: shown with the first of them alone. Pure. */

/** So many equal characters count as one text. */
const STRETCH = 200;
/** Stretches of one line begin so far from each other. */
const STEP = 100;
/** Stretches that are looked up of one prompt. */
const MOST = 60;

/**
 * Stretches of a prompt that may stand in other sessions, too: from each line's beginning on, and
 * within long lines.
 */
export function stretchesOf(text: string): string[] {
  return startsOf(text).map((at) => text.slice(at, at + STRETCH));
}

function startsOf(text: string): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    for (let from = at; from === at || from < at + line.length; from += STEP)
      if (line !== '' && from + STRETCH <= text.length) starts.push(from);
    at += line.length + 1;
  }
  return starts.slice(0, MOST);
}

/**
 * A text without what stands in repeated stretches; a mark says how much that was.
 * @param isRepeated whether a stretch stood in earlier sessions
 */
export function withoutRepeats(text: string, isRepeated: (stretch: string) => boolean): string {
  let at = 0;
  let rest = '';
  for (const [from, to] of joined(
    startsOf(text).filter((start) => isRepeated(text.slice(start, start + STRETCH))),
  )) {
    rest += `${text.slice(at, from)}[${to - from} characters as in earlier sessions]`;
    at = to;
  }
  return rest + text.slice(at);
}

/** Stretches that touch, as one range each. */
function joined(starts: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const start of starts) {
    const last = ranges.at(-1);
    if (last && start <= last[1] + 1) last[1] = start + STRETCH;
    else ranges.push([start, start + STRETCH]);
  }
  return ranges;
}
