/**
 * Factory's Droid: `$FACTORY_DIR` or `~/.factory`, `sessions/<slug>/<uuid>.jsonl`, some at the
 * root. Lines, appended: `session_start` with title and folder, `message` with blocks as in
 * Anthropic's API (its `message.id` is the record's `id`), `todo_state` and `compaction_state`. The
 * first user message starts with `<system-reminder>` blocks. Token counts are in another file for
 * the whole session, and are not read. Known from descriptions and one sample.
 */
import { blockEvents, REFUSED } from './blocks.js';
import { agent } from './engine.js';
import { isoTime, object, short, text as textOf } from '../text/fields.js';
import { contentText } from './typed.js';

export const droid = agent<null>({
  agent: 'droid',
  title: 'Factory Droid',
  unproven: true,
  places: [
    { env: 'FACTORY_DIR', root: '.factory', under: 'sessions', globs: ['*.jsonl', '*/*.jsonl'] },
  ],
  ownTools:
    'Read LS Execute Edit MultiEdit ApplyPatch Grep Glob Create TodoWrite Task ExitSpecMode AskUser KillProcess Skill ' +
    'TaskOutput ProposeMission',
  agentTools: /^(?:task|agent)$/i,
  refused: REFUSED,
  tags: 'system-reminder|system_reminder|system-notification|environment_context|user-context',
  repeats: true,
  more: null,
  place: (record) => ({ id: short(record.id), time: isoTime(record.timestamp) }),
  read(record) {
    const message = object(record.message);
    switch (record.type) {
      case 'session_start': {
        const parent = short(record.callingSessionId) ?? short(record.parentSessionId);
        const title = short(record.sessionTitle) ?? short(record.title);
        return [
          {
            ...{ is: 'session', session: short(record.id), cwd: short(record.cwd), title, parent },
            ...{ version: short(record.version), subagent: parent !== null },
          },
        ];
      }
      case 'message': {
        const text = contentText(message.content);
        const isStop = /^\s*\[?Request (?:interrupted|cancelled) by user/.test(text);
        return isStop && message.role === 'user'
          ? [{ is: 'notice', text, mark: 'interrupt' }]
          : blockEvents(message);
      }
      case 'compaction_state': {
        const text = textOf(record.summaryText) ?? textOf(record.summary);
        return [{ is: 'notice', text, mark: 'compaction' }];
      }
      case 'todo_state':
      case 'session_end':
        return [];
      default:
        return [{ is: 'unknown', type: record.type }];
    }
  },
});
