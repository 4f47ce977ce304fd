import { isProgram } from '../commands/programs.js';
import { plain, polish, tighten, unframe } from '../sentences/wording.js';
import type { SessionInput } from '../session.js';
import type { Turn } from '../user-turns.js';

const LONGEST = 100;
const EMPTY =
  /^(?:continue|go on|go ahead|proceed|resume|next|start|hi|hello|hey|test|ok(?:ay)?|yes|no|thanks?|help|ping|weiter|continuer|continuar|继续|続けて|계속)[.!\s]*$/i;

/** Place of the last full stop that ends a sentence: not that of "e.g. " */
function lastStop(text: string): number {
  return Math.max(-1, ...[...text.matchAll(/(?<!\b(?:e\.g|i\.e|etc|cf|vs|no))\. /gi)].map((hit) => hit.index));
}

const SUBORDINATE = /^(?:when|whenever|if|while|after|before|once|since|because|as|although|unless|until)\b/i;

/** A text of at most 100 characters that ends at a clause. */
function shorten(whole: string): string {
  if (whole.length <= LONGEST) return whole;
  const text = whole.replace(/ \([^()]{1,80}\)/g, '');
  if (text.length <= LONGEST) return text;
  const parts = text.slice(0, LONGEST + 1);
  const cut = Math.max(
    lastStop(parts),
    parts.lastIndexOf('; '),
    parts.lastIndexOf(', '),
    parts.lastIndexOf(': '),
    parts.lastIndexOf(' - '),
    parts.lastIndexOf('。'),
    parts.lastIndexOf('，'),
  );
  // "When X, Y": what stands before the first comma says nothing by itself.
  const isHalf = SUBORDINATE.test(parts) && parts.indexOf(', ') === cut;
  const end = cut >= 30 && !isHalf ? cut : parts.lastIndexOf(' ');
  const short = parts
    .slice(0, end > 20 ? end : LONGEST)
    .trim()
    .replace(
      /(?:\s+(?:the|an?|of|to|and|or|in|on|at|with|by|for|from|without|any|be|is|are|that|when|as|if|so|it|this|can|now))+$/i,
      '',
    );
  const closed = short.lastIndexOf('(') > short.lastIndexOf(')') ? short.slice(0, short.lastIndexOf('(')).trim() : short;
  return (closed.match(/`/g) ?? []).length % 2 === 1 ? closed.replace(/`/g, '') : closed;
}

/** Heading of a plan or document that the person handed over. */
function headingOf(text: string): string | null {
  const heading = /^\s{0,3}#{1,3}\s+(.{6,140})$/m.exec(text)?.[1];
  return heading === undefined ? null : heading.replace(/^(?:plan|task|implementation plan|spec)\s*[:–-]\s*/i, '');
}

/** Long enough to say what it is about; signs of Chinese, Japanese and Korean count double. */
function saysEnough(text: string): boolean {
  return (
    text.length + (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0) >= 16
  );
}

/** A rule for the work, a question about its state or a bare call of a command: none says what the work is. */
const NO_TASK =
  /^(?:do not|don['’]t|never|stop|no[,:]|always|keep)\b|^\/[\w:.-]+(?:\s+\S{0,40})?$|^(?:is|are|was|were|did|does|do|has|have|why (?:did|do|are) you)\b.{0,60}\?$|^.{0,40}(?:吗|ですか|ますか|何|나요|까)[?？]?$/iu;

/** A request that is clear only with the text before it or a paste after it. */
const LEANS =
  /^(?:(?:it|this|that|they|these|those)\b|i (?:got|get|have|had|see|saw) (?:this|that|these|it|the following)\b.{0,40}$|.{0,24}\b(?:it|them|these|those|this|that)(?: (?:too|again|now|first|already|as well|please))?[?!]?$|(?:also |can you also )?(?:check|look|show|try|fix|do|see|explain)(?: (?:also|again|more|it|this|that|me|here|now|what|else|is))*\b.{0,12}[?!]?$|is it\b|先|再|那)/iu;

/** Steps that end some work: they name no work themselves. */
const CHORE =
  /^(?:(?:now |please |and |then |add|git|stage|amend|make)\s*)*(?:commit|push|pull request|pr|check|merge|rebase|stop|start)\b.{0,24}$|^.{0,16}(?:提交|推送|コミット|プッシュ|커밋|푸시).{0,8}$|^(?:create|open|make|draft) (?:a |the )?(?:draft )?(?:pr|pull request)\b.{0,20}$/i;

/** A file of the person's own, handed over once. */
const PRIVATE_PATH =
  /[`'"@]?(?:~|\/(?:home|Users)\/[^/\s]+|[A-Za-z]:\\Users\\[^\\\s]+)[\\/](?:Downloads|Desktop|Pictures|Screenshots|Documents[\\/](?:Downloads|Screenshots))[\\/](?:[^\s'"`\\]|\\ )*[`'"]?|[`'"]?\/(?:tmp|var\/folders|private\/var)\/\S*[`'"]?/iu;

const HOSTED = /^https?:\/\/[^/\s]+\/([\w.-]+\/[\w.-]+)\/(?:-\/)?(?:pull|pulls|issues|merge_requests|discussions)\/(\d+)\S*$/;

/** A link as a title names it: `owner/repo#12`, else its host with its last part while that is short. */
function shortUrl(url: string): string {
  const hosted = HOSTED.exec(url);
  if (hosted !== null) return `${hosted[1] ?? ''}#${hosted[2] ?? ''}`;
  const [host = '', ...path] = url
    .replace(/^https?:\/\//, '')
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((part) => part !== '');
  const last = path.at(-1) ?? '';
  return last === '' || last.length > 30 ? host : path.length === 1 ? `${host}/${last}` : `${host}/…/${last}`;
}

/** Long paths by their last part, links by host and name. */
function shortNames(text: string): string {
  return text
    .replace(/(?<![\w:/.])(?:~|[A-Za-z]:)?(?:[\\/][\w.@+-]+){3,}/g, (path) => path.replace(/^.*[\\/]/, ''))
    .replace(/https?:\/\/[^\s<>()"'`\]]+/g, (url) => shortUrl(url.replace(/[.,;:!?]+$/, '')));
}

/** Takes back the capital letter that `polish` gave to a sentence that begins with a command. */
function uncapped(said: string, worded: string): string {
  const first = /^\s*([a-z][\w.-]*) \S/.exec(said)?.[1] ?? '';
  return isProgram(first) && worded.startsWith(first[0]!.toUpperCase() + first.slice(1)) ? first[0]! + worded.slice(1) : worded;
}

function titleOf(turn: Turn): string | null {
  const worded = turn.sentences
    .filter((s) => !PRIVATE_PATH.test(s.text))
    .map((s) => uncapped(s.text, polish(tighten(unframe(plain(s.text))))))
    .filter((s) => s.length >= 4 && !EMPTY.test(s));
  const first = worded.find(saysEnough) ?? worded[0];
  const handed =
    turn.type === 'pasted' || /^(?:implement|execute|follow|here is|use) (?:the |this )?(?:following )?plan\b/i.test(first ?? '')
      ? headingOf(turn.entry.text)
      : null;
  const text = handed ?? first ?? null;
  return text === null ? null : shorten(shortNames(text.replace(/\s+/g, ' ')).replace(/[:\s]+$/, ''));
}

/**
 * The first real request: its title and turn. A greeting, a bare "continue" or a pasted text without a heading is none; a chore
 * ("commit and push") is named by what was committed.
 * @param commits subjects of the session's commits
 */
export function findRequest(session: SessionInput, turns: Turn[], commits: string[] = []): { title: string; turn: Turn } | null {
  const asked = turns.flatMap((turn) => {
    if (turn.type === 'approval' || turn.type === 'pick' || EMPTY.test(turn.entry.text.trim())) return [];
    const title = titleOf(turn);
    return title === null || title.length < 4 ? [] : [{ title, turn }];
  });
  const good = asked.slice(0, 4).filter((a) => saysEnough(a.title) && !CHORE.test(a.title) && !NO_TASK.test(a.title));
  // A request that is unclear by itself gives the title only when nothing better does.
  const whole = session.facts.title?.trim() || (commits.at(-1) ?? '');
  const named = whole.length < 8 || good[0] === undefined ? undefined : { title: shorten(whole), turn: good[0].turn };
  const telling =
    good[0] === undefined || !LEANS.test(good[0].title) ? good[0] : (named ?? good.find((a) => !LEANS.test(a.title)) ?? good[0]);
  const first = asked[0] ?? (turns[0] === undefined ? undefined : { title: '', turn: turns[0] });
  if (telling !== undefined || first === undefined) return telling ?? null;
  return whole.length >= 8 ? { title: shorten(whole), turn: first.turn } : first.title.length >= 8 ? first : null;
}
