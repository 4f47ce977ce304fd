/**
 * The program behind each hook: `hook.cjs AGENT HOME`, or `dripstone hook AGENT` of a plugin; JSON
 * on stdin. It exits with 0, or with 2 if the agent reads this as more context.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ask, MOST_ASKED } from '../wire.js';
import { askedBy, printedFor } from './dialects.js';

/** The program ends after this time, even if stdin or stdout block. */
const LIFE_MS = 1000;

const silence = (): never => process.exit(0);

async function main([
  agent = '',
  home = process.env['DRIPSTONE_HOME'] || join(homedir(), '.dripstone'),
]: string[]): Promise<void> {
  const value = parsed(await readStdin());
  const asked = askedBy(agent, value);
  const answer = asked === null ? null : await ask(home, asked);
  if (answer === null) return silence();
  const { out, code } = printedFor(agent, value, answer);
  process.exitCode = code;
  process.stdout.write(out, () => answer.printed());
}

/**
 * Reads all of stdin, so that the agent does not write into a closed pipe; null if it is too large
 * for a request.
 */
function readStdin(): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let [parts, size]: [Buffer[], number] = [[], 0];
    process.stdin.on('data', (part: Buffer) => {
      size += part.length;
      parts = size > MOST_ASKED ? [] : [...parts, part];
    });
    process.stdin.on('end', () => resolve(size > MOST_ASKED ? null : Buffer.concat(parts)));
    process.stdin.on('error', silence);
  });
}

function parsed(bytes: Buffer | null): unknown {
  try {
    return bytes === null ? null : JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

process.on('uncaughtException', silence);
process.stdout.on('error', silence);
setTimeout(silence, LIFE_MS).unref();
void main(process.argv.slice(2)).catch(silence);
