/**
 * Words that tell what a sentence is, by language: en, de, fr, es, pt, it, nl, ru; zh, ja, ko have no word borders.
 * Each list is one RegExp; the words are grammar, never names.
 */

/** A RegExp that matches any of the forms as whole words (`bordered`) or anywhere (`open`, for scripts without spaces). */
export function cue(bordered: string[], open: string[] = []): RegExp {
  const sides = bordered.length > 0 ? [`(?<![\\p{L}\\p{N}_])(?:${bordered.join('|')})(?![\\p{L}\\p{N}_])`] : [];
  return new RegExp([...sides, ...open].join('|'), 'iu');
}

/** Holds every time. */
export const ALWAYS = cue(
  [
    'always', 'every time', 'each time', 'whenever', 'at all times', 'without exception', 'by default', 'by convention', 'as a rule',
    'immer', 'jedes ?mal', 'grundsätzlich', 'standardmäßig',
    'toujours', 'à chaque fois', 'chaque fois', 'systématiquement', 'par défaut',
    'siempre', 'cada vez', 'por defecto', 'sempre', 'toda vez', 'todas as vezes', 'por padrão', 'ogni volta', 'per impostazione predefinita',
    'altijd', 'elke keer', 'standaard', 'всегда', 'каждый раз', 'постоянно', 'по умолчанию',
  ],
  ['总是', '總是', '始终', '始終', '永远', '一律', '每次都?', '每次', '默认', '必ず', 'いつも', '常に', '毎回', '항상', '언제나', '매번', '무조건', '기본적으로'],
);

/** Holds never. */
export const NEVER = cue(
  [
    'never', 'never ever', 'under no circumstances', 'at no point', 'niemals', 'nie', 'auf keinen fall', 'unter keinen umständen',
    'ne .{1,25} jamais', 'jamais', 'nunca', 'jamás', 'jamais', 'mai', 'nooit', 'никогда', 'ни в коем случае', 'ни при каких',
  ],
  ['永远不', '永不', '从不', '從不', '绝不', '絕不', '绝对不', '千万不', '千万别', '决不', '絶対に.{0,20}(?:ない|しないで)', '決して', '절대', '결코'],
);

/** From now on. */
export const FROM_NOW = cue(
  [
    'from now on', 'going forward', 'in (?:the )?future', 'next time', 'from here on', 'henceforth', 'as of now',
    'ab (?:jetzt|sofort)', 'in zukunft', 'künftig', 'zukünftig', 'von nun an', 'nächstes mal',
    'désormais', 'dorénavant', 'à partir de maintenant', "à l['’]avenir", 'la prochaine fois',
    'a partir de ahora', 'de ahora en adelante', 'en el futuro', 'la próxima vez', 'a partir de agora', 'de agora em diante', 'da próxima vez', 'no futuro',
    "d['’]ora in (?:poi|avanti)", 'in futuro', 'la prossima volta', 'vanaf nu', 'voortaan', 'in het vervolg',
    'впредь', 'отныне', 'с этого момента', 'в дальнейшем', 'на будущее', 'в следующий раз',
  ],
  ['从现在起', '从现在开始', '從現在起', '以后都?', '以後', '今后', '今後', '下次', 'これから(?:は)?', '次回', '앞으로', '이제부터', '다음부터'],
);

/** Forbids. */
export const PROHIBIT = cue(
  [
    "do(?:es)? ?n['’]?t", 'do not', 'must ?n[o’\']t', 'should ?n[o’\']t', 'stop \\w+ing', 'avoid', 'refrain from', 'no need to', 'not allowed', 'forbidden', 'keep away from', 'no more',
    'nicht', 'kein(?:e|en|er|es)?', 'hör(?:e)? auf', 'vermeide', 'verboten', 'ne .{1,25} pas', "n['’]\\w+ .{0,15}pas", 'évite[rz]?', 'arrête[rz]?', 'interdit',
    'no (?:uses?|hagas?|pongas?|toques?|añadas?|escribas?|cambies?|borres?|crees?)', 'evita(?:r)?', 'deja de', 'prohibido', 'não', 'evite', 'pare de', 'proibido',
    'non (?:usare|fare|toccare|aggiungere|modificare|scrivere|cancellare|creare)', 'smetti di', 'vietato', 'niet', 'geen', 'vermijd',
    'не (?:надо|нужно|делай(?:те)?|используй(?:те)?|трогай(?:те)?|меняй(?:те)?|пиши(?:те)?|добавляй(?:те)?|удаляй(?:те)?|создавай(?:те)?|коммить(?:те)?|следует)', 'нельзя', 'запрещено', 'избегай(?:те)?', 'перестань(?:те)?',
  ],
  ['不要', '不許', '不许', '不准', '(?<!能)不能', '(?<![区特分个级])别(?!的|人|处|名|说)', '禁止', '勿', '避免', '无需', 'しないで', '使わないで', '変えないで', '消さないで', '禁止', '避けて', '하지 ?마', '하지 ?말', '금지', '쓰지 ?마', '말고'],
);

/** Demands. */
export const MUST = cue(
  [
    'must', 'has to', 'have to', 'needs? to', 'make sure', 'be sure to', 'ensure', 'required', 'mandatory', 'it is important', "it['’]s important",
    'muss', 'müssen', 'musst', 'stell(?:e)? sicher', 'achte darauf', 'doit', 'doivent', 'dois', 'il faut', "assure[-z]?(?:-toi|-vous)?", 'obligatoire',
    'debe(?:s|n)?', 'tiene(?:s|n)? que', 'hay que', 'asegúrate', 'obligatorio', 'deve(?:m)?', 'tem que', 'certifique-se', 'obrigatório', 'devono', 'bisogna', 'assicurati', 'obbligatorio',
    'moet(?:en)?', 'zorg dat', 'должен', 'должна', 'должно', 'должны', 'обязательно', 'необходимо', 'нужно', 'убедись', 'убедитесь',
  ],
  ['必须', '必須', '务必', '務必', '一定要', '确保', '需要', '应该', '應該', 'なければ(?:ならない|いけない)', 'ないといけない', '必要があ', 'べき', '반드시', '꼭', '해야'],
);

/** Nothing else. */
export const ONLY = cue(
  [
    'only', 'solely', 'exclusively', 'nothing but', 'nur', 'ausschließlich', 'lediglich', 'seulement', 'uniquement', 'ne .{1,25} que', 'solo', 'sólo', 'solamente', 'únicamente',
    'somente', 'apenas', 'só', 'soltanto', 'alleen', 'uitsluitend', 'только', 'исключительно', 'лишь',
  ],
  ['只(?:能|用|有|需|要|在)?', '仅', '僅', 'だけ', 'のみ', '만(?= |$|을|은|이)', '오직'],
);

/** One thing in place of another. */
export const INSTEAD = cue(
  [
    'instead', 'instead of', 'rather than', 'in place of', 'in favou?r of', '(?:use|do|with|by|want|need|prefer|keep) .{1,60},? not',
    'statt(?:dessen)?', 'anstatt', 'anstelle', 'au lieu (?:de|d)', 'plutôt que?', 'en lugar de', 'en vez de', 'em vez de', 'ao invés de', 'invece(?: di)?', 'anziché', 'al posto di', 'in plaats van',
    'вместо', 'а не',
  ],
  ['而不是', '而非', '代替', '改成', '改用', '換成', '换成', '代わりに', 'ではなく', 'じゃなくて', '대신', '말고', '아니라'],
);

/** A liking. */
export const PREFER = cue(
  [
    'prefer(?:s|red|ably)?', 'preference', "i['’]?d rather", 'i would rather', "i['’]?d like", 'i would like', "i (?:really )?(?:like|love|hate|dislike)", "i (?:don['’]?t|do not) (?:like|want)", 'i want', 'we want', "we(?:['’]d| would) like",
    'bevorzuge(?:n)?', 'lieber', 'ich möchte', 'ich mag', 'ich will', 'mir ist wichtig', 'je préfère', 'nous préférons', 'on préfère', "j['’]aimerais", 'je veux', 'je voudrais',
    'prefiero', 'preferimos', 'me gusta', 'quiero', 'prefiro', 'gosto', 'quero', 'preferisco', 'mi piace', 'voglio', 'vorrei', 'liever', 'ik wil',
    'предпочитаю', 'предпочитаем', 'лучше', 'хочу', 'мне нравится',
  ],
  ['我(?:更)?喜欢', '我希望', '偏好', '更倾向', '最好', 'の方がいい', 'ほうがいい', '好みで', 'してほしい', '선호', '좋아', '싶'],
);

/** How the group does things. */
export const WE_USE = cue(
  [
    "(?<!(?:what|which|that|how|where|if|when|do|can|could|should|did|would|will|as|think|places|things|stuff)\\s)we (?:always |already |only |usually |normally |explicitly |never |don['’]?t |do not |no longer )?(?:use|run|keep|put|store|write|deploy|release|name|follow|support|target|commit|merge|squash|format|track)",
    '(?:our|the) (?:convention|rule|policy|style|standard|workflow|practice) (?:is|are)', 'in (?:this|our) (?:project|repo(?:sitory)?|team|company)', '(?:like|as|same as) we (?:already )?do (?:for|in|with|elsewhere|everywhere)', 'this (?:project|repo(?:sitory)?|code ?base) (?:uses?|is|has|follows?|runs?|needs?|requires?)',
    'wir (?:verwenden|nutzen|benutzen|machen|schreiben|haben)', 'in diesem (?:projekt|repo)', '(?:on|nous) (?:utilise|utilisons|fait|faisons|garde)', 'dans ce (?:projet|dépôt)',
    'usamos', 'utilizamos', 'en este (?:proyecto|repo)', 'neste (?:projeto|repo)', 'usiamo', 'utilizziamo', 'in questo (?:progetto|repo)', 'we gebruiken', 'wij gebruiken',
    'мы (?:используем|пишем|делаем|не используем)', 'у нас', 'в этом (?:проекте|репозитории)',
  ],
  ['我们(?:用|使用|都|采用|的规范)', '本项目', '这个项目', '在这个(?:项目|仓库)', 'このプロジェクト', 'このリポジトリ', 'うちでは', '우리는', '이 프로젝트', '저희는'],
);

/** To be kept in mind. */
export const REMEMBER = cue(
  [
    '(?:please )?remember(?: that| to|:|,)', 'keep in mind', 'note that', 'be aware', "don['’]?t forget", 'do not forget', 'for future reference', 'bear in mind', "it(?:['’]s| is) important (?:that|to)", 'important:',
    'merk(?:e)? dir', 'denk(?:e)? daran', 'beachte', 'vergiss nicht', 'wichtig', "n['’]oublie(?:z)? pas", 'rappelle-toi', 'souviens-toi', 'note(?:z)? que', 'attention',
    'recuerda', 'ten en cuenta', 'no olvides', 'importante', 'lembre-se', 'lembra', 'não esqueça', 'ricorda(?:ti)?', 'non dimenticare', 'tieni presente', 'onthoud', 'vergeet niet',
    'запомни(?:те)?', 'помни(?:те)?', 'имей в виду', 'имейте в виду', 'не забудь(?:те)?', 'не забывай(?:те)?', 'важно',
  ],
  ['记住', '記住', '请注意', '注意', '别忘', '不要忘', '覚えて', '忘れないで', '注意して', '기억해', '명심', '잊지'],
);

/** The shape of answers and code that a person asks for. */
export const STYLE = cue(
  [
    'concise(?:ly)?', 'terse', 'brief(?:ly)?', 'succinct(?:ly)?', 'verbose', 'wordy', 'long-winded', 'jargon', '(?:answers?|replies|responses?|explanations?|comments?|messages?|summar(?:y|ies)) short(?:er)?', 'no (?:summar(?:y|ies)|recaps?)', 'short(?:er)? (?:answers?|replies|comments?|messages?|summar(?:y|ies)|descriptions?)', 'to the point', 'step by step', 'bullet points?', 'plain (?:english|words|language)', 'easy to (?:read|understand|grok)', 'self-explanatory',
    'prägnant', 'knapp', 'fasse dich kurz', 'zu lang', 'concis(?:e)?', 'trop long', 'verbeux', 'conciso', 'breve', 'demasiado largo', 'muito longo', 'prolisso', 'beknopt', 'кратко', 'короче', 'лаконично', 'слишком длинно',
  ],
  ['简洁', '简短', '太啰嗦', '簡潔に', '간결하게', '짧게 (?:답|설명)'],
);

/** Ought to be so. */
export const SHOULD = cue(
  [
    'should', "shouldn['’]?t", 'ought to', 'supposed to', 'needs to be', 'is to be', 'soll(?:te|en|ten)?', 'devrait', 'devraient', 'debería(?:n)?', 'deveria(?:m)?', 'dovrebbe(?:ro)?', 'zou moeten', 'следует', 'должен быть',
  ],
  ['应该', '應該', 'べき', 'するように', '해야'],
);

/** A choice made. */
export const CHOOSE = cue(
  [
    "let['’]?s (?:go|use|stick|keep|stay|do|only|just|add|move|switch|make|focus)", 'go with', 'going with', 'stick (?:with|to)', 'stay (?:on|with|at)', 'switch to', 'we decided', 'i decided', 'decision', 'is settled', 'we (?:can|could|will) (?:use|enforce|keep|drop)', 'keep using',
    'nehmen wir', 'wir nehmen', 'bleib(?:en wir)? bei', 'wir bleiben', 'on garde', 'partons sur', 'on part sur', 'vamos (?:a usar|con)', 'quedémonos', 'vamos usar', 'fiquemos', 'usiamo', 'teniamo', 'laten we', 'давай(?:те)? использовать', 'остановимся на', 'оставим',
  ],
  ['就用', '选择', '決定', '决定', '采用', '採用', 'にしましょう', 'で行こう', 'にする', '(?:으)?로 하자', '하기로'],
);

/** Holds only now or only here. */
export const TRANSIENT = cue(
  [
    'for now', 'right now', 'at the moment', 'currently', 'today', 'tomorrow', 'yesterday', 'this time', 'this once', 'temporar(?:y|ily)', 'for the moment', 'later', 'yet', 'again', 'this (?:pr|mr|branch|commit|session|issue|ticket|diff|change|file|test|one)', 'the (?:last|previous|current|latest) (?:commit|change|pr|message|run|push)', 'same pr', 'the pr',
    'just now', 'first', 'now', 'for a second', 'wait', 'still', 'anymore',
    'jetzt', 'gerade', 'heute', 'morgen', 'vorerst', 'später', 'dieses mal', 'diesmal', 'momentan', 'maintenant', "aujourd['’]hui", "pour l['’]instant", 'plus tard', 'cette fois', 'ahora', 'hoy', 'por ahora', 'de momento', 'luego', 'esta vez', 'agora', 'hoje', 'por enquanto', 'depois', 'desta vez', 'adesso', 'oggi', 'per ora', 'dopo', 'stavolta', 'nu', 'vandaag', 'voorlopig', 'сейчас', 'сегодня', 'пока', 'потом', 'позже', 'в этот раз',
  ],
  ['现在', '現在', '目前', '暂时', '今天', '先(?!生)', '这次', '這次', '这个(?:分支|pr|PR|提交|修改)', '今(?!後|后)', 'とりあえず', '一旦', '今回', '後で', '지금', '오늘', '일단', '나중에', '이번'],
);

/** True of the person everywhere. */
export const PERSONAL = cue(
  [
    'i (?:always|never|generally|usually|prefer|hate|love|like to|only)', '(?:in|for|across) (?:all|any|every) (?:of )?(?:my|our) (?:projects?|repos?|repositories|code)', 'in general', 'generally', 'everywhere', 'my (?:preference|style|convention|rule|name|editor|shell|os|machine|workflow)', 'for me', 'answer me', 'reply to me', 'talk to me',
    'ich (?:bevorzuge|mag|hasse|will immer|möchte immer)', 'in allen (?:meinen )?projekten', 'generell', 'überall', 'je préfère', 'dans tous mes projets', 'en général', 'partout', 'yo siempre', 'prefiero', 'en todos mis proyectos', 'en general', 'eu sempre', 'prefiro', 'em todos os meus projetos', 'em geral', 'preferisco', 'in tutti i miei progetti', 'in generale',
    'я (?:всегда|никогда|предпочитаю)', 'во всех (?:моих )?проектах', 'вообще',
  ],
  ['我(?:总是|从不|更?喜欢|习惯)', '所有项目', '私は(?:いつも|必ず)', 'すべてのプロジェクト', '나는 항상', '모든 프로젝트'],
);
