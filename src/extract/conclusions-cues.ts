import { cue } from './language-cues.js';

/** Cause and effect. */
export const CAUSE = cue(
  [
    'because', 'due to', 'caused by', 'root cause', 'that is why', "that['’]s why", 'the reason', 'otherwise', 'or else', 'leads? to', 'results? in', 'as a result', 'which (?:is why|means|breaks|makes|causes|can (?:cause|break|make))', 'so (?:that )?(?:the|it|a|an|any|every|`)', 'so (?:always |never |only )?(?:add|use|set|pass|run|pin|wrap|await|quote|escape|export|mount|lock)', 'since', 'hence', 'therefore', 'stems? from', 'triggers?',
    'weil', 'wegen', 'sonst', 'denn', 'parce que', 'car', 'sinon', 'à cause', 'porque', 'debido a', 'de lo contrario', 'por causa', 'senão', 'perché', 'altrimenti', 'omdat', 'anders', 'потому что', 'из-за', 'иначе', 'так как',
  ],
  ['因为', '由于', '因而', '导致', '否则', '原因', 'ため', 'ので', 'さもないと', '때문', '그렇지 않으면', '원인'],
);

/** How a thing behaves, in particular badly or unexpectedly. */
export const BEHAVES = cue(
  [
    'fails?', 'failed', 'failing', 'ignor(?:e|es|ed|ing)', 'silent(?:ly)?', 'by default', 'defaults? to', 'rejects?', 'refus(?:e|es|ed)', 'requires?', 'expects?', 'overrid(?:e|es|den|ing)', 'overwrit(?:e|es|ten|ing)', 'rewrit(?:e|es|ten)', "does(?:n['’]t| not)", "do(?:n['’]t| not)", "won['’]t", 'no longer', 'breaks?', 'broken', 'crash(?:es|ed)?', 'hangs?', 'times? out', 'only (?:when|if|after|in|on|for|works?|runs?|reads?|covers?|checks?|supports?)', 'unless', 'until', 'not (?:supported|available|allowed|enough|covered|included|exported|tracked|committed|shown|inherited|propagated|installed|set|enabled|needed|a real)', 'unsupported', 'deprecated', 'generated', 'regenerat(?:e|es|ed)', 'gitignored', 'strips?', 'drops?', 'swallows?', 'skips?', 'skipped', 'missing', 'read-only', 'cached', 'stale', 'race condition', 'deadlocks?', 'leaks?', 'needs?', 'depends? on', 'relies on', 'conflicts? with', 'incompatible', 'mismatch(?:es)?', 'truncat(?:e|es|ed)', 'limit(?:ed|s)?', 'at most', 'at least', 'maximum', 'case-sensitive', 'flaky', 'pinned', 'locked', 'hard-?coded', 'single source of truth', 'no[- ]op', 'idempotent', 'not thread-safe', 'shadow(?:s|ed)', 'takes precedence', 'wins', 'propagat(?:e|es)', 'inherits?', 'cannot', "can['’]t", 'unable', 'impossible', 'throws?', 'raises?', 'errors? (?:out|with)', 'exits? (?:with|non-zero|0|1)', 'returns? (?:null|nil|none|undefined|empty|an error|\\d)', 'blocks?', 'prevents?', 'throttles?', 'forbids?', 'denies', 'denied', 'masks?', 'hides?',
    'schlägt fehl', 'ignoriert', 'erwartet', 'benötigt', 'überschreibt', 'standardmäßig', 'nicht', 'échoue', 'ignore', 'attend', 'écrase', 'par défaut', 'falla', 'ignora', 'requiere', 'espera', 'sobrescribe', 'por defecto', 'falha', 'exige', 'sobrescreve', 'fallisce', 'richiede', 'sovrascrive', 'faalt', 'negeert', 'vereist',
    'падает', 'игнорирует', 'требует', 'ожидает', 'перезаписывает', 'не (?:работает|поддерживает|читает|видит|учитывает)', 'молча', 'ломает(?:ся)?',
  ],
  ['失败', '忽略', '静默', '默认', '需要', '要求', '不会', '不支持', '不能', '无法', '覆盖', '失效', '缺少', '拒绝', '失敗', '無視', 'デフォルト', '必要', 'できない', '対応していない', '上書き', '실패', '무시', '기본', '필요', '지원하지', '없습니다', '덮어'],
);

/** A rule, in particular for the reader. */
export const RULE = cue(
  [
    'must(?: not)?', "mustn['’]t", 'never', 'always', 'only', 'need(?:s)? to', 'ha(?:s|ve) to', 'required to', 'cannot', "don['’]t", 'do not', 'avoid', 'instead of', 'instead', 'rather than', 'prefer', 'make sure', 'be sure', 'ensure', 'not .{1,30} but', 'before (?:running|committing|pushing|building|you|any|each|every|the|releasing|testing|editing)', 'after (?:running|changing|editing|each|every|any|a change|pulling|merging|adding)', 'use `[^`]+`', 'run `[^`]+`', 'whenever', 'every time', 'per convention', 'by convention',
    'muss', 'müssen', 'darf nicht', 'nie', 'immer', 'nur', 'statt', 'doit', 'jamais', 'toujours', 'seulement', 'au lieu de', 'debe', 'nunca', 'siempre', 'solo', 'en lugar de', 'deve', 'sempre', 'apenas', 'em vez de', 'mai', 'soltanto', 'invece', 'moet', 'nooit', 'altijd', 'alleen',
    'должен', 'должны', 'нельзя', 'никогда', 'всегда', 'только', 'вместо', 'нужно', 'необходимо',
  ],
  ['必须', '必須', '不要', '禁止', '总是', '始终', '仅', '只能', '只有', '应该', '务必', '而不是', '常に', 'だけ', 'のみ', 'しないで', 'べき', '代わりに', '반드시', '항상', '절대', '대신', '만 '],
);

/** Headings and labels that announce knowledge. */
export const KNOWLEDGE_LABEL = cue(
  [
    'root cause', 'cause', 'why', 'reason', 'note', 'notes', 'gotchas?', 'caveats?', 'warning', 'important', 'lessons?', 'lesson learned', 'learned', 'learnings?', 'limitations?', 'constraints?', 'rules?', 'conventions?', 'pitfalls?', 'how it works', 'how to apply', 'key (?:insight|finding|point)s?', 'findings?', 'requirements?', 'workflow', 'testing', 'commands?', 'remember', 'never', 'always', 'do not', 'known issues?', 'troubleshooting', 'problem', 'the (?:real )?(?:problem|issue|bug|cause|catch)', 'diagnosis', 'explanation', 'background',
    'ursache', 'hinweis', 'regeln?', 'cause', 'remarque', 'règles?', 'causa', 'nota', 'reglas?', 'regras?', 'regole', 'причина', 'правила?', 'важно',
  ],
  ['原因', '根因', '注意', '规则', '约定', '说明', '限制', '経緯', '理由', 'ルール', '원인', '규칙', '주의'],
);

/** Only supposed. */
export const SUPPOSED = cue(
  [
    'might', 'may(?= (?:be|have|not|need|cause))', 'could (?:be|also|have)', 'probably', 'likely', 'perhaps', 'maybe', 'possibl[ey]', 'seems?', 'seemingly', 'appears? to', 'suspect', 'presumably', 'i (?:think|guess|believe|assume|expect)', 'suggests?', 'looks like', 'not sure', 'unclear', 'hypothesis', 'theory', 'assuming', 'if (?:this|that) is', 'would (?:be|have|need|mean|make|break|cause|require|fail|also|then|still|only|let|give|allow|add)', "i['’]d",
    'vielleicht', 'wahrscheinlich', 'vermutlich', 'könnte', 'scheint', 'peut-être', 'probablement', 'semble', 'quizás?', 'probablemente', 'parece', 'talvez', 'provavelmente', 'forse', 'probabilmente', 'sembra', 'misschien', 'waarschijnlijk', 'возможно', 'вероятно', 'наверное', 'похоже', 'кажется',
  ],
  ['可能', '也许', '大概', '应该是', '似乎', '看起来', '推测', '怀疑', 'かもしれ', 'おそらく', 'たぶん', 'と思われ', 'ようです', '아마', '것 같'],
);

/** Takes back what was said. */
export const RETRACTS = cue(
  [
    "i was wrong", 'i (?:mis(?:read|understood|took|stated|diagnosed)|incorrectly|wrongly|mistakenly)', 'my (?:earlier|previous|initial|first|original) .{0,40}(?:was|were) (?:wrong|incorrect|mistaken|off|not)', '(?:turns out|actually|in fact).{0,60}(?:not|isn[’\']t|wasn[’\']t|doesn[’\']t|didn[’\']t|no|never|wrong)', 'was(?:n[’\']t| not) (?:the (?:cause|problem|issue|reason|culprit|real)|actually|because)', "(?:is|are)(?:n['’]t| not) (?:actually|really|the (?:cause|problem|issue|reason|culprit))", 'false (?:alarm|positive|lead)', 'correction', 'i retract', 'disregard', 'scratch that', 'that claim', 'red herring', 'ruled out', 'not the (?:cause|problem|culprit|root cause)', 'contrary to', 'does not (?:hold|survive)', 'is a false positive', 'disproved', 'refuted', 'stand corrected',
    'ich lag falsch', 'je me suis trompé', 'me equivoqué', 'eu estava errado', 'mi sono sbagliato', 'я ошиб(?:ся|лась)',
  ],
  ['我错了', '之前.{0,20}错', '误报', '并不是', '其实不是', '間違って', '誤り', '제가 틀렸', '잘못'],
);
