/** Drops `<private>…</private>`: any case, nested, unclosed (to the end), and with invisible or full-width characters inside the tags. */

const INVISIBLE = '[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff\\s]{0,8}';
const TAG = new RegExp(
  `(?:[<＜]|&lt;|\\\\u003c)${INVISIBLE}([/／]?)${INVISIBLE}${[...'private'].map((char) => `[${char}${char.toUpperCase()}${wide(char)}${wide(char.toUpperCase())}]`).join(INVISIBLE)}(?![a-zA-Z0-9-])[^>＞<\\n]{0,200}?(?:[>＞]|&gt;|\\\\u003e)`,
  'g',
);
function wide(char: string): string {
  return String.fromCharCode(char.charCodeAt(0) + 0xfee0);
}

/** The text without what the person marked as private; worth calling when the text holds the word, or odd characters that may hide it. */
export function dropPrivate(text: string): string {
  const kept: string[] = [];
  let depth = 0;
  let at = 0;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] !== '';
    if (depth === 0 && !closes) kept.push(text.slice(at, tag.index));
    if (depth === 0 && closes) continue;
    depth += closes ? -1 : 1;
    at = tag.index + tag[0].length;
  }
  if (at === 0) return text;
  if (depth === 0) kept.push(text.slice(at));
  return kept.join('');
}
