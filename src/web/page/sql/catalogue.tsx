/** What can be asked: views and macros of facts with their columns, as the database lists them. */
import type { CatalogueView } from '../../wire.js';
import { Show, useLoad } from '../page-context.js';
import { addressOf } from '../route.js';
import { Text } from '../words.js';

type Entry = CatalogueView['entries'][number];

export function Catalogue() {
  const loaded = useLoad<CatalogueView>('/view/catalogue');
  return (
    <section class="catalogue" aria-labelledby="catalogue">
      <h2 id="catalogue">Views and macros</h2>
      <Show of={loaded}>
        {({ entries }) => (
          <>
            {entries.map((entry) => (
              <details key={entry.name}>
                <summary>{entry.name}</summary>
                <ul>
                  <li>
                    <a href={addressOf('sql', [], { q: beginningOf(entry) })}>
                      Show its first rows
                    </a>
                  </li>
                  {entry.columns.map(({ name, type }) => (
                    <li key={name}>
                      <code>{name}</code> <Text of={type.toLowerCase()} />
                    </li>
                  ))}
                </ul>
              </details>
            ))}
            <p class="quiet-text">docs/database.md and docs/facts.md say what each column means.</p>
          </>
        )}
      </Show>
    </section>
  );
}

/** A question to begin with. A macro of facts takes a time, in UTC. Pure. */
function beginningOf({ name, parameters }: Entry): string {
  return `FROM ${name}${parameters.length === 0 ? '' : `(now() AT TIME ZONE 'UTC')`}\nLIMIT 20`;
}
