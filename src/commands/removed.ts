/** Commands of older builds, and what a person uses instead: the hint of the usage error. */
export const REMOVED: Readonly<Record<string, string>> = {
  blame: 'use `dripstone recall --type edit FILE`',
  doctor: 'use `dripstone status --check`',
  how: 'use `dripstone recall --type command PROGRAM`',
  receipts: '`dripstone replay` lists what hooks told and what followed',
  snapshots:
    '`dripstone lessons show LESSON` lists the edits of a lesson, `lessons undo` reverts one',
  dataset: '`dripstone export --parquet DIR` writes the views as Parquet files',
  crystal: 'each person shares lessons by `dripstone export --agents-md` into AGENTS.md',
  stats:
    '`dripstone usage` counts tokens and cost, `dripstone sql "FROM sessions"` has each session',
  tidy: '`dripstone model use NAME` lets an agent that you already have read sessions',
};
