/** Tools that answer at a moment: memory_recall, memory_fix, memory_how, memory_blame. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { blameText, formsText, lessonsAbout } from '../commands/moments/how.js';
import { answerMoment } from '../recall/moments/answer.js';
import { cleanForms } from '../recall/moments/clean.js';
import { MOMENT_TYPES, type MomentType } from '../recall/moments/moment.js';
import { editorsOf, loadLessons } from '../store/index.js';
import { asking, cutTo, MOST_TOKENS, READS, say } from './answer.js';
import { type Memory, projectOf } from './memory.js';
import { recallFor } from './reading.js';
import { NOTHING_RECALLED } from './recalled.js';

const MOST_ROWS = 20;

interface Wanted {
  type: MomentType;
  text: string;
  output: string | null;
}

/** What stands out at a moment and was not told by this server yet. */
async function tell(memory: Memory, wanted: Wanted, given: Set<string>): Promise<CallToolResult> {
  const { text, items } = await answerMoment(memory.app.recall!, await projectOf(memory), {
    ...wanted,
    session: null,
    given,
  });
  for (const { id } of items) given.add(id);
  return say(text === '' ? 'nothing stands out' : text);
}

export function addMoments(server: McpServer, memory: Memory): void {
  let recalled = NOTHING_RECALLED;
  const given = new Set<string>();
  server.registerTool(
    'memory_recall',
    {
      description:
        'What matters for a task, or at a moment (type and text), and was not told yet. Often nothing, which is normal.',
      inputSchema: {
        task: z
          .string()
          .min(1)
          .optional()
          .describe('what you are about to do, with names of files and commands'),
        type: z.enum(MOMENT_TYPES).optional(),
        text: z.string().optional().describe('the prompt, command or path'),
        output: z.string().optional().describe('of a failure'),
      },
      annotations: READS,
    },
    ({ task, type = 'prompt', text, output }) =>
      asking(memory, async () => {
        if (text !== undefined)
          return await tell(memory, { type, text, output: output ?? null }, given);
        if (task === undefined)
          return { ...say('name a task, or a type and its text'), isError: true };
        const answer = await recallFor(memory, task, recalled);
        recalled = answer.recalled;
        return answer.result;
      }),
  );
  server.registerTool(
    'memory_fix',
    {
      description: 'What helped when this error came before.',
      inputSchema: { error: z.string().min(1), command: z.string().default('') },
      annotations: READS,
    },
    ({ error, command }) =>
      asking(memory, () => tell(memory, { type: 'failure', text: command, output: error }, given)),
  );
  addRows(server, memory);
}

function addRows(server: McpServer, memory: Memory): void {
  server.registerTool(
    'memory_how',
    {
      description: 'The forms in which a program ran here, with counts, last day and time.',
      inputSchema: { program: z.string().min(1) },
      annotations: READS,
    },
    ({ program }) =>
      asking(memory, async () => {
        const project = await projectOf(memory);
        const { forms, withheld } = await memory.app.store.read((db) =>
          cleanForms(db, program, project?.id ?? null, MOST_ROWS),
        );
        return say(cutTo(formsText(program, forms, withheld), MOST_TOKENS));
      }),
  );
  server.registerTool(
    'memory_blame',
    {
      description:
        'The sessions that edited a file, the prompt before each edit, and lessons that name the file.',
      inputSchema: { file: z.string().min(1) },
      annotations: READS,
    },
    ({ file }) =>
      asking(memory, async () => {
        const id = (await projectOf(memory))?.id ?? null;
        const text = await memory.app.store.read(async (db) =>
          blameText(
            file,
            await editorsOf(db, file, id, MOST_ROWS),
            lessonsAbout(await loadLessons(db), file, id),
          ),
        );
        return say(cutTo(text, MOST_TOKENS));
      }),
  );
}
