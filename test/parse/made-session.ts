import type { Entry, SessionFacts } from '../../src/types.js';
import { BARE_ENTRY } from '../entry.js';
import type { SessionInput } from '../../src/parse/index.js';

/** A session written down in the order of its log. */
export class MadeSession {
  readonly entries: Entry[] = [];
  #count = 0;

  constructor(
    readonly id = 's1',
    readonly folder = '/home/ana/shop',
    readonly day = '2026-11-20',
  ) {}

  add(part: Partial<Entry> & Pick<Entry, 'role' | 'origin' | 'text'>): this {
    const n = this.entries.length + 1;
    const minute = `${String(10 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
    this.entries.push({
      ...{ ...BARE_ENTRY, id: `${this.id}-${String(n).padStart(4, '0')}`, agent: 'made' },
      ...{ session: this.id, seq: n * 1000, time: `${this.day}T${minute}:00.000Z` },
      ...{ hash: String(n), cwd: this.folder, path: '/logs/a.jsonl', line: n },
      ...part,
    });
    return this;
  }

  user(text: string, part: Partial<Entry> = {}): this {
    return this.add({ role: 'user', origin: 'user', text, ...part });
  }

  agent(text: string, part: Partial<Entry> = {}): this {
    return this.add({ role: 'assistant', origin: 'agent', text, ...part });
  }

  /** A call of a tool and its result. */
  #calls(
    called: Partial<Entry> & { text: string },
    ended: Partial<Entry> & { text: string },
  ): this {
    const call = `c${(this.#count += 1)}`;
    this.add({ role: 'tool_call', origin: 'agent', call, ...called });
    return this.add({ role: 'tool_result', origin: 'tool', call, outcome: 'ok', ...ended });
  }

  shell(command: string, output = '', part: Partial<Entry> = {}): this {
    const both = { tool: 'Bash', command, cwd: part.cwd ?? this.folder };
    return this.#calls({ ...both, text: command }, { ...both, text: output, exit: 0, ...part });
  }

  fails(
    command: string,
    output: string,
    error: string | null = null,
    part: Partial<Entry> = {},
  ): this {
    return this.shell(command, output, { outcome: 'failed', exit: 1, error, ...part });
  }

  edit(file: string, lines: string[] = ['+x']): this {
    const path = `${this.folder}/${file}`;
    const both = { tool: 'Edit', files: [path] };
    return this.#calls({ ...both, text: [path, ...lines].join('\n') }, { ...both, text: 'done' });
  }

  input(facts: Partial<SessionFacts> = {}): SessionInput {
    return {
      agent: 'made',
      session: this.id,
      facts: { session: this.id, cwd: this.folder, ...facts },
      entries: this.entries,
      project: { id: 'p1', name: 'shop', folders: [this.folder] },
    };
  }
}
