/** First words of every prompt that we send to a model: a session that opens with them is our own call and is never read as one. */
export const OWN_CALL = '[dripstone own call]';

/** Whether a prompt is one of ours. Wrappers may put blanks before it. */
export const isOwnCall = (prompt: string): boolean => prompt.trimStart().startsWith(OWN_CALL);
