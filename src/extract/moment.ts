/** Tokens that tie a statement to one moment: a hash, a line number, a date, a pull request or an issue by number, a share, a tick. */
const HASH = /(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])/;
const PLACE = /(?<!\p{L})lines? ~?\d+|\.\w{1,5}:\d+|\bL\d+\b/iu;
const DAY = /(?<!\w)(?:19|20)\d\d-\d\d-\d\d/;
const TICKET = /(?<!\w)(?:PR|pull request|MR|issue|commit|finding|task|step|phase|option|round)s? ?#?\d+|(?<![\w`/])#\d{1,6}\b/i;
const MARK = /[✓✔✅❌✗☑]/u;

/** Whether a statement holds such a token: it was true of that moment, and no later session can use it. */
export const isOfTheMoment = (text: string): boolean => [HASH, PLACE, DAY, TICKET, MARK].some((sign) => sign.test(text));
