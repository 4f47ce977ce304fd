/**
 * JavaScript without its texts: what stands in comments and literals looks like code and is none.
 */

const COMMENT = /\/\/.*|\/\*[^]*?(?:\*\/|$)/;
const STRING = /"(?:[^"\\\n]+|\\[^])*"?|'(?:[^'\\\n]+|\\[^])*'?/;
/** A slash behind a value divides. Bounded: an open one would be tried in too many ways. */
const PATTERN =
  /(?<=(?:^|[(,=:[!&|?{};+>]|return)\s*)\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,500}\]){1,500}\//;
const PIECE = new RegExp(
  [COMMENT, STRING, PATTERN, /[`{}/]|[^/"'`{}]+/].map(({ source }) => source).join('|'),
  'y',
);
const TEMPLATE = /(?:[^\\`$]+|\\[^]|\$(?!\{))*(?:`|\$\{)?/y;

/**
 * The source, place by place; comments and all but the ends of literals are blanks. Code inside a
 * template stays.
 */
export function codeOf(source: string): string {
  const inside: number[] = [];
  let depth = 0;
  let code = '';
  while (code.length < source.length) {
    PIECE.lastIndex = code.length;
    let piece = PIECE.exec(source)?.[0] ?? source[code.length]!;
    if (piece === '{') depth++;
    const goesOn = piece === '}' && inside.at(-1) === depth;
    if (goesOn) inside.pop();
    else if (piece === '}') depth--;
    if (goesOn || piece === '`') {
      TEMPLATE.lastIndex = code.length + 1;
      piece += TEMPLATE.exec(source)![0];
      if (piece.endsWith('${')) inside.push(depth);
    }
    if (/^\/[/*]/.test(piece)) code += ' '.repeat(piece.length);
    else if (/^["'`/]/.test(piece) || goesOn)
      code += piece.length < 2 ? piece : piece[0] + ' '.repeat(piece.length - 2) + piece.at(-1)!;
    else code += piece;
  }
  return code;
}

/** Where the bracket that opens at `at` has closed. */
export function closed(code: string, at: number): number {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if ('([{'.includes(code[i]!)) depth++;
    else if (')]}'.includes(code[i]!) && --depth === 0) return i + 1;
  }
  return code.length;
}
