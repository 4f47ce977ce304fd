/** MCP tools of older builds, and what an agent uses instead. */
export const REMOVED_TOOLS: Readonly<Record<string, string>> = {
  memory_blame: 'call memory_recall with type edit and the path',
  memory_fix: 'call memory_recall with type failure, the command as text and the error as output',
  memory_how: 'call memory_recall with type command and the program',
  memory_lessons: 'call memory_search with scope lessons',
  memory_tidied: '`dripstone model use NAME` lets an agent read sessions',
  memory_tidy: '`dripstone model use NAME` lets an agent read sessions',
};
