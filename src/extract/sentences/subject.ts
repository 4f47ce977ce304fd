import { findEntities } from './entities.js';

/** What a sentence may lean on when it opens with a pronoun. */
interface Leaning {
  previous: string | null;
  heading: string | null;
}

const PRONOUN = /^(?:it|this|that|they|these|those|he|she|both|neither|which|its|their)(?=['’\s])/iu;
/** "Each worker opens a pool" names what it is about, "Each has one" does not. */
const EACH_ALONE =
  /^each(?:\s+(?:of\s+(?:them|these|those|which)|one|also|only|is|was|has|had|does|can|will|must|may|should|needs))(?![\p{L}-])/iu;
/** What stands above or below, with nothing named behind it; "below 20 MB" and "above the fold" name it. */
const PLACE_IN_TEXT =
  /(?<![\p{L}])(?:(?:the|see|as|from|listed|described|shown|mentioned|noted|given|code|example|list|table|steps?|command|section) (?:above|below)|(?:above|below)(?=\s*(?:$|[.,;:!?)])))(?![\p{L}])/iu;
/** "In that way" may lean on its own sentence, once that has begun. */
const MANNER_WITHIN = /in (?:this|that) way(?![\p{L}])(?<=\S+\s+\S+\s+\S+\s+in (?:this|that) way)/giu;
const DEMONSTRATIVE = /^(?:this|that|these|those|both)\s+(?:[\w-]+\s){0,3}?`[^`]+`/iu;
const PRONOUN_OTHER =
  /^(?:(?:es|das|dies(?:e[rsnm]?)?|sie|er|ça|cela|ce|c['’]est|il|elle|ils|elles|eso|esto|este|esta|isso|isto|ele|ela|questo|questa|dit|dat|het|это|он|она|оно|они|этот|эта)(?![\p{L}])|(?:这|那|它|该|此|其|两者|二者|两个|两处|両者|どちらも|両方|둘 다|これ|それ|あれ|この|その|이것|그것|이는|그는))/iu;
const DANGLING =
  /(?<![\p{L}])(?:the following|the former|the latter|the (?:other|second|third|first|same|last|next) (?:one|two|three|option|approach|case|issue|bug|finding|item|point|test|file|error|problem|fix|step)s?|this one|that one|these two|those two|option [a-d1-9]|approach [a-d1-9]|step \d|phase \d|part \d|finding \d+|issue \d+|item \d+|point \d+|bug \d+|task \d+|fix \d+|case \d+|round \d+|as follows|see here|like this|this way|that way|in this case|in that case|the above|aforementioned|said)(?![\p{L}])|(?:上述|以下|如下|下面|上面|前者|后者|前述|以下の|上記)/iu;

/** An instruction whose object is only a pronoun, or a comparison with something told elsewhere. */
const POINTLESS_OBJECT =
  /^(?:(?:always|never|only|just|do not|don['’]t)\s+)*\p{L}+\s+(?:it|them|this|these|those)(?=\s*(?:$|[.,;:—–-]|(?:is|are|was|were|when|if|before|after|in|on|at|by|with|to|from|as|for|instead|again|out|up|back|and|or|first|mechanically|manually|directly|only)(?![\p{L}])))/iu;
const ELSEWHERE =
  /(?<![\p{L}])(?:than|before|after|until|since|as of) (?:that|those|these) (?!is|are|was|it|the|a|an|i|you|we|they)\p{L}+/iu;

/** Whether a statement points at something outside itself. */
export function dangles(text: string): boolean {
  if (DEMONSTRATIVE.test(text)) return false;
  return (
    PRONOUN.test(text) ||
    POINTLESS_OBJECT.test(text.replace(/`[^`]*`/g, 'x')) ||
    ELSEWHERE.test(text) ||
    PRONOUN_OTHER.test(text) ||
    EACH_ALONE.test(text) ||
    PLACE_IN_TEXT.test(text.replace(/`[^`]*`/g, 'x')) ||
    DANGLING.test(text.replace(/`[^`]*`/g, 'x').replace(MANNER_WITHIN, ''))
  );
}

/** The thing a sentence is about when it opens with it: "`x.ts` exports …", "The `--all` flag …", "Cobra …". */
function subjectOf(sentence: string): string | null {
  const hit =
    /^(?:the |a |an |our |your )?((?:[\w-]+ )?`[^`]{2,60}`(?: (?:flag|option|file|command|script|hook|function|method|class|test|module|package|plugin|task|target|job|workflow|table|column|field|variable|setting|rule|linter|action|step|image|endpoint))?)(?=[\s,'’])/iu.exec(
      sentence,
    );
  return hit?.[1] ?? null;
}

/** A heading that is itself a name: "`bump-version.sh`", "src/data/types.ts". */
function subjectOfHeading(heading: string): string | null {
  const bare = heading.replace(/^[\d.)\s]+|[*:]+/g, '').trim();
  const found = findEntities(bare);
  if (/^`[^`]+`$/.test(bare)) return bare;
  return found.paths[0] === bare || found.names[0] === bare ? `\`${bare}\`` : null;
}

/**
 * A statement that names its subject: an opening "It" or "This" is replaced by the subject of the sentence before,
 * or of the heading, when that is one thing; else null.
 */
export function nameSubject(text: string, leaning: Leaning): string | null {
  if (!dangles(text)) return text;
  const hit =
    /^(?:it|this|that)(['’]s)?\s+(?=(?:is|was|does|has|only|never|always|must|can|cannot|can['’]t|will|won['’]t|needs?|requires?|uses?|expects?|ignores?|fails?|returns?|runs?|reads?|writes?|rewrites?|overrides?|rejects?|skips?|silently|also|doesn['’]t|isn['’]t|takes?|calls?|prints?|exits?|lives?|comes?|depends?|breaks?|not|a|an|the|because|due)\b)/iu.exec(
      text,
    );
  if (!hit) return null;
  const subject = (leaning.previous && subjectOf(leaning.previous)) ?? (leaning.heading && subjectOfHeading(leaning.heading));
  if (!subject) return null;
  const rest = text.slice(hit[0].length);
  if (/^(?:because|due|not because)\b/i.test(rest)) return null;
  const named = `${subject.startsWith('`') ? '' : ''}${subject} ${hit[1] ? 'is ' : ''}${rest}`;
  return dangles(named) ? null : named;
}
