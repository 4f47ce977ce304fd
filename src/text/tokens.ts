/**
 * Upper estimate of a text's tokens, for any model: English and code hold more than three bytes of
 * UTF-8 a token, other scripts about three. Budgets must never be exceeded, so it errs upwards.
 */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
