/** Sentences that announce a step, or say that an agent waits. */

const BEGINS = new RegExp(
  String.raw`^(?:(?:ok(?:ay)?|great|good|perfect|done|now|next|first|then|so|and|but|also|right|yes|hmm)\b[,.!:—-]*\s+)*` +
    String.raw`(?:let me|let(?:'|’)s|i(?:'|’)(?:ll|m going to|m now)\b|i (?:will|am going to|need to|should|have to) ` +
    String.raw`|still (?:waiting|running)|waiting |checking |running |looking |proceeding|moving on|time to |check (?:if|whether|that) )`,
  'i',
);

/** A sentence with a condition, a reason or a wish says more than its plan. */
const SAYS_WHY =
  /\b(?:because|since|instead|never|always|must|only|without|unless|otherwise|so that)\b/i;

/** Whether a sentence only announces a step, or says that it waits. */
export function announces(sentence: string): boolean {
  return BEGINS.test(sentence) && !SAYS_WHY.test(sentence);
}
