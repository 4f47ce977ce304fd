/**
 * What every view shares: the way to the server, what is known of the projects, saying what was
 * done, and keys.
 */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../../errors.js';
import type { StartView } from '../wire.js';
import { Refusal, type Api } from './api.js';
import { withQuery, type Route } from './route.js';
import { Text } from './words.js';

/** What was done, and how many edits `undo` would take back. */
export interface Notice {
  text: string;
  wrong?: boolean;
  undo?: () => Promise<void>;
}

export type Keys = Record<string, () => void>;

export interface Page {
  api: Api;
  /** Null until it is read. */
  start: StartView | null;
  /** Why it could not be read. */
  refusal: Refusal | undefined;
  /** Counts edits: what is shown is read again after each. */
  edits: number;
  edited(): void;
  /** What is under way, at once; `running` is the same when it is drawn. */
  busy: { current: string | null };
  running: Running | null;
  setRunning(running: Running | null): void;
  say(notice: Notice | null): void;
  /** Keys of the view that is open; the shell's own come after them. */
  keys: { current: Keys };
}

/** An edit that is under way. */
interface Running {
  what: string;
  /** What had the focus when it began: most often the button that was pressed. */
  from: Element | null;
}

/** Buttons that wait lose the focus; the one that was pressed has it again afterwards. */
export function useRunning(): [Running | null, (running: Running | null) => void] {
  const [running, setRunning] = useState<Running | null>(null);
  const from = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (
      running === null &&
      document.activeElement === document.body &&
      from.current instanceof HTMLElement
    )
      from.current.focus();
    from.current = running?.from ?? null;
  }, [running]);
  return [running, setRunning];
}

export const PageContext = createContext<Page>(null as unknown as Page);

export const usePage = (): Page => useContext(PageContext);

/**
 * Keys of a view while it is open. They change with what is drawn, not after it: a key must mean
 * what is seen.
 */
export function useKeys(keys: Keys): void {
  const page = usePage();
  useLayoutEffect(() => {
    page.keys.current = keys;
    return () => {
      if (page.keys.current === keys) page.keys.current = {};
    };
  });
}

export interface Loaded<T> {
  data: T | undefined;
  refusal: Refusal | undefined;
}

/**
 * Reads a path, and again after every edit. What was read before is shown meanwhile.
 */
export function useLoad<T>(path: string | null): Loaded<T> {
  const { api, edits } = usePage();
  const [last, setLast] = useState<{ path: string; data?: T; refusal?: Refusal } | null>(null);
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    api.get<T>(path, stop.signal).then(
      (data) => stop.signal.aborted || setLast({ path, data }),
      (error: unknown) => stop.signal.aborted || setLast({ path, refusal: asRefusal(error) }),
    );
    return () => stop.abort();
  }, [api, path, edits]);
  if (path !== null && last?.path !== path) return { data: api.known<T>(path), refusal: undefined };
  return { data: last?.data, refusal: last?.refusal };
}

export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal
    ? error
    : new Refusal(0, 'FAULT', String(error), 'reload the page');
}

/** What was read, or that it is being read, or why it was not. */
export function Show<T>({
  of,
  children,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  if (of.refusal !== undefined) return <Wrong refusal={of.refusal} />;
  if (of.data === undefined) return <p class="loading">reading…</p>;
  return <>{children(of.data)}</>;
}

export function Wrong({ refusal }: { refusal: Refusal }) {
  return (
    <div class="wrong" role="alert">
      <p>
        <Text of={refusal.message} />
      </p>
      {refusal.next !== '' && (
        <p>
          <Text of={refusal.next} />
        </p>
      )}
    </div>
  );
}

/** The parts of an edit's answer that the page shows. */
export interface Edited {
  id: string;
  lesson: { text: string } | null;
}

/** After so long it is said that something is under way. */
const LONG_MS = 400;

/**
 * Does something, one thing at a time; a key pressed meanwhile shows what is under way. A refusal
 * shows its reason.
 */
export function useAttempt(): (what: string, act: () => Promise<unknown>) => Promise<boolean> {
  const { busy, edited, say, setRunning } = usePage();
  return async (what, act) => {
    const tell = (): void => say({ text: `under way: ${busy.current}` });
    if (busy.current !== null) {
      tell();
      return false;
    }
    busy.current = what;
    setRunning({ what, from: document.activeElement });
    const timer = setTimeout(tell, LONG_MS);
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
      setRunning(null);
      edited();
    }
  };
}

interface EditButtonOptions {
  type?: 'button' | 'submit';
  class?: string;
  'aria-pressed'?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

/**
 * A button that changes something: it waits while anything is changed, and says so if that is what
 * it was pressed for.
 */
export function EditButton({ type = 'button', children, ...options }: EditButtonOptions) {
  const { running } = usePage();
  const button = useRef<HTMLButtonElement>(null);
  const isPressed = running !== null && isStartedBy(running.from, button.current);
  return (
    <button {...options} ref={button} type={type} disabled={running !== null} aria-busy={isPressed}>
      {children}
    </button>
  );
}

/** A form is sent from its fields, too. */
function isStartedBy(from: Element | null, button: HTMLButtonElement | null): boolean {
  if (from === null || button === null) return false;
  return (
    from === button ||
    (button.type === 'submit' && button.form !== null && button.form.contains(from))
  );
}

/**
 * An edit with what is said of it, and the way back.
 * @returns edits; `back` where more than that one edit is to be taken back
 */
export function useEdit(): (
  edit: () => Promise<Edited>,
  done: string,
  back?: () => Promise<Edited>,
) => Promise<boolean> {
  const { api, say } = usePage();
  const attempt = useAttempt();
  return (edit, done, back) =>
    attempt(done, async () => {
      const { id } = await edit();
      const undo = async (): Promise<void> =>
        void (await attempt('taken back', async () => {
          const { lesson } = await (back?.() ?? takeBack(api, id));
          say({ text: lesson === null ? 'taken back' : `taken back: ${lesson.text}` });
        }));
      say({ text: done, undo });
    });
}

/**
 * Takes the newest edit back if it is of this lesson: another one may have been made meanwhile, in
 * a terminal or another tab.
 */
export const takeBack = (api: Api, id: string): Promise<Edited> =>
  api.send('POST', '/undo', { id });

/** The name of a project, or its slug where two have the same name. */
export function projectName(start: StartView | null, slug: string | null): string {
  if (slug === null) return 'everywhere';
  const own = start?.projects.find((project) => project.slug === slug);
  const alike = start?.projects.filter(({ name }) => name === own?.name).length ?? 0;
  return own === undefined || alike > 1 ? slug : own.name;
}

/** Projects to choose from. */
export const projectsOf = (start: StartView | null): [slug: string, name: string][] =>
  (start?.projects ?? []).map(({ slug }) => [slug, projectName(start, slug)]);

interface Choosing {
  title: string;
  value: string;
  options: [value: string, title: string][];
  /** What stands first and means no choice; null when one must be made. */
  none?: string | null;
  onPick(value: string): void;
}

export function Choice({ title, value, options, none = 'any', onPick }: Choosing) {
  return (
    <label>
      {title}
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        {none !== null && <option value="">{none}</option>}
        {value !== '' && !options.some(([each]) => each === value) && (
          <option value={value}>{visible(value)}</option>
        )}
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The project of a list; none means all of them. */
export function ProjectFilter({ route }: { route: Route }) {
  const { start } = usePage();
  return (
    <Choice
      title="Project"
      none="all"
      value={route.query.get('project') ?? ''}
      options={projectsOf(start)}
      onPick={(project) =>
        (location.hash = withQuery(route, { project, before: null, limit: null, page: null }))
      }
    />
  );
}
