/** Text that prompts of many sessions have in common: shown with the first of them alone. Pure. */

/** Equal characters that count as one text. */
const STRETCH = 200;
/** Distance between stretches of one line. */
const STEP = 100;
/** Stretches that are looked up of one prompt. */
const MOST_STRETCHES = 60;

/** Stretches of a prompt that other sessions may have: from each line's start, and in long lines. */
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
  return starts.slice(0, MOST_STRETCHES);
}

/**
 * A text without its repeated stretches; a mark says how much is left out.
 * @param isRepeated whether earlier sessions have a stretch
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
