/**
 * Upper estimate of a text's tokens for any model, since budgets must never be exceeded: English
 * and code have over three bytes of UTF-8 per token, other scripts about three.
 */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
