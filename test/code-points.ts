/**
 * Strings of any code points. fast-check's own unit `binary` first maps all 1.1 million of them,
 * two seconds of processor time in every file that asks for it.
 */
import fc from 'fast-check';

const SURROGATES = 0x800;

/** Any code point but half a surrogate pair. */
const codePoint = fc
  .nat(0x10ffff - SURROGATES)
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + SURROGATES));

export function anyCodePoints(limits: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(codePoint, limits).map((points) => points.join(''));
}
