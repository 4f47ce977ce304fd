/** Words of a text as somebody types them again: without signs and in lower case. Pure. */

export function typedWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Whether a text has all words of another one, in any order. */
export function wordsIn(text: string, wanted: string): boolean {
  const words = new Set(typedWords(text));
  return typedWords(wanted).every((word) => words.has(word));
}
