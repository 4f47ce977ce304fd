/** One MCP session over standard input and output. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { App } from '../app.js';
import type { Caller } from '../types.js';
import { createServer } from './server.js';
import type { Io } from '../io.js';

/**
 * Serves until the client closes its end or the signal comes. Whoever calls through MCP is an
 * agent, by whatever name.
 */
export async function serveMcp(app: App, io: Io, spec: string | null): Promise<void> {
  const caller = (): Caller => {
    const outer = io.caller();
    return outer.kind === 'agent'
      ? outer
      : { kind: 'agent', name: plain(server.getClientVersion()?.name) };
  };
  const server = createServer({ app, io: { ...io, caller }, spec });
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  await ended;
  await server.close();
}

/** The client's name goes into evidence: letters, digits and a few signs. */
function plain(name: string | undefined): string {
  const kept = (name ?? '')
    .toLowerCase()
    .replaceAll(/[^\w.@-]+/g, '-')
    .slice(0, 40);
  return kept === '' || kept === 'person' ? 'mcp' : kept;
}
