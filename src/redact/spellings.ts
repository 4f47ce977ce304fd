/** The ways in which a text may stand in a file: as it is, escaped in JSON, in a URL, in base64 or in hexadecimal. */

/** Shorter pieces of an encoding are found by chance. */
const LEAST_ENCODED = 8;

/** Base64 of the text wherever it may begin in a longer run: the characters that do not depend on its neighbours. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
    const head = [0, 2, 3][shift] as number;
    const tail = [0, 3, 2][whole.length % 3] as number;
    const encoded = whole.toString('base64');
    return encoded.slice(head, encoded.length - tail);
  });
}

const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As many encoders write it that escape everything beyond ASCII. */
const asciiJsonOf = (text: string): string =>
  jsonOf(text).replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Every usual spelling of a text, the plain one first, each once. What does not stand here (encryption, compression, a text cut in two)
 * is not found.
 */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const url = encodeURIComponent(bytes.toString('utf8'));
  const base64 = base64Of(bytes);
  const encoded = [
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  const all = [
    text,
    jsonOf(text),
    jsonOf(jsonOf(text)),
    asciiJsonOf(text),
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%../g, (code) => code.toLowerCase()),
    ...encoded.filter((each) => each.length >= LEAST_ENCODED),
  ];
  return [...new Set(all)];
}
