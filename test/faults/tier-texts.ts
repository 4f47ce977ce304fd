import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Person } from './person.js';

/** Texts in the tiers on disk, and how often. */
export function tierTexts(person: Person): Map<string, number> {
  const texts = new Map<string, number>();
  for (const path of person.files('projects').filter((name) => name.endsWith('.jsonl.gz'))) {
    for (const line of gunzipSync(readFileSync(path)).toString().split('\n').filter(Boolean)) {
      const { text } = JSON.parse(line) as { text: string };
      texts.set(text, (texts.get(text) ?? 0) + 1);
    }
  }
  return texts;
}
