import type { Kept } from '../engine.js';
import type { Json } from '../../text/fields.js';

/** The adapter's state between two records. Reading a record changes a copy. */
export interface More {
  /** File name without folder and extension. */
  file: string;
  parent: string | null;
  cwd: string | null;
  branch: string | null;
  version: string | null;
  /** The person named the session, so a model's titles no longer count. */
  named: boolean;
  /** A turn is running, so prompts that are typed now are queued. */
  busy: boolean;
  /** The first records queued and took a prompt at once, which only programs do. */
  fed: boolean;
  signs: readonly Sign[];
  queued: readonly QueuedPrompt[];
  /** Id of the last `!` command, for its output. */
  bang: string | null;
  /** The last record's answer: its id, and the id of its first record. */
  answer: { id: string | null; first: string | null } | null;
  /** The last prompt marked as typed (not queued), and hashes of the prompts queued since. */
  typed: { uuid: string; queued: readonly string[] } | null;
}

/** A prompt that was typed during the agent's work and already returned. */
export interface QueuedPrompt {
  length: number;
  hash: string;
  time: string | null;
  /** Its attachment was read, so the agent has received the prompt. */
  seen: boolean;
  /** Number of later prompts. */
  age: number;
}

/** Signs of who started the session: a program or a person. */
type Sign = 'sdk' | 'other' | 'typed' | 'fed' | 'plain' | 'own';

/** A record, the state before it, and the state after it. */
export interface Reading {
  record: Json;
  kept: Kept<More>;
  more: More;
}

export function addSign(more: More, sign: Sign, isSeen: boolean): void {
  if (isSeen && !more.signs.includes(sign)) more.signs = [...more.signs, sign];
}

/** Whether the session's signs say that a program started it; null without a sign. */
export function machineOf(signs: readonly Sign[]): boolean | null {
  if (signs.length === 0) return null;
  const is = (sign: Sign) => signs.includes(sign);
  if (is('own') || is('typed')) return is('own');
  return (is('sdk') && !is('other')) || (is('fed') && !is('plain'));
}

/** Whether a record belongs to a subagent. */
export function isChild({ record, kept }: Pick<Reading, 'record' | 'kept'>): boolean {
  return record.isSidechain === true || kept.facts.subagent === true;
}
