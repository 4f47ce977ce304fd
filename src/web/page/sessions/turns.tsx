/** One entry of a session, or a call of a tool with its results. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../wire.js';
import { asRefusal, usePage } from '../page-context.js';
import { asked } from '../route.js';
import { count, Prose, Text, When } from '../words.js';

type Entry = SessionView['entries'][number];

/** A call and its results belong together; everything else stands alone. Pure. */
export function turnsOf(entries: Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  const calls = new Map<string, Entry[]>();
  for (const entry of entries) {
    const own =
      entry.role === 'tool_result' && entry.call !== null ? calls.get(entry.call) : undefined;
    if (own !== undefined) {
      own.push(entry);
      continue;
    }
    const turn = [entry];
    if (entry.role === 'tool_call' && entry.call !== null) calls.set(entry.call, turn);
    turns.push(turn);
  }
  return turns;
}

export function Turn({
  entries,
  at,
  isFound,
}: {
  entries: Entry[];
  at: string | null;
  isFound: boolean;
}) {
  const [first] = entries as [Entry];
  const isMeant = at !== null && entries.some(({ id }) => id.startsWith(at));
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isMeant) return;
    place.current!.scrollIntoView({ block: 'center' });
    // Whoever types what is to be found goes on typing.
    if (document.activeElement?.localName !== 'input')
      place.current!.focus({ preventScroll: true });
  }, [isMeant]);
  const isTool = first.role === 'tool_call' || first.role === 'tool_result';
  return (
    <li ref={place} class={`turn ${first.role}${isMeant ? ' meant' : ''}`} tabIndex={-1}>
      {isTool ? (
        <ToolTurn entries={entries} isOpen={isMeant} isWanted={isFound && isMeant} />
      ) : first.role === 'user' || first.role === 'assistant' ? (
        <>
          <Who of={first} />
          <Long of={first} isWanted={isFound && isMeant} />
        </>
      ) : (
        <details open={isMeant}>
          <summary>
            <Who of={first} />
          </summary>
          <Long of={first} isWanted={isFound && isMeant} />
        </details>
      )}
    </li>
  );
}

const NAMES: Record<string, string> = {
  user: 'You',
  assistant: 'Agent',
  thinking: 'Thinking',
  system: 'System',
};
const ORIGINS: Record<string, string> = {
  injected: 'added by the program',
  external: 'from outside',
  tool: 'from a tool',
};

function Who({ of: { role, origin, time } }: { of: Entry }) {
  return (
    <span class="who">
      <b>{role === 'user' && origin !== 'user' ? 'Program' : (NAMES[role] ?? role)}</b>
      {ORIGINS[origin] !== undefined && <span> {ORIGINS[origin]}</span>}{' '}
      {time !== null && <When at={time} />}
    </span>
  );
}

const BAD: Record<string, string> = {
  failed: 'failed',
  rejected: 'rejected',
  interrupted: 'interrupted',
};

function ToolTurn({
  entries,
  isOpen,
  isWanted,
}: {
  entries: Entry[];
  isOpen: boolean;
  isWanted: boolean;
}) {
  const [first] = entries as [Entry];
  const bad = entries.map(({ outcome }) => BAD[outcome ?? '']).find(Boolean);
  const exit = entries.map((entry) => entry.exit).find((code) => code !== null && code !== 0);
  const subject = first.command ?? first.files[0] ?? (first.role === 'tool_result' ? 'result' : '');
  return (
    <details open={isOpen}>
      <summary>
        <span class="tool">
          <Text of={first.tool ?? 'tool'} />
        </span>{' '}
        <code>
          <Text of={subject.split('\n')[0]!} />
        </code>
        {bad !== undefined && (
          <span class="status failed">
            {bad}
            {exit !== undefined && exit !== null && ` (exit ${exit})`}
          </span>
        )}
      </summary>
      {entries.map((entry) => (
        <div key={entry.id}>
          <p class="who">
            {entry.role === 'tool_call' ? 'call' : 'result'}{' '}
            {entry.time !== null && <When at={entry.time} />}
          </p>
          <Long of={entry} text={entry.text ?? entry.command} isRaw isWanted={isWanted} />
        </div>
      ))}
    </details>
  );
}

const FOLDED_CHARS = 4000;

interface LongText {
  of: Entry;
  text?: string | null;
  isRaw?: boolean;
  /** Something was found in it, maybe behind its beginning: it is shown whole. */
  isWanted: boolean;
}

/**
 * A long text shows its beginning first; of a very long one the server sends no more until it is
 * asked.
 */
function Long({ of, text = of.text, isRaw = false, isWanted }: LongText) {
  const { api, say } = usePage();
  const [whole, setWhole] = useState<string | null>(null);
  const length = Math.max(of.length, text?.length ?? 0);
  const isCut = text !== null && whole === null && length > FOLDED_CHARS * 1.25;
  const unfold = async (): Promise<void> => {
    if (text!.length >= of.length) return setWhole(text);
    try {
      const { entry } = await api.get<{ entry: { text: string | null } }>(
        asked(`/show/${encodeURIComponent(of.id)}`, { around: 0 }),
      );
      setWhole(entry.text ?? text);
    } catch (error) {
      say({ text: asRefusal(error).message, wrong: true });
    }
  };
  useEffect(() => void (isWanted && isCut && void unfold()), [isWanted]);
  if (text === null || text === '') return <p class="quiet-text">no text</p>;
  const shown = whole ?? (isCut ? text.slice(0, FOLDED_CHARS) : text);
  return (
    <>
      {isRaw ? (
        <pre tabIndex={0} dir="auto">
          <Text of={shown} />
        </pre>
      ) : (
        <Prose of={shown} />
      )}
      {isCut && (
        <button type="button" onClick={() => void unfold()}>
          Show all {count(length)} characters
        </button>
      )}
    </>
  );
}
