/**
 * How texts, times and numbers are shown. Most texts were written by others: they stay text, each
 * isolated from the next.
 */
import type { ComponentChildren } from 'preact';
import { visible } from '../../errors.js';

/** A text of anybody. Signs that steer or hide are shown as `\u202e`. */
export function Text({ of }: { of: string }) {
  return <bdi>{visible(of)}</bdi>;
}

/** A text with its code spans set as code. */
export function Rich({ of }: { of: string }) {
  return (
    <bdi>
      {visible(of)
        .split(/(`[^`\n]+`)/)
        .map((part, at) => (at % 2 === 1 ? <code key={at}>{part.slice(1, -1)}</code> : part))}
    </bdi>
  );
}

/** A line of a list of facts. */
export function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Many lines of an agent or a person: fenced blocks as blocks, the rest as it was typed. */
export function Prose({ of }: { of: string }) {
  const parts = visible(of).split(
    /^ {0,3}```[^\n\r]*\r?\n([\s\S]*?)(?:^ {0,3}```[ \t]*$|$(?![\s\S]))/m,
  );
  return (
    <div class="prose" dir="auto">
      {parts.map((part, at) =>
        at % 2 === 1 ? (
          <pre key={at} tabIndex={0}>
            {part}
          </pre>
        ) : (
          part.trim() !== '' && <p key={at}>{<Rich of={part.trim()} />}</p>
        ),
      )}
    </div>
  );
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12,345 */
export const count = (value: number): string => whole.format(value);
/** 12.3K */
export const brief = (value: number): string => short.format(value);
/** `3 lessons`, `1 lesson` */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

export function bytes(value: number): string {
  const unit = Math.min(4, Math.floor(Math.log2(Math.max(value, 1)) / 10));
  const size = value / 1024 ** unit;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${['bytes', 'KB', 'MB', 'GB', 'TB'][unit]}`;
}

/** Cost in dollars as the list prices give it. */
export const money = (value: number): string =>
  `$${value >= 100 ? whole.format(Math.round(value)) : value.toFixed(2)}`;

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A day as it is, a time by the clock of this machine. */
export function When({ at }: { at: string | null }) {
  if (at === null || at === '') return <span>unknown</span>;
  return (
    <time dateTime={at} title={at}>
      {at.length <= 10 ? at : clockTime(at)}
    </time>
  );
}

function clockTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `today`, `3 days ago`, by days of UTC. */
export function ago(at: string | null, now: string): string {
  if (at === null) return 'never';
  const days = Math.round(
    (Date.parse(now.slice(0, 10)) - Date.parse(at.slice(0, 10))) / 86_400_000,
  );
  return days <= 0
    ? 'today'
    : days === 1
      ? 'yesterday'
      : days < 60
        ? `${days} days ago`
        : at.slice(0, 10);
}
