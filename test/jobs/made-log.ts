/** Small invented logs in Claude Code's shape. */

export interface Turn {
  records: Record<string, unknown>[];
}

/** A sentence that a person typed. */
export function says(text: string): Turn {
  return { records: [{ type: 'user', message: { role: 'user', content: text } }] };
}

/** A sentence of the agent. */
export function answers(text: string): Turn {
  return {
    records: [
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } },
    ],
  };
}

let count = 0;

/** A call of a tool, with its result where one is given. */
export function calls(name: string, input: object, content?: string, result: object = {}): Turn {
  const id = `toolu_${String(++count).padStart(6, '0')}`;
  const record = (role: string, block: object, more: object = {}) => ({
    ...{ type: role, message: { role, content: [block] } },
    ...more,
  });
  const { is_error, ...more } = result as { is_error?: boolean };
  const answer = { type: 'tool_result', tool_use_id: id, content, is_error };
  return {
    records: [
      record('assistant', { type: 'tool_use', id, name, input }),
      ...(content === undefined ? [] : [record('user', answer, more)]),
    ],
  };
}

/** A shell call with its result. */
export function shell(command: string, output: string, exit: number): Turn {
  const printed = exit === 0 ? output : `Exit code ${exit}\n${output}`;
  const toolUseResult = { stdout: output, stderr: '', interrupted: false };
  return calls('Bash', { command }, printed, { is_error: exit !== 0, toolUseResult });
}

/** A page that the agent fetched. */
export function fetched(url: string, page: string): Turn {
  return calls('WebFetch', { url, prompt: 'read it' }, page);
}

/**
 * Lines of a log, one record a minute from 09:00 UTC.
 * @param about.from number of the first record, so that several parts of one log have different ids
 */
export function claudeLog(
  about: { session: string; cwd: string; day: string; from?: number },
  turns: Turn[],
): string {
  let n = about.from ?? 0;
  return turns
    .flatMap((turn) => turn.records)
    .map((record) => {
      n++;
      const uuid = `${about.session.slice(0, 8)}-${about.day.slice(5).replace('-', '')}-4000-8000-${String(n).padStart(12, '0')}`;
      const time = `${about.day}T09:${String(n % 60).padStart(2, '0')}:00.000Z`;
      return `${JSON.stringify({ parentUuid: null, isSidechain: false, userType: 'external', cwd: about.cwd, sessionId: about.session, version: '2.0.10', gitBranch: 'main', uuid, timestamp: time, ...record })}\n`;
    })
    .join('');
}
