import { plain, polish, tighten, unframe } from '../wording.js';
import type { SessionInput } from '../session.js';
import type { Turn } from '../user-turns.js';

const LONGEST = 100;
const EMPTY = /^(?:continue|go on|go ahead|proceed|resume|next|start|hi|hello|hey|test|ok(?:ay)?|yes|no|thanks?|help|ping|weiter|continuer|continuar|继续|続けて|계속)[.!\s]*$/i;

/** A text of at most 100 characters that ends at a clause. */
function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const parts = text.slice(0, LONGEST + 1);
  const cut = Math.max(parts.lastIndexOf('. '), parts.lastIndexOf('; '), parts.lastIndexOf(', '), parts.lastIndexOf(': '), parts.lastIndexOf(' - '), parts.lastIndexOf('。'), parts.lastIndexOf('，'));
  const end = cut >= 30 ? cut : parts.lastIndexOf(' ');
  const short = parts.slice(0, end > 20 ? end : LONGEST).trim().replace(/(?:\s+(?:the|an?|of|to|and|or|in|on|at|with|by|for|from|without|any|be|is|are|that|when|as|if|so|it|this|can|now))+$/i, '');
  return (short.match(/`/g) ?? []).length % 2 === 1 ? short.replace(/`/g, '') : short;
}

/** Heading of a plan or document that the person handed over. */
function headingOf(text: string): string | null {
  const heading = /^\s{0,3}#{1,3}\s+(.{6,140})$/m.exec(text)?.[1];
  return heading === undefined ? null : heading.replace(/^(?:plan|task|implementation plan|spec)\s*[:–-]\s*/i, '');
}

/** Long enough to say what it is about; signs of Chinese, Japanese and Korean count double. */
const saysEnough = (text: string): boolean => text.length + (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0) >= 16;

/** A rule for the work, a question about its state or a bare call of a command: none says what the work is. */
const NO_TASK = /^(?:do not|don['’]t|never|stop|no[,:]|always|keep)\b|^\/[\w:.-]+(?:\s+\S{0,40})?$|^(?:is|are|was|were|did|does|do|has|have|why (?:did|do|are) you)\b.{0,60}\?$|^.{0,40}(?:吗|ですか|ますか|何|나요|까)[?？]?$/iu;

/** Steps that end some work: they name no work themselves. */
const CHORE = /^(?:(?:now |please |and |then |add|git|stage|amend|make)\s*)*(?:commit|push|pull request|pr|check|merge|rebase|stop|start)\b.{0,24}$|^.{0,16}(?:提交|推送|コミット|プッシュ|커밋|푸시).{0,8}$|^(?:create|open|make|draft) (?:a |the )?(?:draft )?(?:pr|pull request)\b.{0,20}$/i;

/** A file of the person's own, handed over once. */
const PRIVATE_PATH = /[`'"@]?(?:~|\/(?:home|Users)\/[^/\s]+|[A-Za-z]:\\Users\\[^\\\s]+)[\\/](?:Downloads|Desktop|Pictures|Screenshots|Documents[\\/](?:Downloads|Screenshots))[\\/](?:[^\s'"`\\]|\\ )*[`'"]?|[`'"]?\/(?:tmp|var\/folders|private\/var)\/\S*[`'"]?/iu;

function titleOf(turn: Turn): string | null {
  const worded = turn.sentences.filter((s) => !PRIVATE_PATH.test(s.text)).map((s) => polish(tighten(unframe(plain(s.text))))).filter((s) => s.length >= 4 && !EMPTY.test(s));
  const first = worded.find(saysEnough) ?? worded[0];
  const handed = turn.type === 'pasted' || /^(?:implement|execute|follow|here is|use) (?:the |this )?(?:following )?plan\b/i.test(first ?? '') ? headingOf(turn.entry.text) : null;
  const text = handed ?? first ?? null;
  return text === null ? null : shorten(text.replace(/\s+/g, ' ').replace(/(?:~|[A-Za-z]:)?(?:[\\/][\w.@ +-]*[\w.@+-]){3,}/g, (path) => path.replace(/^.*[\\/]/, '')).replace(/https?:\/\/\S{30,}/g, '').replace(/[:\s]+$/, ''));
}

/**
 * The first real request: its title and turn.
 * A greeting, a bare "continue" or a pasted text without a heading is none; a chore ("commit and push") is named by what was committed.
 * @param commits subjects of the session's commits
 */
export function findRequest(session: SessionInput, turns: Turn[], commits: string[] = []): { title: string; turn: Turn } | null {
  const asked = turns.flatMap((turn) => {
    if (turn.type === 'approval' || turn.type === 'pick' || EMPTY.test(turn.entry.text.trim())) return [];
    const title = titleOf(turn);
    return title === null || title.length < 4 ? [] : [{ title, turn }];
  });
  const telling = asked.slice(0, 4).find((a) => saysEnough(a.title) && !CHORE.test(a.title) && !NO_TASK.test(a.title));
  const first = asked[0] ?? (turns[0] === undefined ? undefined : { title: '', turn: turns[0] });
  if (telling !== undefined || first === undefined) return telling ?? null;
  const named = session.facts.title?.trim() || (commits.at(-1) ?? '');
  return named.length >= 8 ? { title: shorten(named), turn: first.turn } : first.title.length >= 8 ? first : null;
}
