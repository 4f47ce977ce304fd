/**
 * The part of `dripstone review` about sentences that the person typed once: a rule, or never
 * again.
 */
import { createApp } from '../app.js';
import { homeOf, pathsOf } from '../config.js';
import { planAdd } from '../lessons/index.js';
import { AppError } from '../errors.js';
import { maskText } from '../jobs/upkeep/mask.js';
import type { Io } from '../io.js';
import { noteWish, type Wish } from '../store/index.js';
import { carryOut } from '../work.js';

/** The sentence as it was typed, and where. */
export function renderWish({ text, slug, agent, day, path, line }: Wish): string {
  return `you typed: ${text}\n  ${day} · ${slug} · ${agent}${path === null ? '' : ` · ${path}:${line ?? 1}`}\n`;
}

const KEYS = 'y a rule, as typed · e in other words · n never ask again · s later · q quit ';

/**
 * One sentence after the other. @returns how many were decided about, and whether the person ended
 * it
 */
export async function reviewWishes(
  io: Io,
  wishes: readonly Wish[],
): Promise<{ done: number; ended: boolean }> {
  let done = 0;
  for (const [at, wish] of wishes.entries()) {
    io.out(`\nsentence ${at + 1} of ${wishes.length}\n${renderWish(wish)}`);
    const key = await decide(io, wish);
    if (key === 'q') return { done, ended: true };
    if (key !== 's') done++;
  }
  return { done, ended: false };
}

/** Asks until a key means something. */
async function decide(io: Io, wish: Wish): Promise<'q' | 's' | 'done'> {
  for (;;) {
    io.err(KEYS);
    const key = io.signal.aborted ? null : await io.key!();
    io.err('\n');
    if (key === null || ['q', '\u0003', '\u0004'].includes(key)) return 'q';
    if (key === 's') return 's';
    if (key === 'n') {
      noteWish(pathsOf(homeOf(io.env)).reviewed, wish.id, io.clock.now());
      return 'done';
    }
    const text = key === 'y' ? wish.text : key === 'e' ? await otherWords(io, wish.text) : '';
    if (text !== '' && (await take(io, wish, text))) return 'done';
  }
}

/** @returns '' when it is left */
async function otherWords(io: Io, text: string): Promise<string> {
  const line = (await io.ask?.('the rule (Ctrl-C leaves it): ', text))?.trim() ?? '';
  if (line === '') return '';
  await using app = await createApp({ ...io, access: 'read' });
  return await maskText(app, line);
}

/** It is the person's claim from now on. @returns false when that failed and was told */
async function take(io: Io, { id, project }: Wish, text: string): Promise<boolean> {
  const now = io.clock.now();
  try {
    const edit = planAdd(project, 'preference', text, now.toISOString());
    const { lesson } = await carryOut(io, { kind: 'edit', edit, owner: project });
    io.out(`taken: ${lesson?.text ?? text}\n`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`dripstone: ${error.message}\n`);
    return false;
  }
  noteWish(pathsOf(homeOf(io.env)).reviewed, id, now);
  return true;
}
