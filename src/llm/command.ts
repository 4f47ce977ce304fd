/** Runs a program that reads a prompt on stdin and prints the answer, such as an agent. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { ModelError, MOST_ANSWER_BYTES, type LanguageModel } from './model.js';

/** A program that does not end within this time is killed. */
const GRACE_MS = 2000;
const REPORTED_CHARS = 200;

/**
 * @param command program and arguments, started without a shell
 * @param folder where it runs: agents log these sessions, too, but dripstone never reads them
 */
export function openCommand(
  command: readonly string[],
  folder: string,
  env: Record<string, string | undefined>,
): LanguageModel {
  const [program, ...args] = command as [string, ...string[]];
  return {
    provider: 'command',
    model: basename(program),
    ask: async (prompt, { signal }) => ({
      text: await runProgram(program, args, prompt, folder, env, signal),
      tokensIn: null,
      tokensOut: null,
    }),
  };
}

function runProgram(
  program: string,
  args: string[],
  prompt: string,
  folder: string,
  env: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = new ModelError('timeout', `${basename(program)} did not answer in time`);
    if (signal.aborted) return reject(new ModelError('timeout', late.message, undefined, false));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const child = spawn(program, args, {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let errors = '';
    const stop = (): void => {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
    };
    const fail = (error: ModelError): void => {
      stop();
      reject(error);
    };
    const onAbort = (): void => fail(late);
    signal.addEventListener('abort', onAbort, { once: true });
    // Nothing was sent: the program is missing or not executable.
    child.on('error', (error) =>
      reject(
        new ModelError('refused', `${program} cannot be started: ${error.message}`, error, false),
      ),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES)
        fail(
          new ModelError(
            'failed',
            `${basename(program)} prints more than ${MOST_ANSWER_BYTES} bytes`,
          ),
        );
      else chunks.push(chunk);
    });
    child.stderr.on(
      'data',
      (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-REPORTED_CHARS)),
    );
    child.on('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else
        reject(
          new ModelError(
            'failed',
            `${basename(program)} ends with ${code ?? 'a signal'}: ${errors.replace(/\s+/g, ' ').trim()}`,
          ),
        );
    });
    // A program that does not read its input closes the pipe; its exit code is reported.
    child.stdin.on('error', () => {});
    child.stdin.end(prompt);
  });
}
