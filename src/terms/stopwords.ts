/** English function words: indexed like any word, but left out of a query that has others (halves the rows read). */
export const STOPWORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or our ' +
    'should so than that the their them then there these they this to was we were what when where which who why will with would you your'
  ).split(' '),
);
