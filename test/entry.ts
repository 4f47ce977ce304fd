import { entryOfRow, type Entry } from '../src/types.js';

/** What an entry has at least; everything else is unknown. */
export const BARE_ENTRY: Entry = entryOfRow({
  id: '0'.repeat(32),
  agent: 'claude-code',
  session: 's1',
  role: 'user',
  origin: 'user',
  hash: '0'.repeat(16),
})!;
