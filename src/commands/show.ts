/** `dripstone show`: prints one entry, session or lesson whole. */
import { createApp } from '../app.js';
import { EXIT, usage } from '../errors.js';
import { printJson, type Command } from './command.js';
import { ASKING } from './typed.js';
import { prefixOf, show } from '../recall/show.js';

export const showCommand: Command = {
  name: 'show',
  summary: 'print the whole of one entry, session or lesson',
  usage: 'ID [--around N] [--json]',
  options: {
    around: {
      type: 'string',
      value: 'N',
      help: 'entries to print before and after an entry (default 2)',
    },
    json: { type: 'boolean', help: 'print {"version":1,"type","id",…}' },
  },
  exits: ASKING,
  examples: ['dripstone show k3f', 'dripstone show 9f2c41d0 --around 5'],
  async run(io, args) {
    const [word] = args.words;
    if (word === undefined || args.words.length > 1)
      throw usage('show takes one id', 'copy one from `dripstone search` or from context.md');
    const prefix = prefixOf(word);
    const around = args.count('around', 2, 0);
    await using app = await createApp({ ...io, access: 'read' });
    const shown = await show(app, prefix, around);
    if (args.flag('json')) printJson(io, shown.json);
    else io.out(shown.text);
    return EXIT.done;
  },
};
