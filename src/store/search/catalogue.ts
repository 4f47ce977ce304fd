/**
 * What a person may ask in SQL, as the database itself lists it: public views and the macros of
 * facts, with their columns.
 */
import type { Db } from '../db.js';

export interface CatalogueEntry {
  name: string;
  /** What a macro takes in brackets; a view takes nothing. */
  parameters: string[];
  columns: { name: string; type: string }[];
}

/** Each macro of a fact has the columns of this view. */
const FACTS = 'facts';

/** Views first, then macros, each by name. */
export async function catalogueOf(db: Db): Promise<CatalogueEntry[]> {
  const columns = await db.all<{ view: string; name: string; type: string }>(
    `SELECT table_name AS view, column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE schema_name = 'main' AND NOT internal
       AND table_name IN (SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal)
     ORDER BY view, column_index`,
  );
  const macros = await db.all<{ name: string; parameters: string[] }>(
    `SELECT function_name AS name, parameters FROM duckdb_functions()
     WHERE schema_name = 'main' AND function_type = 'table_macro' AND starts_with(function_name, 'fact_') ORDER BY name`,
  );
  const views = new Map<string, CatalogueEntry>();
  for (const { view, ...column } of columns) {
    const entry = views.get(view) ?? { name: view, parameters: [], columns: [] };
    entry.columns.push(column);
    views.set(view, entry);
  }
  return [
    ...views.values(),
    ...macros.map((macro) => ({ ...macro, columns: views.get(FACTS)?.columns ?? [] })),
  ];
}
