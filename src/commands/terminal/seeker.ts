/**
 * Who answers the queries of a search as one types: the daemon where one runs, else this process.
 */
import type { App } from '../../app.js';
import { AppError, EXIT } from '../../errors.js';
import { runInDaemon } from '../../hooks/in-daemon.js';
import type { SearchAnswer } from '../../recall/search.js';
import { Session } from '../../web/session.js';
import type { Io } from '../command.js';

interface Asking {
  /** The command line that the daemon runs, up to the query. */
  argv: readonly string[];
  /** The same search in this process. @param isQuick by words alone */
  search: (app: App, query: string, isQuick: boolean) => Promise<SearchAnswer>;
  needsModel: boolean;
}

export class Seeker implements AsyncDisposable {
  /**
   * The model is there: a query that words alone have answered is worth asking again. Never, where
   * it was not waited for.
   */
  readonly modelCame: Promise<void>;
  private tellCame!: () => void;
  private readonly session: Session;
  /** Loading the model takes a second or more; nobody waits for that before the first hits. */
  private model: 'not asked' | 'loading' | 'there';

  constructor(
    private readonly io: Io,
    private readonly asking: Asking,
  ) {
    this.session = new Session(io);
    this.model = asking.needsModel ? 'not asked' : 'there';
    this.modelCame = new Promise((resolve) => (this.tellCame = resolve));
  }

  async find(query: string): Promise<SearchAnswer> {
    const told = await this.askDaemon(query);
    if (told !== null) return told;
    if (this.model === 'not asked') void this.load();
    return this.session.read((app) => this.asking.search(app, query, this.model !== 'there'));
  }

  private async load(): Promise<void> {
    this.model = 'loading';
    // Its problem is told by the search that needs it.
    await this.session
      .read((app) => Promise.resolve(app.embedder))
      .then(async (lease) => (await lease.get())?.embed(['']))
      .catch(() => undefined);
    this.model = 'there';
    this.tellCame();
  }

  private async askDaemon(query: string): Promise<SearchAnswer | null> {
    const { screen: _, ...rest } = this.io;
    let [out, err] = ['', ''];
    const silent = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const code = await runInDaemon([...this.asking.argv, '--', query], {
      ...rest,
      ...silent,
      outIsTerminal: false,
    });
    if (code === null) return null;
    if (code === EXIT.done) return JSON.parse(out) as SearchAnswer;
    throw new AppError('REFUSED', err.split('\n')[0]!.replace('dripstone: ', ''), {
      exitCode: code,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }
}
