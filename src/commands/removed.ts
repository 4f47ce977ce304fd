/** Commands and MCP tools of older builds, with what replaces them. */

/** A removed command exits 2 with this hint. */
export const REMOVED: Readonly<Record<string, string>> = {
  doctor: 'use `dripstone status --check`',
  snapshots:
    '`dripstone lessons show LESSON` lists the edits of a lesson, `lessons undo` reverts one',
  dataset: '`dripstone export --parquet DIR` writes the views as Parquet files',
  crystal: 'each person shares lessons by `dripstone export --agents-md` into AGENTS.md',
  stats:
    '`dripstone usage` counts tokens and cost, `dripstone sql "FROM sessions"` has each session',
  tidy: '`dripstone model use NAME` lets an agent that you already have read sessions',
};

/** A call of a removed MCP tool fails with this text. */
export const REMOVED_TOOLS: Readonly<Record<string, string>> = {
  memory_tidy: '`dripstone model use NAME` lets an agent read sessions',
  memory_tidied: '`dripstone model use NAME` lets an agent read sessions',
};
