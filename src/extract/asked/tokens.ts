const encoder = new TextEncoder();

/**
 * Upper estimate of a text's tokens, for any model: a token holds at least three bytes of UTF-8 in English and code and about three
 * in other scripts (o200k: 4.1 and 3.2 bytes on average). Spending is checked with it before a call, so it errs on the dear side.
 */
export const estimateTokens = (text: string): number => Math.ceil(encoder.encode(text).length / 3);
