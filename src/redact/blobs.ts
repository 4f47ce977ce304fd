import { contentStart } from './lines.js';
import { replaceSpans, type Span } from './span.js';
import { shortHash } from '../text/fingerprint.js';

/** A longer run is a file, because keys and tokens are shorter. */
const SHORTEST_BLOB = 1024;
/** So many lines of wrapped base64 (PEM, MIME) make a blob. */
const WRAPPED_LINES = 12;
const DATA_URL = /data:([\w.+-]{1,60}\/[\w.+-]{1,60})?(?:;[\w=.+-]{1,60}){0,4};base64,$/;

/**
 * Replaces embedded files (`data:` URLs, long base64) by `[BLOB image/png 47 MB sha256:…]`: type,
 * decoded size, 16 hex.
 * @param runs the text's long runs
 */
export function dropBlobs(text: string, runs: readonly number[]): string {
  const blobs: Span[] = [];
  const block = { start: 0, end: -1, lines: 0 };
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] as number;
    const end = runs[i + 1] as number;
    if (end - start < 60) continue;
    const head = DATA_URL.exec(text.slice(Math.max(0, start - 200), start));
    if (head !== null && end - start >= 64)
      blobs.push({
        start: start - head[0].length,
        end: withPadding(text, end),
        kind: head[1] ?? 'data',
      });
    else if (end - start >= SHORTEST_BLOB && isEncoded(text, start, end))
      blobs.push({ start, end: withPadding(text, end), kind: 'base64' });
    else {
      if (!isNextLine(text, block.end, start)) {
        addBlock(blobs, text, block);
        Object.assign(block, { start, lines: 0 });
      }
      Object.assign(block, { end, lines: block.lines + 1 });
    }
  }
  addBlock(blobs, text, block);
  blobs.sort((a, b) => a.start - b.start);
  return blobs.length === 0
    ? text
    : replaceSpans(text, blobs, (blob) => describe(text.slice(blob.start, blob.end), blob.kind));
}

/** Whether only one line end and the prefix of a tool are between two runs. */
function isNextLine(text: string, end: number, start: number): boolean {
  if (end < 0 || start - end > 80) return false;
  const line = text[end] === '\r' ? end + 2 : end + 1;
  return text[line - 1] === '\n' && contentStart(text, line, start) === start;
}

/** Adds wrapped base64 as a blob, except key blocks, which redaction marks itself. */
function addBlock(
  blobs: Span[],
  text: string,
  { start, end, lines }: { start: number; end: number; lines: number },
): void {
  if (
    lines < WRAPPED_LINES ||
    /KEY(?: BLOCK)?-{4,5}[^\n]{0,40}\n[^\n]{0,80}$/.test(
      text.slice(Math.max(0, start - 160), start),
    ) ||
    !isEncoded(text, start, end)
  )
    return;
  const tail = /^\r?\n[A-Za-z0-9+/]{1,128}={0,2}(?![^\s"'])/.exec(text.slice(end, end + 140));
  blobs.push({
    start,
    end: tail === null ? withPadding(text, end) : end + tail[0].length,
    kind: 'base64',
  });
}

function withPadding(text: string, end: number): number {
  let last = end;
  while (last < text.length && last < end + 2 && text[last] === '=') last++;
  return last;
}

/** At least two classes of characters at the start: no line of dashes or of one character. */
function isEncoded(text: string, start: number, end: number): boolean {
  const sample = text.slice(start, Math.min(end, start + 512));
  return new Set(sample).size >= 10 && /[A-Z0-9]/.test(sample);
}

function describe(blob: string, kind: string): string {
  const body = blob.slice(blob.indexOf(',') + 1);
  return (
    `[BLOB ${kind} ${sizeOf(Math.floor((body.length * 3) / 4))} ` + `sha256:${shortHash(body, 16)}]`
  );
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024
    ? `${Math.round(bytes / 1024)} KB`
    : `${Math.round(bytes / 1024 / 1024)} MB`;
}
