/** Shared by all views: the server's API, projects, edits with undo, filters. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { visible } from '../../errors.js';
import type { Start } from '../wire.js';
import { Refusal, type Api } from './api.js';
import { withQuery, type Route } from './route.js';
import { Rich } from './words.js';

/** The last action, with undo. */
export interface Notice {
  text: string;
  wrong?: boolean;
  undo?: () => Promise<void>;
}

export interface Page {
  api: Api;
  /** Null until it is loaded. */
  start: Start | null;
  /** Number of edits; after each the shown data is loaded again. */
  edits: number;
  edited(): void;
  /** The running edit. */
  busy: { current: string | null };
  say(notice: Notice | null): void;
}

export const PageContext = createContext<Page>(null as unknown as Page);

export const usePage = (): Page => useContext(PageContext);

export interface Loaded<T> {
  data?: T;
  refusal?: Refusal;
}

/** Loads a path, and again after every edit; until then the old data is shown. */
export function useLoad<T>(path: string): Loaded<T> {
  const { api, edits } = usePage();
  const [last, setLast] = useState<Loaded<T> & { path?: string }>({});
  useEffect(() => {
    const stop = new AbortController();
    api.get<T>(path, stop.signal).then(
      (data) => stop.signal.aborted || setLast({ path, data }),
      (error: unknown) => stop.signal.aborted || setLast({ path, refusal: asRefusal(error) }),
    );
    return () => stop.abort();
  }, [api, path, edits]);
  return last.path === path ? last : {};
}

export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal
    ? error
    : new Refusal(0, 'FAULT', String(error), 'reload the page');
}

/** Shows the data, the loading, or the error. */
export function Show<T>({
  of: { data, refusal },
  children,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  if (refusal !== undefined)
    return (
      <div class={refusal.code === 'NO_STORE' ? 'box' : 'box wrong'} role="alert">
        <p>
          <Rich of={refusal.message} />
        </p>
        <p>
          <Rich of={refusal.next} />
        </p>
      </div>
    );
  if (data === undefined) return <p class="loading">reading…</p>;
  return <>{children(data)}</>;
}

/** The part of an edit's answer that the page needs. */
export interface Edited {
  id: string;
}

/** After this time the page shows that an action is running. */
const LONG_MS = 400;

/** Runs one action at a time and shows it if another is tried. Shows the error of a failed one. */
export function useAttempt(): (what: string, act: () => Promise<unknown>) => Promise<boolean> {
  const { busy, edited, say } = usePage();
  return async (what, act) => {
    const sayBusy = (): void => say({ text: `under way: ${busy.current}` });
    if (busy.current !== null) {
      sayBusy();
      return false;
    }
    busy.current = what;
    const timer = setTimeout(sayBusy, LONG_MS);
    try {
      await act();
      return true;
    } catch (error) {
      const { message, next } = asRefusal(error);
      say({ text: [message, next].filter(Boolean).join(': '), wrong: true });
      return false;
    } finally {
      clearTimeout(timer);
      busy.current = null;
      edited();
    }
  };
}

/**
 * Makes an edit with a message and undo. Undo names this very edit, since a terminal or another tab
 * may have made a newer one.
 * @returns edits; `after` and `back` are the messages after the edit and after its undo
 */
export function useEdit() {
  const { api, say } = usePage();
  const attempt = useAttempt();
  return (
    edit: (() => Promise<Edited>) | null,
    done: string,
    after?: (isDone: boolean) => Promise<unknown>,
  ): Promise<boolean> =>
    attempt(done, async () => {
      const made = await edit?.();
      await after?.(true);
      const undo = async (): Promise<void> =>
        void (await attempt('taken back', async () => {
          if (made !== undefined) await api.send('POST', '/undo', { id: made.id });
          await after?.(false);
          say({ text: `taken back: ${done}` });
        }));
      say({ text: done, undo });
    });
}

/** The name of a project, or its slug if two have the same name. */
export function projectName(start: Start | null, slug: string | null): string {
  if (slug === null) return 'everywhere';
  const own = start?.projects.find((project) => project.slug === slug);
  const alike = start?.projects.filter(({ name }) => name === own?.name).length ?? 0;
  return own === undefined || alike > 1 ? slug : own.name;
}

/** Projects to choose from. */
export const projectsOf = (start: Start | null): [slug: string, name: string][] =>
  (start?.projects ?? []).map(({ slug }) => [slug, projectName(start, slug)]);

interface Choosing {
  title: string;
  value: string;
  options: readonly (string | [value: string, title: string])[];
  /** Label of the first row, for no choice; null if a choice is required. */
  none?: string | null;
  onPick(value: string): void;
}

export function Choice({ title, value, options, none = 'any', onPick }: Choosing) {
  const pairs = options.map((each) => (typeof each === 'string' ? [each, each] : each));
  if (value !== '' && !pairs.some(([each]) => each === value)) pairs.push([value, value]);
  return (
    <label>
      {title}
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        {none !== null && <option value="">{none}</option>}
        {pairs.map(([each, name]) => (
          <option key={each} value={each}>
            {visible(name!)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Filtering {
  route: Route;
  title: string;
  /** Name of the filter in the URL. */
  name: string;
  options: Choosing['options'];
  none?: string;
}

/** A choice that is in the URL. */
export function Filter({ route, title, name, options, none = 'any' }: Filtering) {
  return (
    <Choice
      {...{ title, options, none }}
      value={route.query.get(name) ?? ''}
      onPick={(value) =>
        (location.hash = withQuery(route, { before: null, limit: null, page: null, [name]: value }))
      }
    />
  );
}

export function ProjectFilter({ route }: { route: Route }) {
  const { start } = usePage();
  const options = projectsOf(start);
  return <Filter route={route} title="Project" name="project" none="all" options={options} />;
}
