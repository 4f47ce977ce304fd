/** Lists of parts, not statements: "`x` - does y", "file.go: …", "Finding 4", test names, labelled fields. */
export const INVENTORY =
  /^see\s|^(?:`[^`]+`|\*\*[^*]+\*\*|[\w./-]+\.\w{1,5}|[A-Z]\w*[a-z][A-Z]\w*)(?:\s*\([^)]*\))?\s*(?:[-–—:：→]|->|=>)\s|^(?:finding|option|approach|step|phase|part|fix|test|case|scenario|issue|bug|task|change|round|tier|stage|layer|level|item|point|note|row|query|q|r|f|b|p|c|d|e|s|t|a)s?\s*#?\d+(?:[-–.]\d+)*\s*(?:[:.)–—-]|\p{Ll})|^\d+(?:\.\d+)+\s|^(?:Test\w|test_|it\(|describe\()|^(?:usage|example|input|output|type|returns?|args?|param\w*|defaults?|status|severity|commit|branch|title|author|date|version|url|link|source|target|before|after|old|new|current|currently|proposed|expected|actual|pros?|cons?|effort|risk|impact|priority|confidence|scope|goal|objective|deliverable|question|answer|action|verification|summary|description|evidence|effect|class|category|owner|framework|language|stack|values?|fields?|props?|keys?|columns?|files?|location|path|lines?|where|(?:failing|code|call|happy|error) path|result|rejected alternatives?|trade-?offs?|name|purpose|role|responsibilit\w+|features?|components?|structure|architecture|dependencies)\s*(?:\([^)]*\))?\s*[:：]/iu;

/** Third person without a subject ("Uses …", "Returns …"): a line of a change list or a doc comment. */
export const SUBJECTLESS =
  /^(?!(?:Tests|Types|Docs|Hooks|Files|Errors|Names|Tags|Logs|Flags|Commits|Comments|Changes|Branches|Releases|Plugins|Packages|Modules|Workers|Jobs|Tasks|Rules|Skills|Agents|Users|Migrations|Imports|Exports|Builds|Sessions|Secrets|Settings|Scripts|Aliases|Symlinks|Workflows|Fixtures|Mocks|Queries|Images|Containers|Worktrees|Fields|Keys|Values|Lines|Ports|Versions|Variables|Requests|Responses|Threads|Locks|Caches|Windows|Pods|Redis|Kubernetes|Postgres|Pages|Actions|Sources|Sheets|Styles|Classes|Includes|Axios|Express|DNS|CSS|TLS|JS|TS|OS|AWS|iOS|macOS|Sass|Less|Jenkins|Travis|Pages|Pandas|Always|Unless|Others|Process|Access|Progress|This|Its|Was|Has|Does|Is)\b)[A-Z][a-z]{2,}(?:s|es)\s+(?:the|a|an|all|any|each|every|both|no|only|it|`|to|that|if|when|whether|from|in|on|with|by|correctly|properly|proper|existing|new|now)\b/u;

/** Code that slipped out of its fence. */
export const CODEISH = /[{};]\s*$|=>|:=|===|!==|&&|\|\||\w+\([^)]*\)\s*[{;]|^\s*(?:for|while|return|const|let|var|func|def|class|import|export)\b.*[({:=]|^\s*if\s*[[(!]|^\$ |→|\s2>&1|\[ -[a-z] |>\/dev\/null|>&2|\$\(/;

/** Points into a list, table or document that the reader does not have. */
export const LIST_REFERENCE =
  /(?<![\p{L}\d])(?:findings?|options?|approach(?:es)?|steps?|phases?|rows?|columns?|bullets?|seams?|tiers?|layers?|gaps?|cases?|scenarios?|variants?|items?|questions?|tasks?|criteria) (?:#?\d+(?:[-–.]\d+)*|[A-F]\b|(?:one|two|three|four|five)\b)|(?<![\p{L}\d/._-])(?:[A-F]\d{1,2}|§\s?\d+|\d+\.\d+ (?:is|was|stays|remains))(?![\p{L}\d._-])|the (?:first|second|third|fourth|fifth|last|other|latter|former|decisive|remaining|real|one real|only) (?:row|column|point|one|option|part|half|item|bullet|question|gap|constraint|difference)|(?:first|second|third) (?:half|part) of|the (?:issue|ticket|plan|spec|design|research|report|comment|description|review|log|transcript|screenshot|diff) (?:says|said|states|notes|mentions|claims|asks|wants|shows|flagged|describes|explains|proposes|suggests)/iu;

/** Offers, verdicts on offers and recommendations. */
export const PROPOSAL =
  /(?:^|\s)(?:remains?|still remains?|applies|holds)[.!]?$|^(?:no (?:conflict|change|build|edit|need)s?\b|docs only|would\b|should\b|could\b|so\b|(?:my |the |a |one |minimal |simplest |quick |better |best |cleaner |cheaper |possible |suggested |recommended |proposed |alternative |long-term )*(?:fix|recommendation|suggestion|proposal|alternative|solution|approach|option|idea|trade-?off|workaround|design|plan|follow-?up|improvement|mitigation|next step|verdict|ux|devex|dx))\b[^:：]{0,40}[:：]|^(?:simplest|cleanest|best|safest|easiest|cheapest|fastest|alternatively|recommend(?:ed)?|suggest(?:ed)?|propos(?:e|ed)|defer(?:red|ring)?|reject(?:ed)?|drop|trim|gate|keep|consider|optionally|ideally|either|one option|another option|preserve|reduce|leave|note the|given|naming clarity|clearer|cleaner|better)\b|(?<![\p{L}])(?:i['’]d recommend|recommend(?:ed|ation)?|would (?:recommend|suggest|propose)|could be (?:extracted|simplified|moved|replaced|removed)|should be (?:fixed|removed|renamed|moved|extracted|updated|added|replaced|simplified|refactored)|needs? to be (?:fixed|removed|renamed|moved|extracted|updated|added|replaced|refactored|wired)|worth (?:doing|adding|fixing|considering|a follow))(?![\p{L}])/iu;

/** About this code at this moment: dead ends, counts, unused parts. */
export const NARROW =
  /(?<![\p{L}])(?:pre-existing|unused|dead code|orphaned|unfixed|out of scope|in scope|unrelated|untested|unverified|todo|wip|zero call sites|call sites?|this (?:change|fix|commit|pr|patch|refactor|function|method|block|helper|loop|branch|line|test|file|section|approach|design|plan|feature|way|time|case|comment|step|one|check|diff)|that (?:pr|change|fix|commit|test|branch|patch|edit)|the (?:diff|patch|refactor|pr|fix|change|rewrite|new (?:test|code|version|file|function|approach|design|implementation)|old (?:code|test|version|implementation|function)|test (?:creates|checks|verifies|patches|asserts|sets|uses|expects|covers)|comment (?:says|explains|in)|existing (?:test|code|pattern)))(?![\p{L}])/iu;

/** Tells of a change: "now", "newly", "has been". */
export const CHANGED = /(?<![\p{L}])(?:now|newly|has been|have been|been (?:added|removed|replaced|fixed|moved)|no longer|previously|used to|anymore|was (?:added|removed|replaced|fixed|moved|changed|renamed)|(?:is|are) still|still (?:has|have|\p{L}+s))(?![\p{L}])/iu;

/** Told in the past: a bug that is over. */
export const PAST = /(?<![\p{L}])(?:was|were|had|did|didn['’]t|wasn['’]t|weren['’]t|hadn['’]t|came|went|made|took|caused|happened|failed|returned|showed|saw|broke)(?![\p{L}])/iu;

/** Tells of a moment: hashes, dates, pull requests, counts, line numbers. */
export const MOMENT =
  /(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])|(?<!\w)(?:19|20)\d\d-\d\d-\d\d|\blines? \d+|\w:\d+(?:-\d+)?\b(?!\d*\.)|\bL\d+\b|(?<!\w)(?:PR|pull request|MR|issue|commit)s? ?#?\d+|(?<![\w`/])#\d{1,6}\b|\b\d+ (?:tests?|files?|lines?|commits?|errors?|warnings?|failures?|issues?|findings?|occurrences|hits|matches|passed|failed|sites|places|changes|insertions|deletions|more|of \d+)\b|\b\d+\/\d+\b|\b(?:working tree|uncommitted|unstaged|staged|this (?:session|worktree|turn|conversation|run)|on this branch|your (?:branch|changes|local)|merged|rebased|pushed|just (?:ran|added|committed)|ten weeks|last (?:week|month|year))\b|[✓✅❌✗]|\b(?:today|yesterday|tomorrow|earlier|so far|right now|at the moment|for now|not yet|yet|already|currently)\b/iu;

/** How a run went, or a pull request as the subject: true of that day. */
export const OUTCOME =
  /(?<![\p{L}])(?:exit(?:s|ed)? 0|(?:all|every) (?:checks?|tests?|jobs?) (?:pass|passed|passes|green|succeed(?:ed)?)|pass(?:es|ed)? cleanly|completed successfully)(?![\p{L}\d])|^(?:the )?(?:PR|MR|issue|commit|pull request)s?\s?#?\d+|^(?:the|an?) (?:old|new|stale|previous|current|original) |(?:is|are) (?:both |all |now )*(?:correct|right|fine|settled|complete|covered|done|safe)[.!]?$|(?<![\p{L}])(?:would|could|should|does|do|is|are|will)[:：]\s|^(?:当前|目前|现在|刚才|这次|本次|今回|現在|いま|지금|현재)/iu;

/** Points at something that the sentence does not name; this repository and its like are known. */
export const POINTS =
  /(?<![\p{L}])(?:this|that|these|those)(?=\s*(?:[:;,.!—–]|\s-\s|$))|(?<![\p{L}])(?:from|for|through|by|in|with|of|on|to|inherits?|uses?|reads?|needs?|via) (?:this|that|these|those) (?!(?:repo|repository|project|codebase|machine|workspace|monorepo|package|environment|is|are|the|it|a|an|way)(?![\p{L}]))[\p{L}`]/iu;

/** Verdicts on one's own work and files of a plan's paperwork. */
export const VERDICT =
  /(?<![\p{L}])(?:correct|correctly|properly|therefore|wouldn['’]t|genuinely|deliberate(?:ly)?|honest(?:ly)?|precisely|unchanged|untouched|intact|as intended|by design here|the tell|on purpose|(?:is|are) the (?:only|sole) [^.,;]{3,60}(?:without|with|that|which)|(?:mirrors?|feeds?|changes?|affects?|covers?|shows?|does|do) nothing|is (?:fine|safe|clean|good|ok|correct|right|done|settled|updated|complete)|are (?:fine|safe|clean|good|ok|correct|right|done|updated|complete)|zero|(?<=\()(?:grepped|checked|measured|tested|re-?read)|memory is|looks?|all (?:four|five|six|seven|eight|nine|ten|eleven|twelve|\d+))(?![\p{L}])|(?:research|design|tasks|proposal|plan|spec|baseline|notes|todo|progress|memory)\.md/iu;

/** Speaks to one reader about one situation. */
export const TO_YOU = /(?<![\p{L}])you(?:r|['’]\w+)?(?![\p{L}])(?! (?:must|need|have to|can|cannot|can['’]t|run|use|edit|want))/iu;

/** The speaker, the reader's request, a plan of both. */
export const SPEAKS =
  /(?<![\p{L}-])(?:i|i['’]\w+|me|my|mine|we['’]ll|we['’]d|we need|we should|we could|let['’]s|you['’](?:d|ve|ll)|you (?:asked|said|want|mentioned|noted)|the user|your)(?![\p{L}-])/iu;

/** Tells of a change that is done. */
export const OVER = /(?<![\p{L}])(?:(?:has|have) been|used to|previously|already (?:says|does|has|asserts|covers)|keeps? working|(?:is|are) now (?:in|gone|fixed|removed|done|handled|correct|green|passing)|no longer|now (?:uses?|takes?|returns?|sets?|has|have|works?|calls?|passes|handles?))(?![\p{L}])/iu;

/** Leftovers, measurements and offers of one day: "no references to x remain", "takes 1.65 s", "if needed, …". */
export const PASSING =
  /^(?:no|zero|all|other|the remaining) [^.]{0,60}(?:references?|usages?|uses|callers?|imports?|mentions?|occurrences|matches)[^.]{0,60} remain|(?<![\p{L}])imports? [^.]{0,60}(?:remains?|is still)(?![\p{L}])|\d ?(?:秒|ミリ秒|毫秒|분|초)|(?<![\d.])\d+[.,]\d+ ?(?:s|ms|sec(?:onds)?|minutes?|[KMG]i?B|%)(?![\p{L}])|(?<![\p{L}])(?<!(?:never|not|n['’]t|avoid)(?![\p{L}])[^]{0,200})instead[.!]?$|^(?:さらに|必要なら|必要に応じて|もし|建议|推荐|如果(?:需要|你|要)|需要的话|要.{1,20}的话|필요하면|추천)|(?<![\p{L}])(?:probably|promising|circular dependency issue|\d+ of (?:the )?\d+)(?![\p{L}])|^(?:the )?only (?:\w+ )?(?:differences?|changes?|issues?|problems?)(?![\p{L}])|^we (?:only |just |already )*(?:have|had|still)(?![\p{L}])|(?:has|have|uses?|contains?) an? (?:old|custom old|legacy|stale|leftover)(?![\p{L}])/iu;

/** A line of a program quoted as an example: it speaks of a sample, not of how things are. */
export const CODE_LINE = /^\s+\S|;\s*$|^(?:const|let|var|def|func|return|if|for) /;

/** Something that the agent set out to find out. */
export const PROBE = /^(?:but |so |then )?(?:check|see|verify|confirm|test|determine|find out|figure out|investigate|look at|make sure)\s(?:again )?(?:if|whether|how|why|where|what|which)(?![\p{L}])/iu;
