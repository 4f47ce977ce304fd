/** Search inside the open session: the words marked, and the way from one place to the next. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FoundView, SessionRow } from '../../wire.js';
import { useKeys, useLoad, Wrong } from '../page-context.js';
import { asked, withQuery, type Route } from '../route.js';
import { count } from '../words.js';

/**
 * What is found, and the way through it; the words stand in the address, beside the place that is
 * shown.
 */
function useFound(route: Route, { agent, session }: SessionRow) {
  const words = route.query.get('find') ?? '';
  const at = route.query.get('at');
  const { data, refusal } = useLoad<FoundView>(
    words === '' ? null : asked('/view/found', { agent, session, words }),
  );
  const found = words === '' ? undefined : data?.entries;
  const place = found?.findIndex(({ id }) => id === at) ?? -1;
  // In the place of the address that is there: a way back through all that was found would be long.
  const show = (changes: Record<string, string | null>): void =>
    location.replace(withQuery(route, { from: null, ...changes }));
  const step = (by: 1 | -1): void => {
    if (found === undefined || found.length === 0) return;
    const next =
      place < 0 ? (by > 0 ? 0 : found.length - 1) : (place + by + found.length) % found.length;
    show({ at: found[next]!.id });
  };
  useEffect(() => {
    if (found !== undefined && place < 0) step(1);
  }, [found]);
  useKeys({ n: () => step(1), N: () => step(-1) });
  const find = (wanted: string): void => show({ find: wanted === '' ? null : wanted, at: null });
  return { words, found, place, refusal, step, find };
}

export function FindBar({ route, of }: { route: Route; of: SessionRow }) {
  const { words, found, place, refusal, step, find } = useFound(route, of);
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  const wanted = typed.trim();
  const ask = (by: 1 | -1): void => (wanted === words ? step(by) : find(wanted));
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          ask(1);
        }}
      >
        <label>
          Find in this session
          <input
            type="search"
            maxLength={300}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') document.getElementById('main')!.focus();
              if (event.key !== 'Enter' || !event.shiftKey) return;
              event.preventDefault();
              ask(-1);
            }}
          />
        </label>
        <button type="submit">{wanted !== '' && wanted === words ? 'Next' : 'Find'}</button>
        {found !== undefined && found.length > 0 && (
          <button type="button" onClick={() => step(-1)}>
            Previous
          </button>
        )}
        <span role="status" class="found">
          {found !== undefined &&
            (found.length === 0
              ? 'not in this session'
              : `${count(Math.max(place, 0) + 1)} of ${count(found.length)}`)}
        </span>
      </form>
      {refusal !== undefined && <Wrong refusal={refusal} />}
    </search>
  );
}

const HIGHLIGHT = 'found';

/**
 * Marks the words below an element, also in what is drawn later. The marks lie over the text and
 * change nothing in it, so that no view must be drawn in pieces; a browser that cannot do that
 * shows the places without marks.
 */
export function useMarks(words: string) {
  const place = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null || words === '' || !('highlights' in CSS)) return undefined;
    const pattern = new RegExp(
      words
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('|'),
      'giu',
    );
    const mark = (): void =>
      void CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(element, pattern)));
    mark();
    const watch = new MutationObserver(mark);
    watch.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      watch.disconnect();
      CSS.highlights.delete(HIGHLIGHT);
    };
  }, [words]);
  return place;
}

function rangesOf(element: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
    for (const match of (node as globalThis.Text).data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  return ranges;
}
