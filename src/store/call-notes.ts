/** Model calls of readers. They hold no lock, so they note them beside what was used; whoever writes next folds both in. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { LLM_OUTCOMES, type LlmCall } from './llm-calls.js';

/** Appends one line. @throws when the home cannot be written: then no call may be made */
export const noteCall = (file: string, call: LlmCall): void =>
  appendFileSync(file, `${JSON.stringify({ version: 1, type: 'call', ...call })}\n`, { mode: 0o600 });

/** Calls among the lines of a file, in order; a call has one line when it was made and one when it ended, both with its time. */
export const parseCalls = (text: string): LlmCall[] =>
  text.split('\n').flatMap((line) => {
    if (!line.includes('"call"')) return [];
    try {
      const { type, version: _version, ...call } = JSON.parse(line) as LlmCall & { type: string; version: number };
      const isWhole =
        type === 'call' &&
        !Number.isNaN(Date.parse(call.time)) &&
        Number.isFinite(call.tokensIn) &&
        Number.isFinite(call.tokensOut) &&
        LLM_OUTCOMES.includes(call.outcome);
      return isWhole ? [call] : [];
    } catch {
      return [];
    }
  });

/** Calls that are noted and not folded in yet, each as it stands now. */
export const notedCalls = (file: string): LlmCall[] => {
  const text = [`${file}.folding`, file].map((each) => (existsSync(each) ? readFileSync(each, 'utf8') : '')).join('\n');
  return [...new Map(parseCalls(text).map((call) => [call.time, call])).values()];
};
