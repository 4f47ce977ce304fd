/**
 * How texts, times and numbers are shown. Most texts are from others: they are never HTML, and
 * `bdi` keeps their writing direction inside.
 */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { visible } from '../../errors.js';

/** A text from anyone. Hidden and control characters are shown as `\u202e`. */
export function Plain({ of }: { of: string }) {
  return <bdi>{visible(of)}</bdi>;
}

/** One line of Markdown. */
export function Rich({ of }: { of: string }) {
  return <bdi>{shown(Lexer.lexInline(visible(of)))}</bdi>;
}

/** Markdown from an agent or a person. */
export function Prose({ of }: { of: string }) {
  return (
    <div class="prose" dir="auto">
      {shown(Lexer.lex(visible(of)))}
    </div>
  );
}

const TAGS = { paragraph: 'p', blockquote: 'blockquote', hr: 'hr', strong: 'b', em: 'i' } as const;

/** Markdown without a form here is shown as typed; links do not leave the page. */
function shown(tokens: Token[]): ComponentChildren {
  return tokens.map((each, key) => {
    const token = each as MarkedToken;
    const inner = 'tokens' in token && token.tokens ? shown(token.tokens) : null;
    switch (token.type) {
      case 'space':
        return null;
      case 'heading':
        return <p key={key}>{<b>{inner}</b>}</p>;
      case 'code':
        return <pre key={key} tabIndex={0} children={token.text} />;
      case 'list': {
        const items = token.items.map((item, at) => <li key={at}>{shown(item.tokens)}</li>);
        return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
      }
      case 'table':
        return <MarkedTable key={key} of={token} />;
      case 'codespan':
        return <code key={key}>{token.text}</code>;
      case 'link':
      case 'image':
        return token.text === token.href ? token.text : [inner, ` (${token.href})`];
      case 'checkbox':
        return token.checked ? '☑ ' : '☐ ';
      case 'text':
        return inner ?? token.text;
      case 'html':
        return token.block ? <p key={key}>{token.raw}</p> : token.raw;
    }
    // `__init__` is a name, not bold text.
    if (!Object.hasOwn(TAGS, token.type) || token.raw.startsWith('_')) return token.raw;
    const As = TAGS[token.type as keyof typeof TAGS];
    return <As key={key}>{inner}</As>;
  });
}

function MarkedTable({ of: { header, rows } }: { of: Tokens.Table }) {
  return (
    <ScrolledTable
      title="table"
      head={header.map(({ tokens }) => shown(tokens))}
      rows={rows.map((row) => row.map(({ tokens }) => shown(tokens)))}
    />
  );
}

interface TableOf {
  title: string;
  head: ComponentChildren[];
  rows: ComponentChildren[][];
}

/** A table with its own scroll bar if it is too wide. */
export function ScrolledTable({ title, head, rows }: TableOf) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            {head.map((name, at) => (
              <th key={at} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, key) => (
            <tr key={key}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Small facts on one line; missing ones are left out. */
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
  /** The link's target; null: no link. */
  href?: string | null;
  text: ComponentChildren;
  facts?: ComponentChildren[];
  children?: ComponentChildren;
}

/** One line of a list. */
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

/** The possible actions. */
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

/** A word with a background. */
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

/** A day, or a time in this machine's zone; without its day if `after` has the same day. */
export function When({ at, after = null }: { at: string | null; after?: string | null }) {
  if (at === null || at === '') return <span>unknown</span>;
  const time = at.length <= 10 ? at : clockTime(at);
  const isSameDay = after !== null && clockTime(after).startsWith(time.slice(0, 10));
  return (
    <time dateTime={at} title={at}>
      {isSameDay ? time.slice(11) : time}
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
