/** From a model's answer to claims: JSON somewhere in the text, mended once, else nothing. */

/** One thing that a model claims, as it came; nothing in it is believed yet. */
export interface Claim {
  about: 'new' | 'confirms' | 'contradicts' | 'shorter';
  id: string | null;
  kind: string;
  scope: string;
  text: string;
  line: number | null;
  quote: string;
  files: string[];
}

export interface Answer {
  claims: Claim[];
  /** The JSON was broken and could be mended. */
  mended: boolean;
}

/** Claims of one answer that are looked at. */
const MOST = 40;

/** Null when there is no JSON in the answer, mended or not. */
export function readAnswer(text: string): Answer | null {
  const from = text.search(/[[{]/);
  if (from < 0) return null;
  const body = text.slice(from);
  const whole = parse(body.slice(0, Math.max(body.lastIndexOf('}'), body.lastIndexOf(']')) + 1));
  if (whole !== undefined) return { claims: toClaims(whole), mended: false };
  const mended = parse(mend(body));
  return mended === undefined ? null : { claims: toClaims(mended), mended: true };
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/**
 * Cuts a broken answer after its last whole object and closes what is open; commas before a closing bracket go.
 * What small models and cut-off answers need, and no more.
 */
function mend(text: string): string {
  const open: string[] = [];
  let inString = false;
  let lastWhole = 0;
  let closers = '';
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i]!;
    if (inString) {
      if (sign === '\\') i += 1;
      else if (sign === '"') inString = false;
      continue;
    }
    if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') {
      if (open.pop() !== sign) break;
      lastWhole = i + 1;
      closers = [...open].reverse().join('');
      if (open.length === 0) break;
    }
  }
  return (text.slice(0, lastWhole) + closers).replace(/,(\s*[\]}])/g, '$1');
}

function toClaims(value: unknown): Claim[] {
  const list = Array.isArray(value) ? value : isObject(value) && Array.isArray(value['lessons']) ? value['lessons'] : [];
  return list.slice(0, MOST).filter(isObject).map(toClaim);
}

const ABOUT = new Set(['new', 'confirms', 'contradicts', 'shorter']);

const toClaim = (raw: Record<string, unknown>): Claim => ({
  about: (ABOUT.has(string(raw['about'])) ? string(raw['about']) : 'new') as Claim['about'],
  id: string(raw['id']) || null,
  kind: string(raw['kind']).toLowerCase(),
  scope: string(raw['scope']).toLowerCase(),
  text: string(raw['text']).replace(/\s+/g, ' ').trim(),
  line: lineOf(raw['line']),
  quote: string(raw['quote']).trim(),
  files: Array.isArray(raw['files']) ? raw['files'].filter((file): file is string => typeof file === 'string').slice(0, 6) : [],
});

/** `3`, `"3"` and `"[3]"`. */
const lineOf = (value: unknown): number | null => {
  const digits = /^\[?(\d{1,6})\]?$/.exec(String(value).trim())?.[1];
  return digits === undefined ? null : Number(digits);
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const string = (value: unknown): string => (typeof value === 'string' ? value : '');
