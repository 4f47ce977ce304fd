import { createHash } from 'node:crypto';
import type { Extraction } from '../types.js';
import type { SessionInput } from './session.js';

/** Characters that must be equal for two long first prompts to count as one. */
const HEAD = 200;

/** One line that names what follows: a heading, a tag, a key or a label. */
const SHAPES: readonly { kind: string; found: RegExp; least: number }[] = [
  { kind: 'tag', found: /^<([A-Za-z][\w-]{1,40})(?:\s[^>]{0,80})?>/, least: 2 },
  { kind: 'heading', found: /^(#{1,6}\s+\S.{0,60}?)\s*#*$/, least: 2 },
  // Each character in one way only: with `\w*(?:[_-]\w+)+` a line of 30 underscores took minutes.
  { kind: 'key', found: /^"?([A-Za-z](?=\w*[_-]\w)\w*(?:-\w+)*)"?\s*[:=](?:\s|$)/, least: 2 },
  {
    kind: 'label',
    found:
      /^(?:[-*]\s+)?(?:\*\*|__)?(\p{L}[\p{L}\p{N}]*(?:[ -][\p{L}\p{N}]+){0,3})(?:\*\*|__)?\s*[:：](?:\*\*|__)?(?:\s|$)/u,
    least: 3,
  },
];
/** Keys that a program wrote one behind the other on a line. */
const INLINE_KEYS = /(?<=\S\s)(?=[a-z][a-z0-9]*(?:_[a-z0-9]+)+:\s)/g;

/**
 * Blanks of its own line alone: a run of lines is looked at from each of its lines (with `\s`,
 * 100,000 blank lines took 25 s).
 */
const FENCED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))/gm;

/**
 * Lines and characters of a prompt that are looked at for its frame; the rest is cut off before
 * anything else.
 */
const FRAME_LINES = 400;
const FRAME_CHARS = 20_000;

/**
 * The frame that a prompt is written into: the first lines that name what follows, all of one
 * shape, without their values; null when the prompt does not open with such a line or has fewer
 * than a frame needs. What stands inside a tag is a value. People do not type frames; a prompt that
 * comes with the same one again and again is a program's.
 */
function frameOf(text: string): string | null {
  const head = text.slice(0, FRAME_CHARS).split('\n', FRAME_LINES).join('\n');
  const lines = head
    .replace(FENCED, '')
    .replace(INLINE_KEYS, '\n')
    .split('\n', FRAME_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const start = lines.slice(0, 2).findIndex((line) => SHAPES.some(({ found }) => found.test(line)));
  const shape = SHAPES.find(({ found }) => found.test(lines[start] ?? ''));
  if (start < 0 || shape === undefined) return null;
  const names: string[] = [];
  for (let at = start; at < lines.length && names.length < shape.least; at += 1) {
    const name = shape.found.exec(lines[at] ?? '')?.[1];
    if (name === undefined || names.includes(name)) continue;
    names.push(name);
    if (shape.kind === 'tag')
      at = Math.max(
        at,
        lines.findIndex((line, i) => i >= at && line.includes(`</${name}>`)),
      );
  }
  if (names.length < shape.least) return null;
  const lead = (start > 0 ? (lines[0] ?? '') : '').replace(/\d+/g, '#').slice(0, HEAD);
  return `${shape.kind}\n${lead}\n${names.join('\n')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * The first prompt of a session: a hash of its first 200 characters (blanks made one), its length,
 * a hash of its frame, and whether a person typed afterwards. What comes again in the same frame or
 * with the same first characters is the program's next prompt, not a person's typing. Three
 * sessions with one long opening or one frame in which nobody typed later are automated; equal
 * openings also show aborted duplicates.
 */
export function describeOpening(session: SessionInput): Extraction['opening'] {
  const [first, ...later] = session.entries.filter(
    (e) => e.role === 'user' && e.origin === 'user' && !e.copied && e.text.trim() !== '',
  );
  if (first === undefined) return null;
  const text = oneLine(first.text);
  const frame = frameOf(first.text);
  const isAgain = (other: string): boolean =>
    oneLine(other).slice(0, HEAD) === text.slice(0, HEAD) ||
    (frame !== null && frameOf(other) === frame);
  const typedLater = later.some((entry) => !isAgain(entry.text));
  return {
    hash: hashed(text.slice(0, HEAD)),
    length: text.length,
    frame: frame === null ? null : hashed(frame),
    typedLater,
  };
}
