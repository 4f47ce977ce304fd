/**
 * Questions in SQL. The question stands in the address, so that it can be kept and passed on. An
 * address only fills the field: what somebody else wrote into a link is run by the person alone.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SqlView } from '../../wire.js';
import type { Refusal } from '../api.js';
import { asRefusal, usePage } from '../page-context.js';
import { addressOf, type Route } from '../route.js';
import { Text } from '../words.js';
import { Catalogue } from './catalogue.js';
import { Result } from './result.js';

/** Which question an answer is of. */
interface Asked {
  sql: string;
  answer?: SqlView;
  refusal?: Refusal;
}

/** One question at a time; leaving the page ends it. */
function useSql() {
  const { api } = usePage();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async (sql: string): Promise<void> => {
    const own = (stop.current = new AbortController());
    setRunning(true);
    try {
      const answer = await api.post<SqlView>('/view/sql', { sql }, own.signal);
      if (!own.signal.aborted) setAsked({ sql, answer });
    } catch (error) {
      if (!own.signal.aborted) setAsked({ sql, refusal: asRefusal(error) });
    } finally {
      if (stop.current === own) setRunning(false);
    }
  };
  const end = (): void => {
    stop.current?.abort();
    stop.current = null;
    setRunning(false);
  };
  return { asked, isRunning, run, end };
}

const FIRST =
  'SELECT agent, count(*) AS sessions\nFROM sessions\nGROUP BY ALL\nORDER BY sessions DESC';

export function SqlPage({ route }: { route: Route }) {
  const { asked, isRunning, run, end } = useSql();
  return (
    <>
      <h1>SQL</h1>
      <p class="lead">Type one SELECT over the memory. It cannot change anything.</p>
      <div class="sql">
        <div>
          <Question
            given={route.query.get('q') ?? ''}
            isRunning={isRunning}
            onRun={(sql) => void run(sql)}
            onStop={end}
          />
          <p role="status" class={isRunning ? 'loading' : 'found'}>
            {isRunning ? 'asking…' : asked?.answer && <Summary of={asked.answer} />}
          </p>
          {!isRunning && asked?.refusal !== undefined && <Refused of={asked.refusal} />}
          {!isRunning && asked?.answer !== undefined && <Result of={asked.answer} />}
        </div>
        <Catalogue />
      </div>
    </>
  );
}

interface Asking {
  /** What the address has. */
  given: string;
  isRunning: boolean;
  onRun(sql: string): void;
  onStop(): void;
}

function Question({ given, isRunning, onRun, onStop }: Asking) {
  const [sql, setSql] = useState(given || FIRST);
  useEffect(() => void (given !== '' && setSql(given)), [given]);
  const ask = (event: Event): void => {
    event.preventDefault();
    const wanted = sql.trim();
    if (wanted === '' || isRunning) return;
    if (wanted !== given) location.hash = addressOf('sql', [], { q: wanted });
    onRun(wanted);
  };
  return (
    <form class="words" onSubmit={ask}>
      <label>
        Statement
        <textarea
          required
          rows={6}
          maxLength={100_000}
          spellcheck={false}
          value={sql}
          onInput={({ currentTarget }) => setSql(currentTarget.value)}
          onKeyDown={(event) =>
            event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ask(event)
          }
        />
      </label>
      <div class="actions">
        <button type="submit" class="main" disabled={isRunning} aria-busy={isRunning}>
          Run <kbd>Ctrl ↵</kbd>
        </button>
        {isRunning && (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
      </div>
    </form>
  );
}

function Summary({ of: { rows, more, seconds } }: { of: SqlView }) {
  const number = rows.length === 1 ? '1 row' : `${rows.length.toLocaleString('en')} rows`;
  return <>{`${more ? `the first ${number}` : number}, ${seconds.toFixed(1)} s`}</>;
}

/** The engine points at the place by a line below it. */
function Refused({ of: { message, next } }: { of: Refusal }) {
  return (
    <div class="wrong" role="alert">
      <pre tabIndex={0}>
        <Text of={message} />
      </pre>
      {next !== '' && (
        <p>
          <Text of={next} />
        </p>
      )}
    </div>
  );
}
