/** `dripstone mcp`: an MCP server on standard input and output that runs as long as the client. */
import { createApp } from '../app.js';
import { EXIT } from '../errors.js';
import { value, type Command } from '../command.js';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'serve the memory to an agent over MCP (stdio)',
  usage: '[--project P]',
  options: {
    project: value(
      'P',
      'folder, slug or name; default: the project of the folder it is started in',
    ),
  },
  exits: {},
  examples: [
    'claude mcp add dripstone -- dripstone mcp',
    'codex mcp add dripstone -- dripstone mcp',
  ],
  async run(io, args) {
    // Imported here, since the rest of the program does not need the SDK.
    const { serveMcp } = await import('./server.js');
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    await serveMcp(app, io, args.text('project'));
    return EXIT.done;
  },
};
