/** Longest statement that context.md takes. */
export const LIMIT = 200;

/** Inline markdown made plain: bold, italics, links, tags and check boxes go, code spans stay. */
export function plain(text: string): string {
  const codes: string[] = [];
  const held = text.replace(/`+[^`]*`+/g, (code) => `\u0000${codes.push(code) - 1}\u0000`);
  const open = held
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\((?:[^()\s]|\([^)]*\))*\)/g, '$1')
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/(^|[\s(])[*_](\S[^*_]*\S|\S)[*_](?=[\s.,;:)!?]|$)/g, '$1$2')
    .replace(/~~[^~]*~~/g, '')
    .replace(/^\s*\[[ xX]\]\s*/, '')
    .replace(
      /<\/?(?:a|b|i|u|em|strong|code|kbd|br|p|div|span|img|sub|sup|small|details|summary|ul|ol|li|hr|h[1-6]|pre|table|t[rdh])(?:\s[^>]{0,80})?\/?>/gi,
      '',
    )
    .replace(DECORATION, '')
    .replace(/\s+/g, ' ');
  return open
    .replace(/\u0000(\d+)\u0000/g, (_, n: string) => (codes[Number(n)] ?? '').replace(/^`{2,}\s?|\s?`{2,}$/g, '`'))
    .trim();
}

/** Line numbers rot: `a/b.go:50-52` becomes `a/b.go`, "(lines 3-9)" goes. */
export function withoutLines(text: string): string {
  return text
    .replace(/(?<=[\w/-]\.[a-z]\w{0,9}):L?\d+(?:[-–:]L?\d+)?(?:,\s?\d+(?:[-–]\d+)?)*/gi, '')
    .replace(/\s*\((?:at |on |see |around )?(?:lines?|L)\s?~?\d+(?:\s?[-–,]\s?~?\d+)*\)/gi, '')
    .replace(/\s*\(`:\d+(?:[-–]\d+)?`\)/g, '')
    .replace(/\s*\(\s*\)/g, '');
}

/** Applies the first matching cut again and again; never leaves less than three words. */
function cutFront(text: string, cuts: readonly RegExp[]): string {
  let rest = text;
  for (let turn = 0; turn < 6; turn += 1) {
    const cut = cuts.find((one) => one.test(rest));
    if (!cut) break;
    const next = rest.replace(cut, '').trim();
    if (next.split(/\s+/).length < 3 && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{4}/u.test(next)) break;
    rest = next;
  }
  return rest;
}

/** Outside code spans only. */
function outsideCode(text: string, change: (open: string) => string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

/** Takes fluff out: empty openings, fillers, doubled blanks. */
export function tighten(text: string): string {
  const front = cutFront(text, OPENINGS);
  const lean = outsideCode(front, (open) =>
    FILLERS.reduce((rest, filler) => rest.replace(filler, filler.source.startsWith(',\\s*(?:however') ? ',' : ''), open),
  );
  return lean
    .replace(/\s+([,.;:!?])(?=\s|$)/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .trim();
}

/** Takes politeness off an instruction: "could you please always link the PR?" becomes "always link the PR". */
export function unframe(text: string): string {
  return cutFront(
    text
      .replace(SHOULD_NOT, 'do not ')
      .replace(/^\((.*)\)$/u, '$1')
      .replace(/^(?:and |but |so |also )?as (?:always|usual)\s*[,:–-]?\s+(?=[\p{L}`])/iu, 'always '),
    FRAMES,
  )
    .replace(/(?<=\s)and that (?=\p{Ll}+ (?:should|must|are|is|do|need))/u, 'and ')
    .replace(
      /^(do not )?be (using|doing|keeping|running|writing|passing|calling)\b/i,
      (_, not: string | undefined, verb: string) => `${not ?? ''}${BASE_FORM[verb.toLowerCase()] ?? verb}`,
    );
}

/** "We should not x" forbids: with its frame cut off as any other, "not x" would be left, which forbids nothing. */
const SHOULD_NOT =
  /^(?:(?:and|but|so|also|then|ok|no|please|maybe|in general|i think|i guess)[,]?\s+)*(?:you|we|i)\s+(?:\p{L}+\s+)?(?:should|must|shall|ought)(?:\s+(?:also|really|probably|definitely|still))?(?:\s+not|\s?n['’]t)\s+(?:ever\s+)?(?:to\s+)?(?=\p{Ll})/iu;

const BASE_FORM: Record<string, string> = {
  using: 'use',
  doing: 'do',
  keeping: 'keep',
  running: 'run',
  writing: 'write',
  passing: 'pass',
  calling: 'call',
};

/** Ways to make a long statement shorter without breaking its grammar, mildest first. */
const REDUCTIONS: readonly ((text: string) => string)[] = [
  (text) =>
    outsideParens(text, (inner) =>
      /^(?:e\.g|i\.e|for example|for instance|such as|like|see|which|as |also|including|z\.B|par ex|p\.ej|例如|如)/i.test(inner),
    ),
  (text) => outsideParens(text, (inner) => !inner.includes('`')),
  (text) => outsideParens(text, () => true),
  (text) => cutTail(text, /\s[-–—]{1,2}\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u),
  (text) => cutTail(text, /;\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u),
  (text) =>
    cutTail(
      text,
      /,\s(?:which|so that|so|and (?:so|then|thus|it|this|that|there)|but (?:it|this|that)|even though|although|including|such as|for example|e\.g\.)\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u,
    ),
];

function outsideParens(text: string, drop: (inner: string) => boolean): string {
  return text.replace(/\s*\(((?:[^()`]|`[^`]*`|\([^()]*\))*)\)/g, (whole, inner: string) => (drop(inner) ? '' : whole));
}

/** Keeps the text before the last matching joint, when that is still most of the statement. */
function cutTail(text: string, joint: RegExp): string {
  const hits = [...text.matchAll(new RegExp(joint.source, 'gu'))];
  for (const hit of hits.reverse()) {
    const head = text.slice(0, hit.index).trim();
    if (head.length <= LIMIT && head.length >= 60) return head;
  }
  return text;
}

/** Characters of a line in context.md that are left for its statement: longer ones are shortened if grammar lets them. */
const ROOM = 190;

/** A statement of at most 200 characters, whole, or null when it cannot be shortened by grammar. */
export function fit(text: string): string | null {
  let rest = text;
  for (const reduce of REDUCTIONS) {
    if (rest.length <= ROOM) break;
    const shorter = reduce(rest);
    if (rest.length > LIMIT || (shorter.length <= ROOM && isWhole(shorter))) rest = shorter;
  }
  return rest.length <= LIMIT && isWhole(rest) ? rest : null;
}

/** Brackets, backticks and quotes close; the statement does not end in a joint. */
export function isWhole(text: string): boolean {
  if ((text.match(/`/g) ?? []).length % 2 === 1) return false;
  const open = text.replace(/`[^`]*`/g, 'x');
  if (count(open, /\(/g) !== count(open, /\)/g) || count(open, /\[/g) !== count(open, /\]/g)) return false;
  if (count(open, /"/g) % 2 === 1 || count(open, /“/g) !== count(open, /”/g)) return false;
  return (
    !/(?:[,:;(–—-]|(?<![\p{L}])(?:and|or|but|because|the|a|an|to|of|with|that|which|und|oder|et|ou|y|o|e|и))$/iu.test(
      open.replace(/[.!?…]+$/, '').trimEnd(),
    ) && !/(?:\.\.\.|…)$/.test(open)
  );
}

function count(text: string, sign: RegExp): number {
  return (text.match(sign) ?? []).length;
}

/** First letter upper case (unless it is code or a name with a capital inside), no full stop at the end. */
export function polish(text: string): string {
  const end = text.replace(/[.!;,。！]+$/u, '').trim();
  return /^\p{Ll}/u.test(end) && !/^\p{Ll}+(?:\d|:\/\/)|^[\p{Ll}\d]+[\p{Lu}_./-]|^https?\b|^\w+\(/u.test(end)
    ? (end[0] as string).toUpperCase() + end.slice(1)
    : end;
}

/** The verbatim words for the evidence: one line, at most 300 characters. */
export function quoteOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`;
}

/** Openings that carry no content; taken off as often as one matches. English first, then other languages. */
const OPENINGS: readonly RegExp[] = [
  /^(?:and|but|so|also|however|therefore|thus|hence|then|plus|additionally|furthermore|moreover|besides|meanwhile|instead|still|anyway|again|finally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|now|well|ok(?:ay)?|oh|ah|hm+|yes|no|nope|yep|right|great|good|perfect|excellent|sure|alright|cool|thanks|interesting(?:ly)?|indeed|actually|basically|essentially|simply|clearly|obviously|apparently|evidently|of course|in fact|in short|in summary|to summari[sz]e|to be clear|to be fair|in other words|that said|as a result|as expected|as (?:i|you|we) (?:said|noted|mentioned|saw|can see|know)(?: (?:above|before|earlier))?|for (?:context|clarity|completeness|the record|reference)|fyi|by the way|btw|one more thing|good (?:news|catch|point|question)|bottom line|overall|unfortunately|fortunately|luckily|surprisingly|crucially|importantly|notably|critically|specifically|honestly|frankly)(?:,|:|;| [-–—]|\s+[-–—]|!|\.)\s+/iu,
  /^(?:and|but|so|also|because|since|plus)\s+(?=[`"\p{L}])/iu,
  /^(?:(?:important|critical|key|quick|side|final|one)\s+)?(?:note|notes|caveat|caution|warning|tip|reminder|heads[- ]up|important|attention|gotcha|lesson(?: learned)?|takeaway|insight|observation|finding|fact|conclusion|diagnosis|explanation|reason|why|how to apply|cause|root cause|the cause|the root cause|the reason|the (?:problem|issue|catch|gotcha|fix|real (?:problem|issue|cause)|actual (?:problem|issue|cause|bug))|problem|issue|bug|fix|solution|context|background|result|summary|tl;?dr|verdict|decision|rationale|effect|impact|consequence|what happened|key (?:point|insight|finding|takeaway)|systemic (?:issue|cause)|status)\s*(?:\(\w[^)]{0,30}\))?\s*(?::|：|\s[-–—])\s+/iu,
  /^(?:please\s+)?(?:note|notice|remember|keep in mind|be aware|bear in mind|recall|mind you|observe)(?:,)?\s+that\s+/iu,
  /^(?:it(?:['’]s| is)?\s+(?:turns? out|is important to note|is worth noting|worth noting|seems clear|is clear)|turns out|it (?:is|was) (?:confirmed|verified)|this (?:confirms|means|shows|proves|tells us|implies)|which (?:means|confirms|shows)|that (?:means|confirms|shows))(?:\s+that)?,?\s+/iu,
  /^(?:i|we)(?:['’](?:ve|m|re))?\s+(?:(?:have|had|also|just|now|can|did)\s+)*(?:found|confirmed?|verified|verify|discovered|realized|realised|noticed|learned|learnt|see|saw|know|determined|concluded|established|checked|noted|observed|understand|believe|think|expect|suspect)(?:\s+out)?(?:\s+that|:)?\s+(?=(?:the|a|an|`|[A-Z]|all|no|this|each|every|when|if)\b|`)/u,
  /^(?:the\s+)?(?:(?:real|actual|main|underlying|key|core|root|only|second|other|remaining|likely|simple)\s+)*(?:root\s+)?(?:cause|reason|problem|issue|catch|gotcha|explanation|point|insight|finding|answer|difference|trick|takeaway|upshot|constraint|bug|culprit|thing)\s+(?:here\s+|for this\s+|is\s+clear\s*:\s*)?(?:is|was)(?:\s+that|:)\s+/iu,
  /^(?:you['’]re (?:absolutely )?right|good (?:point|catch|question)|great (?:point|catch|question)|got it|understood|makes sense|fair (?:point|enough)|exactly|agreed|confirmed|verified|correct)\s*(?:[-–—:,.!])\s*(?:that\s+)?/iu,
  /^(?:hey|hi|hello|dear|guys|folks|hallo|hola|bonjour|salut|oi|olá|ciao|привет)(?:\s+(?:there|all|claude|codex|gemini))?\s*[,!.]\s*/iu,
  /^(?:übrigens|also|und|aber|außerdem|allerdings|jedoch|daher|deshalb|hinweis|wichtig|achtung|ursache|grund|problem|lösung|et|mais|donc|aussi|cependant|remarque|note|cause|attention|y|pero|además|sin embargo|nota|importante|causa|e|mas|porém|além disso|observação|ma|però|inoltre|en|maar|dus|let op|и|но|а|также|однако|поэтому|примечание|важно|причина|проблема|решение)\s*[,:]\s+/iu,
  /^(?:所以|因此|但是|但|而且|另外|此外|不过|然后|同时|其实|注意|重要|原因|根因|根本原因|结论|问题|说明|修复|解决方案|备注|そして|しかし|また|つまり|なお|ちなみに|原因|注意|結論|그리고|하지만|또한|따라서|원인|결론|주의)\s*[，,:：、]\s*/u,
];

/** Words inside a sentence that can go without loss. */
const FILLERS: readonly RegExp[] = [
  /(?<=\s)(?:just(?! ?(?:files?|recipes?|tasks?|commands?|targets?|-))|really|actually|basically|simply|essentially|obviously|clearly|of course|literally|pretty much|kind of|sort of|in fact|as you (?:can see|know|noted|mentioned|said|pointed out)|as (?:mentioned|noted|discussed|expected|described|shown)(?: (?:above|before|earlier|below))?|if you (?:like|want|prefer)|please|pls|though|btw|by the way|i think|i guess|i believe|in my opinion|imo|afaik|as far as i (?:know|can tell)|to be (?:honest|clear|safe|sure)|at the end of the day|needless to say)(?=\s)/giu,
  /,?\s*(?:though|however|btw|thanks|thank you|please|pls|right|ok(?:ay)?|as well|or so|anyway|i (?:think|guess|believe))(?=[.!?]?$)/iu,
  /\s*\((?:as|which|that) (?:we|i|you) [^()`]{3,60}\)/giu,
  /(?<=\w)\s+(?:either|entirely|at all|exactly|anyway|again|too)(?=[.!]?$)/giu,
  /\s*\((?:see (?:above|below)|as (?:above|noted|expected|mentioned)|i\.e\. this|again|of course|optional|more on this below|verified|confirmed|unchanged|good|nice|yes|no|correct)\)/giu,
  /,\s*(?:however|though|of course|in fact|therefore|as expected|as noted|as mentioned|incidentally|unfortunately|fortunately|respectively)\s*,/giu,
];

/** Polite or personal frames around an instruction; what remains is the instruction. */
const FRAMES: readonly RegExp[] = [
  /^(?:(?:hey|hi|ok(?:ay)?|also|and|but|so|then|now|oh|well|alright|actually|great|nice|thanks|yes|no|hm+|sorry|wait|again|just)[,.!]?\s+)+(?=\p{L})/iu,
  /^(?:please|pls|plz|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|per favore|alsjeblieft|пожалуйста|请|請|お願い)[,\s]*/iu,
  /^(?:can|could|would|will)\s+(?:you|we|u)\s+(?:please\s+|also\s+|maybe\s+|perhaps\s+|just\s+|pls\s+)*/iu,
  /^(?:you|we)\s+(?:can|could|should|must|need to|have to|may want to|might want to|will need to|['’]ll need to)\s+(?:also\s+|just\s+|please\s+)*(?=\p{Ll})/iu,
  /^(?:i|we)(?:['’]d| would)\s+(?:really\s+)?(?:like|love|want|prefer)\s+(?:(?:for )?(?:you|us)\s+)?to\s+(?:also\s+|just\s+)*(?=\p{Ll})/iu,
  /^(?:i|we)\s+(?:really\s+)?(?:want|need|expect)\s+(?:you|us)\s+to\s+/iu,
  /^(?:i\s+(?:think|guess|believe|feel(?: like)?)|in my opinion|imo|maybe|perhaps|i mean|i said|like i said|as i said)[,\s]+(?:that\s+)?/iu,
  /^(?:make sure|be sure|ensure|it['’]?s important)\s+(?:that\s+)?(?:you\s+)?(?:to\s+)?(?:always\s+)?(?=(?:always|never|use|run|keep|add|do|check)\b)/iu,
  /^(?:remember|don['’]?t forget|do not forget)\s+to\s+/iu,
  /^(?:remember|note|fyi|important|btw|reminder|rule|nb)\s*[:,]\s*/iu,
  /^(?:let['’]?s)\s+(?=\p{L})/iu,
  /^(?:commit|push|merge|ship|do|try|fix|finish|continue|go ahead|go on)(?:\s+(?:it|that|this|them|everything|and|push|commit|with))*,?\s+but\s+(?=\p{L})/iu,
  /^(?:describe|document|note|mention|state|add|write|put|record|include|specify)(?:\s+(?:a|the)\s+(?:rule|note|line|section|sentence|hint|comment))?(?:\s+(?:in|to|into)\s+(?:the\s+)?[\w./@-]+)?\s+that\s+/iu,
];

/** Marks that decorate and carry nothing. */
const DECORATION =
  /^[\s✅❌⚠️🎉🔧🚀💡📝🐛🔴🟡🟢🔵⭐✨❗‼️➡️→▶•·*_~-]+(?=[\p{L}\p{N}`"'(@/.$])|[\u{1F300}-\u{1FAFF}\u2600-\u27BF\uFE0F]/gu;
