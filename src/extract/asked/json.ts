/** JSON somewhere in a model's answer: as it stands, else mended once, else nothing. */

export interface FoundJson {
  value: unknown;
  /** It was broken and could be mended. */
  mended: boolean;
}

/** Null when there is no JSON in the answer, mended or not. */
export function readJson(text: string): FoundJson | null {
  const from = text.search(/[[{]/);
  if (from < 0) return null;
  const body = text.slice(from);
  const whole = parse(body.slice(0, Math.max(body.lastIndexOf('}'), body.lastIndexOf(']')) + 1));
  if (whole !== undefined) return { value: whole, mended: false };
  const mended = parse(mend(body));
  return mended === undefined ? null : { value: mended, mended: true };
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

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The list under a name, or the answer itself when it is a bare list. */
export const listIn = (value: unknown, name: string): unknown[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value[name]) ? (value[name] as unknown[]) : [];
};
