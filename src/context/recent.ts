/** Lines about a project's newest sessions: their task and how they ended. Pure. */
import type { Episode } from '../types.js';
import { countTokens } from '../text/tokens.js';
import { CJK, contentWords, overlap } from '../text/words.js';
import { shortIds } from './lines.js';
import { nameOf, neutralise } from './neutralise.js';

/** A session with its agent's last answers. */
export interface Session extends Episode {
  /**
   * The agent's last answers as sentences, the newest first. Null: the page omits the session,
   * since a newer one continues it or it asks to run tainted text.
   */
  answers: readonly (readonly string[])[] | null;
}

/** Number of newest sessions from which the page selects. */
export const NEWEST_SESSIONS = 12;

export const RECENT_HEADING = '## Recent sessions (whole: `dripstone show ID`)';

/** Number of sessions on the page, their tokens, and their largest share of a small budget. */
interface RecentSpace {
  sessions: number;
  tokens: number;
  share: number;
}
export const USUAL_SPACE: RecentSpace = { sessions: 4, tokens: 300, share: 0.3 };
/** The space if the page would omit claims of a model: a claim is more useful than such a line. */
export const SMALL_SPACE: RecentSpace = { sessions: 3, tokens: 150, share: 0.15 };
const LINE_TOKENS = 90;
/** Sessions of other projects may have the same shorter prefix. */
const LEAST_ID = 8;
/** Signals that add nothing to a title. */
const SILENT = /^(?:answered|no answer|changed without|the log ends)/;
/** Beginnings of sentences that announce or offer work. */
const PLANS =
  /^(?:let me|let['’]s|i['’]ll|i will|i['’]m going|now (?:i|let)|i need to|next,? i|want me|would you|shall i|should i|if you|oh|wait|hmm)\b/i;
/** Beginnings of notes, praise and references to an earlier sentence; they are not conclusions. */
const DANGLING =
  /^(?:remember:|(?:good|great|perfect|those|these|this|that|it|they|also|so|yes|no|here|what|why|how)\b)/i;
/** Half a sentence: an item that continues the line before. */
const HALF = /^\p{Ll}+,? |,(?: (?:and|or))?$/u;
/**
 * Sentences that only report a commit, since the line shows its subject; not those with a pull
 * request.
 */
const CHORE =
  /^(?!.*(?:\/pull\/\d|\bPR #\d)).*(?:\b(?:committed|pushed|commits?|working tree|(?:un)?staged)\b|提交|コミット)/is;

/**
 * One line for each of the last sessions: open work first, then the newest. Each line gets an equal
 * part of the remaining tokens.
 * @param sessions newest first
 * @param budget tokens of the page
 */
export function recentLines(
  sessions: readonly Session[],
  lastDays: readonly string[],
  budget: number,
  space: RecentSpace,
): string[] {
  const newest = sessions.filter(({ answers }) => answers !== null).slice(0, NEWEST_SESSIONS);
  const open = openSessions(newest, lastDays);
  const shown = [...open, ...newest.filter((each) => !open.includes(each))].slice(
    0,
    space.sessions,
  );
  const ids = shortIds(
    sessions.map(({ session }) => session),
    LEAST_ID,
  );
  const lines: string[] = [];
  let left =
    Math.min(space.tokens, Math.floor(budget * space.share)) - countTokens(`${RECENT_HEADING}\n\n`);
  for (const [at, session] of shown.entries()) {
    const line = lineOfSession(
      session,
      ids.get(session.session)!,
      open.includes(session),
      Math.min(LINE_TOKENS, Math.floor(left / (shown.length - at))),
    );
    if (line === null) continue;
    left -= countTokens(`${line}\n`);
    lines.push(line);
  }
  return lines;
}

/** Null if not even the title fits. */
function lineOfSession(
  { day, agent, title, signal, commits, files, next_step, answers }: Session,
  id: string,
  isOpen: boolean,
  tokens: number,
): string | null {
  const task = withoutPoint(neutralise(title));
  const [name, short] = [nameOf(agent), nameOf(id)];
  if (task === '' || name === null || short === null) return null;
  const fits = (form: string): boolean => countTokens(`${form}\n`) <= tokens;
  const head = `* ${day} ${agent} ${short}: ${task}`;
  const [commit, state, next] = [commits.at(-1) ?? '', signal, next_step ?? ''].map((part) =>
    withoutPoint(neutralise(part)),
  ) as [string, string, string];
  const end = isOpen
    ? `unfinished: ${state}`
    : signal === 'committed' && commit !== ''
      ? `committed: ${commit}`
      : SILENT.test(signal)
        ? ''
        : state;
  const begun = [
    ...(isOpen && next !== '' ? [`${head} (${end}); next: ${next}`] : []),
    ...(end === '' ? [] : [`${head} (${end})`]),
    head,
  ].find(fits);
  if (begun === undefined) return null;
  let line = begun;
  const known = new Set(contentWords(begun));
  for (const sentence of conclusionOf(answers ?? [])) {
    if (contentWords(sentence).every((word) => known.has(word))) continue;
    const sign = /[.!?。！？…]$/u.test(line) ? '' : line === begun ? '.' : ';';
    const longer = [sentence, sentence.replace(/ \([^()]*\)/g, '')]
      .map((each) => `${line}${sign} ${each}`)
      .find(fits);
    if (longer === undefined) break;
    line = longer;
  }
  if (line !== begun || end.startsWith('committed: ')) return line;
  const edited = files.flatMap((file) => nameOf(file) ?? []).slice(0, MOST_FILES);
  const form = `${head} (${end === '' ? '' : `${end}; `}edited ${edited.join(', ')})`;
  return edited.length > 0 && !begun.includes('; next: ') && fits(form) ? form : line;
}

/** A shorter sentence without a name ("You are right.") does not begin a conclusion. */
const TALK_CHARS = 50;

/**
 * The conclusion of the newest answer that neither begins nor ends with a plan. Answers that begin
 * with a commit come last. Starts with a whole sentence if possible.
 */
function conclusionOf(answers: readonly (readonly string[])[]): string[] {
  const isReport = ([first = '']: readonly string[]): number => Number(CHORE.test(first));
  for (const answer of [...answers].sort((a, b) => isReport(a) - isReport(b))) {
    if ([answer[0], answer.at(-1)].some((each) => PLANS.test(each ?? '') && !ASKS.test(each ?? '')))
      continue;
    const sentences = answer
      .map((each) => neutralise(each.replace(/\*\*|__/g, '')))
      .filter(isConclusion);
    const says = (each: string): boolean =>
      each.length >= TALK_CHARS || LEAD.test(each) || isNamed(each);
    const whole = sentences.findIndex((each) => WHOLE.test(each) && says(each));
    const [lead, ...rest] = sentences.slice(
      Math.max(0, whole, whole < 0 ? sentences.findIndex(says) : 0),
    );
    if (lead !== undefined)
      return [lead.replace(LEAD, '.'), ...rest.filter((each) => !LEAD.test(each))];
  }
  return [];
}

const WHOLE = /[.!:。！：]$|\/pull\/\d/u;
const LEAD = /[:：]$/u;

function isNamed(sentence: string): boolean {
  return sentence.includes('`') || sentence.split(' ').some(isNameLike);
}

const ASKS = /[?？]$/u;

/**
 * Fewest words of a conclusion: two with a name (`x.toml` reverted), more if it ends in a colon.
 */
const [LEAST_NAMED, LEAST_WORDS, LEAST_LEAD] = [2, 4, 5];
const MOST_FILES = 2;

/** Whether a sentence is informative alone: not a headline, question, offer or plan. */
function isConclusion(sentence: string): boolean {
  const least = LEAD.test(sentence) ? LEAST_LEAD : isNamed(sentence) ? LEAST_NAMED : LEAST_WORDS;
  const isLong = CJK.test(sentence)
    ? sentence.length >= 2 * LEAST_WORDS && !LEAD.test(sentence)
    : sentence.split(' ').length >= least;
  return (
    isLong &&
    !/[?？…]$/u.test(sentence) &&
    ![PLANS, DANGLING, HALF, CHORE].some((each) => each.test(sentence))
  );
}

function withoutPoint(text: string): string {
  return text.replace(/(?<![.;:,\s])[.;:,\s]+$/, '');
}

/** Two titles with at least this share of common words name the same task. */
const SAME_TASK = 0.45;

/**
 * Unfinished sessions of these days without a later session of the same task or with a common file.
 */
function openSessions(sessions: readonly Session[], lastDays: readonly string[]): Session[] {
  const tasks: Set<string>[] = [];
  const later = new Set<string>();
  return sessions.filter((session) => {
    if (!lastDays.includes(session.day)) return false;
    const task = new Set(contentWords(session.title));
    const isContinued =
      tasks.some((other) => overlap(other, task) >= SAME_TASK) ||
      session.files.some((file) => later.has(file));
    tasks.push(task);
    session.files.forEach((file) => later.add(file));
    return session.unfinished && !isContinued;
  });
}

// Shared topics for the line that suggests questions.

/** Most and fewest topics on the line. */
const TOPICS = 6;
const LEAST_TOPICS = 3;
/** Words that are common to all projects. */
const ANYWHERE = new Set(
  (
    'agents branch build changelog claude code config contributing docs index init issue issues license main master package plan project ' +
    'readme release review setup test tests types update utils version'
  ).split(' '),
);

/**
 * Topics that at least two sessions share, the most shared first: names of files, and words of
 * requests that look like names or are part of a path.
 */
export function sharedTopics(sessions: readonly Session[], project: string): string[] {
  const parts = new Set(
    sessions.flatMap(({ files }) => files.flatMap((file) => file.toLowerCase().split(/[/._-]+/))),
  );
  const shared = new Map<string, { key: string; topic: string; count: number }>();
  for (const { title, files, answers } of sessions) {
    if (answers === null) continue;
    const words = title.split(/[^\p{L}\p{N}._-]+/u).map((word) => word.replace(/[._-]+$/, ''));
    const named = words.filter((word) => isNameLike(word) || parts.has(word.toLowerCase()));
    const names = [...named, ...files.map((file) => file.slice(file.lastIndexOf('/') + 1))];
    const topics = new Map(
      names.filter((name) => isTopic(name, project)).map((name) => [keyOf(name), name]),
    );
    for (const [key, topic] of topics) {
      const { count, ...first } = shared.get(key) ?? { key, topic, count: 0 };
      shared.set(key, { ...first, count: count + 1 });
    }
  }
  const topics = [...shared.values()]
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, TOPICS)
    .map(({ topic }) => topic);
  return topics.length < LEAST_TOPICS ? [] : topics;
}

/** Whether a word looks like a name: `FetchURL`, `git_operations.go`, `--as-hook`. */
function isNameLike(word: string): boolean {
  return /[\p{Ll}\p{N}]\p{Lu}|\p{L}[._-]\p{L}/u.test(word);
}

function keyOf(topic: string): string {
  return topic.toLowerCase().replace(/^\.|\.\w{1,5}$/g, '');
}

/** Whether a name is specific: neither a word common to all projects nor part of the project's name. */
function isTopic(name: string, project: string): boolean {
  const key = keyOf(name);
  return (
    /^[\w.-]{4,30}$/.test(name) &&
    /[a-z]{3}/i.test(key) &&
    ![project, ...project.split(/[-_.]/)].map(keyOf).includes(key) &&
    !ANYWHERE.has(key) &&
    contentWords(key).length > 0
  );
}
