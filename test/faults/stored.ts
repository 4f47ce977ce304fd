/** What a home stored, beside what was written. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Stage } from '../stage.js';

/** Text -> how often it is stored. */
export async function storedTexts(stage: Stage): Promise<Map<string, number>> {
  const rows = await stage.ask((db) =>
    db.all<{ text: string; n: number }>('SELECT text, count(*) AS n FROM entries GROUP BY text'),
  );
  return new Map(rows.map(({ text, n }) => [text, n]));
}

/** Texts in the tiers on disk, and how often. */
export function tierTexts(stage: Stage): Map<string, number> {
  const texts = new Map<string, number>();
  for (const path of stage.files('projects').filter((name) => name.endsWith('.jsonl.gz'))) {
    for (const line of gunzipSync(readFileSync(path)).toString().split('\n').filter(Boolean)) {
      const { text } = JSON.parse(line) as { text: string };
      texts.set(text, (texts.get(text) ?? 0) + 1);
    }
  }
  return texts;
}

export interface Difference {
  lost: string[];
  doubled: string[];
  /** Stored, and never written. */
  extra: string[];
}

/** @param gone texts that may be missing */
export function compare(
  written: ReadonlyMap<string, number>,
  stored: ReadonlyMap<string, number>,
  gone: ReadonlySet<string> = new Set(),
): Difference {
  return {
    lost: [...written]
      .filter(([text, n]) => !gone.has(text) && (stored.get(text) ?? 0) < n)
      .map(([text]) => text),
    doubled: [...stored]
      .filter(([text, n]) => written.has(text) && n > written.get(text)!)
      .map(([text]) => text),
    extra: [...stored.keys()].filter((text) => !written.has(text)),
  };
}

export const NOTHING: Difference = { lost: [], doubled: [], extra: [] };
