/** What a person's turn is, by language: en, de, fr, es, pt, it, nl, ru; zh, ja, ko have no word borders. */

/** A RegExp that matches any of the forms as whole words (`bordered`) or anywhere (`open`, for scripts without spaces). */
export function cue(bordered: string[], open: string[] = []): RegExp {
  const sides = bordered.length > 0 ? [`(?<![\\p{L}\\p{N}_])(?:${bordered.join('|')})(?![\\p{L}\\p{N}_])`] : [];
  return new RegExp([...sides, ...open].join('|'), 'iu');
}

/** A turn or opening that only agrees. */
export const AGREE =
  /^(?:(?:y(?:es|ep|eah|up)?|ok(?:ay)?|sure|lgtm|sounds? good|perfect|great|nice|cool|good|thanks?(?: you)?|go(?: ahead| for it)?|do it|please(?: do)?|proceed|continue|correct|right|exactly|agreed|approved?|ship it|makes sense|fine|absolutely|of course|works?(?: for me)?|ja|jep|genau|passt|gut|mach(?: das)?|weiter|oui|d['’]accord|parfait|vas-y|s[ií]|vale|dale|claro|perfecto|sim|isso|pode|certo|perfetto|va bene|esatto|prego|doe maar|goed|да|ага|ок|хорошо|давай|верно|отлично|好的?|可以|是的?|行|对|沒問題|没问题|继续|はい|いいよ|お願いします|そうです|그래|네|응|좋아|계속)[\s,.!]*)+$/iu;

/** Opens a choice between offers. */
export const PICK =
  /^(?:(?:ok|yes|hm+|let['’]?s|i(?:['’]d| would)?|we|please|just|then|go|take|use|do|choose|pick|prefer|like|want|with|for|the|number|nr\.?|option|approach|variant|plan|nimm|wir nehmen|prends|elige|scegli|выбираю|вариант|选|方案|选项|案|で)[\s,]*)*(?:option|approach|variant|number|plan|choice|nr\.?|#|вариант|方案|选项|案)?\s*\(?([1-9]|[a-e])\)?(?:[.,!\s]|$)/iu;

/** Denies what was said before. */
export const PUSHBACK = cue(
  [
    'no',
    'nope',
    'wrong',
    'incorrect',
    "that['’]?s not",
    'that is not',
    "this is(?: not|n['’]t)",
    "it['’]?s not",
    'not (?:true|right|correct|what i|the (?:issue|problem|cause))',
    "i (?:don['’]?t|do not) think",
    'are you sure',
    "doesn['’]?t work",
    'does not work',
    "didn['’]?t work",
    'still (?:fails?|broken|not|the same)',
    'you (?:forgot|missed|broke|misunderstood)',
    'revert',
    'undo',
    'restore it',
    'nein',
    'falsch',
    'stimmt nicht',
    'non',
    'faux',
    'incorrecto',
    'falso',
    'errado',
    'sbagliato',
    'нет',
    'неверно',
    'неправильно',
    'не так',
  ],
  ['不对', '不對', '不是', '错了', '錯了', '違う', '違います', '아니', '틀렸'],
);

/** Opens a question. */
export const ASKS =
  /^(?:(?:and|but|so|hm+|ok|oh|also|then|wait|now|well),?\s+)*(?:why|what|how|where|when|who|which|whose|(?:is|are|was|were|do|does|did|has|have|had|isn['’]?t|aren['’]?t|doesn['’]?t|didn['’]?t)(?=\s+(?:i|we|you|u|it|they|he|she|this|that|these|those|there|the|our|any|my)(?![\p{L}]))|wer|was|wie|wo|wann|warum|wieso|welche[rsn]?|gibt es|ist|sind|hast|kannst|pourquoi|comment|où|quand|qui|quel(?:le)?s?|est-ce|qué|por qué|cómo|dónde|cuándo|quién|cuál|o que|por que|como|onde|quando|quem|qual|che cosa|cosa|perché|dove|chi|quale|waarom|hoe|waar|wat|почему|как|где|когда|кто|что|какой|зачем)(?![\p{L}])/iu;

/** A request in the form of a question; what follows is the thing asked for. */
export const REQUEST =
  /^(?:能不能|可不可以|是否可以|可以.{0,20}吗)|^(?:(?:and|but|so|ok|oh|also|then|now|hey|hi|please|maybe),?\s+)*(?:(?:can|could|would|will|should|shall|may)(?:n['’]?t)?\s+(?:you|we|i|u)(?:\s+(?:please|also|maybe|perhaps|just|pls))*|why (?:don['’]?t|not|do we not|can['’]?t) (?:you|we)?|would you mind|is it possible to|kannst du|könntest du|können wir|sollten wir|bitte|peux-tu|pouvez-vous|pourrais-tu|on peut|puedes|podrías|podemos|você pode|pode|poderia|podemos|puoi|potresti|possiamo|kun je|можешь|можете|можно|могли бы)\s+/iu;

/** Words by which people announce something pasted. */
export const ANNOUNCES_PASTE = cue(
  [
    'error',
    'errors',
    'output',
    'log',
    'logs',
    'trace',
    'stack ?trace',
    'feedback',
    'review',
    'comment',
    'comments',
    'finding',
    'findings',
    'issue',
    'issues',
    'message',
    'following',
    'take a look at',
    'look at',
    'look into',
    'check',
    'address',
    'fix',
    'this',
    'these',
    'here',
    'below',
    'plan',
    'diff',
    'warning',
    'warnings',
    'result',
    'results',
    'got',
    'get',
    'see',
    'saw',
    'says',
    'said',
    'prints',
    'shows',
    'example',
    'text',
    'description',
    'ticket',
    'spec',
    'fehler',
    'ausgabe',
    'folgende[rsn]?',
    'meldung',
    'erreur',
    'sortie',
    'suivant(?:e)?s?',
    'salida',
    'siguiente',
    'erro',
    'saída',
    'seguinte',
    'errore',
    'seguente',
    'ошибк[аиу]',
    'вывод',
    'следующ(?:ее|ий|ую|ие)',
  ],
  ['如下', '报错', '错误', '日志', '输出', '以下', 'エラー', '次の', 'ログ', '오류', '에러', '다음', '로그'],
);

/** Base forms that open an English instruction. */
export const IMPERATIVE =
  /^(?:use|run|keep|make|put|add|write|read|avoid|prefer|stick|follow|stay|leave|let|give|show|tell|ask|answer|reply|respond|explain|describe|summari[sz]e|propose|suggest|research|look|check|verify|test|review|format|lint|build|compile|install|commit|push|pull|rebase|merge|squash|branch|open|create|delete|remove|drop|rename|move|name|call|import|export|link|reference|mention|include|exclude|ignore|skip|start|stop|restart|wait|assume|treat|consider|think|be|do|don['’]?t|do not|never|always|return|throw|handle|log|print|document|comment|update|bump|tag|release|deploy|publish|edit|change|touch|modify|save|store|cache|load|fetch|search|grep|find|pass|set|define|declare|type|cast|mock|stub|cover|assert|compare|match|replace|convert|split|group|sort|order|limit|cut|fix|clean|refactor|simplify|reduce|extract|inline|reuse|copy|mirror|sync|confirm|approve|notify|report|list|include|ensure|remember|note|go|take|only|just|first|please|work|focus|plan|design|draft|mark|label|assign|close|archive|restore|revert|stash|stage|sign|validate|enforce|require|reject|allow|deny|disable|enable|turn|switch|hide|render|display|align|place|quote|escape|wrap|indent|capitali[sz]e|translate|target|support|pin|upgrade|downgrade|lock|vendor|expose|mount|bind|connect|close|clear|flush|reset|seed|migrate|generate|regenerate|scaffold|measure|profile|benchmark|optimi[sz]e|debug|investigate|trace|reproduce|isolate|batch|parallelize|spawn|delegate|iterate|continue|finish|complete|double-check|exit|rewrite|rephrase|shorten|prefix|suffix|paginate|retry|rerun|pay|take|respect|honou?r|preserve|maintain|consult|refer|cite|credit|justify|prioriti[sz]e)\b/iu;
