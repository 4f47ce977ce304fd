/** What agents write in one turn, and the texts that it tells. */

interface Told {
  lines: string[];
  texts: string[];
}

interface Chance {
  below(n: number): number;
  uuid(kind: number): string;
  time(): string;
  say(): string;
}

interface Spoken {
  session: string;
  turns: number;
}

export function linesOf({
  below,
  uuid,
  time,
  say,
}: Chance): Record<'claude' | 'codex' | 'inbox', (log: Spoken) => Told> {
  const claudeLines = (log: Spoken): Told => {
    const base = {
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ana/shop',
      sessionId: log.session,
      version: '2.1.233',
      gitBranch: 'main',
      entrypoint: 'cli',
    };
    const id = uuid(4);
    const [ask, answer, command] = [say(), say(), `echo ${say()}`];
    const record = (more: object): string =>
      JSON.stringify({ parentUuid: null, ...base, uuid: uuid(4), timestamp: time(), ...more });
    const call = (content: object[]) => ({
      type: 'assistant',
      message: { id: `msg_${id}`, role: 'assistant', model: 'm', content },
    });
    return {
      texts: [ask, answer, command, `out ${command}`],
      lines: [
        record({
          type: 'user',
          message: { role: 'user', content: ask },
          promptSource: 'typed',
          origin: { kind: 'human' },
        }),
        record(call([{ type: 'text', text: answer }])),
        record(call([{ type: 'tool_use', id: `t_${id}`, name: 'Bash', input: { command } }])),
        record({
          type: 'user',
          message: {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: `t_${id}`,
                content: `out ${command}`,
                is_error: false,
              },
            ],
          },
          toolUseResult: { stdout: `out ${command}`, stderr: '', interrupted: false },
        }),
      ],
    };
  };
  const codexLines = (log: Spoken): Told => {
    const turn = uuid(7);
    const [ask, answer] = [say(), say()];
    const record = (type: string, payload: object): string =>
      JSON.stringify({ timestamp: time(), type, payload });
    const passed = { internal_chat_message_metadata_passthrough: { turn_id: turn } };
    log.turns++;
    return {
      texts: [ask, answer],
      lines: [
        record('event_msg', { type: 'task_started', turn_id: turn }),
        record('turn_context', { turn_id: turn, cwd: '/home/ana/shop', model: 'm' }),
        record('response_item', {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: ask }],
          ...passed,
        }),
        record('event_msg', { type: 'user_message', message: ask, images: [] }),
        record('event_msg', { type: 'agent_message', message: answer }),
        record('response_item', {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: answer }],
          ...passed,
        }),
        record('event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: answer }),
      ],
    };
  };
  /** Some lines stand there twice, to the byte: two entries, and two after every new reading. */
  const inboxLines = (log: Spoken): Told => {
    const text = say();
    const line = JSON.stringify({
      agent: 'aider',
      session: log.session,
      role: 'user',
      text,
      at: time(),
      cwd: '/home/ana/shop',
    });
    return below(3) === 0
      ? { lines: [line, line], texts: [text, text] }
      : { lines: [line], texts: [text] };
  };
  return { claude: claudeLines, codex: codexLines, inbox: inboxLines };
}
