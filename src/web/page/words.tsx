/**
 * How texts, times and numbers are shown. Most texts were written by others: they stay text, each
 * isolated from the next.
 */
import type { ComponentChildren, JSX } from 'preact';
import { visible } from '../../errors.js';

/** A text of anybody. Signs that steer or hide are shown as `\u202e`. */
export function Plain({ of }: { of: string }) {
  return <bdi>{visible(of)}</bdi>;
}

const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^()\s]+\))/;

/** A line of Markdown: code and bold as such, the target of a link as text behind its words. */
export function Rich({ of }: { of: string }) {
  return (
    <bdi>
      {visible(of)
        .split(INLINE)
        .map((part, at) => {
          if (at % 2 === 0) return part;
          if (part.startsWith('`')) return <code key={at}>{part.slice(1, -1)}</code>;
          if (part.startsWith('**')) return <b key={at}>{part.slice(2, -2)}</b>;
          return part.replace(/^\[(.*)\]\((.*)\)$/, '$1 ($2)');
        })}
    </bdi>
  );
}

const FENCED = /^ {0,3}```[^\n\r]*\r?\n([\s\S]*?)(?:^ {0,3}```[ \t]*$|$(?![\s\S]))/m;

/** Markdown of an agent or a person. */
export function Prose({ of }: { of: string }) {
  return (
    <div class="prose" dir="auto">
      {visible(of)
        .split(FENCED)
        .map((part, at) =>
          at % 2 === 1 ? (
            <pre key={at} tabIndex={0}>
              {part}
            </pre>
          ) : (
            blocksOf(part)
          ),
        )}
    </div>
  );
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;

/** Paragraphs, headings and lists; anything else stays as it was typed. */
function blocksOf(text: string): JSX.Element[] {
  const blocks: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = blocks.at(-1);
    const isApart = /^\s*$/.test(line) || /^#{1,6} /.test(line) || /^#{1,6} /.test(last?.[0] ?? '');
    if (isApart || last === undefined || ITEM.test(line) !== ITEM.test(last.at(-1)!))
      blocks.push([line]);
    else last.push(line);
  }
  return blocks
    .filter((lines) => lines.join('').trim() !== '')
    .map((lines, at) => {
      if (ITEM.test(lines[0]!))
        return (
          <ul key={at}>
            {lines.map((line, place) => (
              <li key={place}>
                <Rich of={line.replace(ITEM, '')} />
              </li>
            ))}
          </ul>
        );
      const heading = /^#{1,6} (.*)$/.exec(lines[0]!)?.[1];
      return (
        <p key={at}>
          {heading === undefined ? <Rich of={lines.join('\n')} /> : <b>{<Rich of={heading} />}</b>}
        </p>
      );
    });
}

/** Small facts on one line; what is missing stays out. */
export function Facts({ of }: { of: ComponentChildren[] }) {
  return (
    <p class="facts">
      {of
        .filter((each) => each !== false && each !== null && each !== undefined && each !== '')
        .map((each, at) => (
          <span key={at}>{each}</span>
        ))}
    </p>
  );
}

interface RowOf {
  /** Where it leads; null: nowhere. */
  href?: string | null;
  text: ComponentChildren;
  facts?: ComponentChildren[];
  children?: ComponentChildren;
}

/** One line of any list. */
export function Row({ href = null, text, facts = [], children }: RowOf) {
  return (
    <li>
      {href === null ? (
        <p class="row-text">{text}</p>
      ) : (
        <a class="row-text" href={href}>
          {text}
        </a>
      )}
      <Facts of={facts} />
      {children}
    </li>
  );
}

type Button = false | [name: string, act: () => unknown, letter?: string];

/** What can be done. */
export function Buttons({ of }: { of: Button[] }) {
  return (
    <div class="actions">
      {of.map(
        (button) =>
          button && (
            <button type="button" key={button[0]} onClick={() => void button[1]()}>
              {button[0]} {button[2] !== undefined && <kbd>{button[2]}</kbd>}
            </button>
          ),
      )}
    </div>
  );
}

export type Tone = 'good' | 'warm' | 'bad' | '';

/** A word that stands out. */
export function Tag({ tone = '', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12,345 */
export const count = (value: number): string => whole.format(value);
/** 12.3K */
export const brief = (value: number): string => short.format(value);
/** `3 lessons`, `1 lesson`, `2 entries` */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${value === 1 ? noun : `${noun}s`.replace(/ys$/, 'ies')}`;

export function bytes(value: number): string {
  const unit = Math.min(4, Math.floor(Math.log2(Math.max(value, 1)) / 10));
  const size = value / 1024 ** unit;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${['bytes', 'KB', 'MB', 'GB', 'TB'][unit]}`;
}

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
