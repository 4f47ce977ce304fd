import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

interface Child {
  process: ChildProcessWithoutNullStreams;
  pid: number;
  /** Lines of its stdout so far. */
  lines: string[];
  /** The next line that satisfies `wanted`, or one already there. */
  line(wanted: (line: string) => boolean): Promise<string>;
  send(text: string): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/**
 * Starts `children/<name>.mjs` in its own process; it uses the compiled store.
 *
 * @param limitKb no file may grow beyond it: every further write fails in the kernel, as on a full
 * disk
 */
export function startChild(
  name: string,
  args: string[],
  { limitKb }: { limitKb?: number } = {},
): Child {
  const script = fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url));
  const node = [process.execPath, script, ...args];
  const [file, rest] =
    limitKb === undefined
      ? [node[0] as string, node.slice(1)]
      : ['bash', ['-c', `ulimit -f ${limitKb}; exec "$@"`, 'bash', ...node]];
  const child = spawn(file, rest);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const check of [...waiting]) check();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>(
    (resolve) => child.on('close', (code, signal) => resolve({ code, signal, stderr })),
  );
  const line = (wanted: (line: string) => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = lines.find(wanted);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      void ended.then(({ code, signal }) =>
        reject(new Error(`${name} ended (${code ?? signal}) first: ${stderr}`)),
      );
    });
  return {
    process: child,
    pid: child.pid as number,
    lines,
    line,
    send: (text) => void child.stdin.write(`${text}\n`),
    ended,
  };
}
