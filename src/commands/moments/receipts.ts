/** `dripstone receipts`: what hooks told at which moment, and what followed in the same session. */
import { createApp } from '../../app.js';
import { neutralise } from '../../context/index.js';
import { EXIT } from '../../errors.js';
import {
  followedSince,
  receiptsSince,
  type Db,
  type Followed,
  type ToldItem,
} from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { printJson, type Command } from '../command.js';
import { ASKING, PROJECT, refuseWords } from '../typed.js';
import { sinceIn } from '../../text/days.js';
import { projectHere } from '../../recall/project-here.js';

/** A moment at which something was told. */
interface ReceiptAtMoment {
  id: string;
  time: string;
  moment: string;
  agent: string;
  session: string;
  project: string | null;
  tokens: number;
  items: { type: string; id: string; text: string | null }[];
  /** Null: the moment was no failure. */
  followed: Omit<Followed, 'receipt'> | null;
}

export const receiptsCommand: Command = {
  name: 'receipts',
  summary: 'what memory told inside sessions, and what followed',
  usage: '[--since 30d] [--project P] [--json]',
  options: {
    since: {
      type: 'string',
      value: 'DAY',
      help: 'from this day (UTC) on: 2026-11-20, 90d, 2w, or all; default 30d',
    },
    project: PROJECT,
    json: { type: 'boolean', help: 'print {"version":1,"since","project","receipts"}' },
  },
  exits: ASKING,
  examples: ['dripstone receipts', 'dripstone receipts --since all --project all --json'],
  async run(io, args) {
    refuseWords('receipts', args);
    const since = sinceIn(args.text('since') ?? '30d', io.clock.now());
    await using app = await createApp({ ...io, access: 'read' });
    const project = await projectHere(app, args.text('project'), io.cwd);
    const receipts = await app.store.read((db) => loadReceipts(db, since, project?.id ?? null));
    if (args.flag('json')) printJson(io, { since, project: project?.slug ?? null, receipts });
    else
      io.out(
        receipts.length === 0
          ? 'nothing was told inside a session\n'
          : `${receipts.map(textOf).join('\n')}\n`,
      );
    return EXIT.done;
  },
};

/** @param since day; null: all. @param project id; null: of all */
export async function loadReceipts(
  db: Db,
  since: string | null,
  project: string | null,
): Promise<ReceiptAtMoment[]> {
  const from = since ?? '1970-01-01';
  return receiptsOf(await receiptsSince(db, from, project), await followedSince(db, from));
}

/** Items of one moment together, the newest moment first. Pure. */
function receiptsOf(items: readonly ToldItem[], followed: readonly Followed[]): ReceiptAtMoment[] {
  const after = new Map(followed.map(({ receipt, ...rest }) => [receipt, rest]));
  const receipts = new Map<string, ReceiptAtMoment>();
  for (const { receipt, time, moment, agent, session, slug, type, id, text, tokens } of items) {
    const one = receipts.get(receipt) ?? {
      ...{ id: receipt, time, moment, agent, session, project: slug, tokens: 0, items: [] },
      followed: after.get(receipt) ?? null,
    };
    one.tokens += tokens;
    one.items.push({ type, id, text });
    receipts.set(receipt, one);
  }
  return [...receipts.values()];
}

function textOf({
  time,
  moment,
  agent,
  session,
  project,
  tokens,
  items,
  followed,
}: ReceiptAtMoment): string {
  const head = [
    time.slice(0, 16).replace('T', ' '),
    moment,
    agent,
    session.slice(0, 8),
    project ?? 'no project',
    `${tokens} tokens`,
  ];
  const told = items.map(
    ({ type, id, text }) =>
      `  ${type === 'page' ? 'the page' : neutralise(text ?? `${type} ${id.slice(0, 10)}, gone since`)}`,
  );
  return [
    head.join(' · '),
    ...told,
    ...(followed === null ? [] : [`  then: ${afterText(followed)}`]),
  ].join('\n');
}

/** What followed in the session, in words. */
export function afterText({ again, passed, cured }: Omit<Followed, 'receipt'>): string {
  if (again === null) return 'the log was not read so far';
  const parts = [
    again === 0 ? 'the error did not come again' : `the error came again ${counted(again, 'time')}`,
    ...(cured === null ? [] : [cured ? 'the cure ran' : 'the cure did not run']),
    ...(passed === null ? [] : [passed ? 'the command passed later' : 'the command did not pass']),
  ];
  return parts.join(', ');
}
