import { lintSource } from '@secretlint/core';
import { creator, rules } from '@secretlint/secretlint-rule-preset-recommend';
import { isPlaceholder } from './placeholder.js';
import type { Span } from './span.js';

/**
 * Words that every rule of the preset needs to see; a text without them never reaches it (measured:
 * a call costs 1 ms, a megabyte 25 ms).
 */
export const PRESET_WORDS: readonly string[] = [
  'a3t',
  'akia',
  'asia',
  'agpa',
  'aida',
  'aroa',
  'aipa',
  'anpa',
  'anva',
  'secret_access_key',
  'secretaccesskey',
  '_authtoken',
  'npm_',
  'xox',
  'xapp-',
  'hooks.slack.com',
  'sg.',
  'shppa_',
  'shpca_',
  'shpat_',
  'shpss_',
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'glc_',
  'glsa_',
  'sk-',
  'gsk_',
  'hf_',
  'lin_api_',
  'ntn_',
  'ops_',
  'hvs.',
  'hvb.',
  'hvr.',
  'vcp_',
  'vci_',
  'vca_',
  'vcr_',
  'vck_',
  'dapi',
  'dckr_pat_',
  'figd_',
];

/** The word begins a token and at least eight characters without a blank follow. */
export function isDoubtful(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if ((before | 32) >= 97 && (before | 32) <= 122 && text.charCodeAt(at - 2) !== 92) return false;
  for (let i = at + 3; i < at + 12; i++)
    if (!/[\w./:=+'" -]/.test(text[i] ?? ' ') || (text[i] === ' ' && i < at + 6)) return false;
  return /\d/.test(text.slice(at + 3, at + 60));
}

/** Text around a doubtful word that the preset's patterns may need. */
const BEFORE = 80;
const AFTER = 1400;
const GAP = '\n\n';

const config = {
  rules: [
    {
      id: '@secretlint/secretlint-rule-preset-recommend',
      rule: creator,
      rules: rules
        .filter((rule) => /filter-comments|privatekey|gcp$/.test(rule.meta.id))
        .map((rule) => ({ id: rule.meta.id, disabled: true })),
    },
  ],
};

/** A place to judge: a text (by its number in the batch) and a position in it. */
export interface Doubt {
  text: number;
  at: number;
}

interface Window {
  text: number;
  /** Where the window begins in its text, and in the joined source. */
  from: number;
  to: number;
  offset: number;
}

/**
 * What secretlint's recommended rules find near the doubtful places, per text. All windows go
 * through one call. Comments that switch secretlint off are text like any other here.
 */
export async function presetFindings(
  texts: readonly string[],
  doubts: readonly Doubt[],
): Promise<Map<number, Span[]>> {
  const found = new Map<number, Span[]>();
  const windows = windowsOf(texts, doubts);
  if (windows.length === 0) return found;
  const content = windows
    .map(({ text, from, to }) => (texts[text] as string).slice(from, to))
    .join(GAP);
  const result = await lintSource({
    source: { filePath: 'entry.txt', content, contentType: 'text' },
    options: { config, noPhysicFilePath: true },
  });
  for (const message of result.messages) {
    const [start, end] = message.range;
    const window = windows.findLast(({ offset }) => offset <= start);
    if (window === undefined) continue;
    const shift = window.from - window.offset;
    const text = texts[window.text] as string;
    const span = {
      start: start + shift,
      end: endOfToken(text, end + shift),
      kind: kindOf(message.ruleId),
    };
    if (isPlaceholder(text.slice(span.start, span.end))) continue;
    found.set(window.text, [...(found.get(window.text) ?? []), span]);
  }
  return found;
}

/**
 * Some rules report a range of the secret's length that begins at its name, so the range is drawn
 * out to the end of the token.
 */
function endOfToken(text: string, end: number): number {
  let last = end;
  while (last < text.length && last - end < 200 && /[A-Za-z0-9/+=_.~-]/.test(text[last] as string))
    last++;
  return last;
}

/** `@secretlint/secretlint-rule-aws` -> `aws-secret`. */
function kindOf(ruleId: string): string {
  return `${ruleId.replace(/^.*secretlint-rule-/, '').replace(/[^a-z0-9-]/g, '')}-secret`;
}

/** Stretches around the doubts, joined where they touch, in order of text and place. */
function windowsOf(texts: readonly string[], doubts: readonly Doubt[]): Window[] {
  const windows: Window[] = [];
  let offset = 0;
  for (const { text, at } of doubts) {
    const from = Math.max(0, at - BEFORE);
    const to = Math.min((texts[text] as string).length, at + AFTER);
    const last = windows[windows.length - 1];
    if (last !== undefined && last.text === text && from <= last.to)
      last.to = Math.max(last.to, to);
    else windows.push({ text, from, to, offset: 0 });
  }
  for (const window of windows) {
    window.offset = offset;
    offset += window.to - window.from + GAP.length;
  }
  return windows;
}
