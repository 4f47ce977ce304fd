/** Closed classes of function words, in the languages that the stop list has. What they govern decides what a text claims. */

/** What turns round, narrows or orders what stands behind it, by class: `not`, `if`, `before`, … */
export const OPERATORS = tableOf({
  not:
    'not no never none nothing nobody nowhere nor neither cannot avoid stop hardly rarely seldom barely nicht kein keine ' +
    'keinen keinem keiner keines nie niemals pas jamais aucun aucune ni nunca jamás ningún ninguna não nenhum non mai nessun ' +
    'nessuna niet geen nooit не нет никогда нельзя instead-of',
  without: 'without ohne sans sin sem senza zonder без',
  only:
    'only solely exclusively merely nur erst lediglich seulement uniquement solo sólo solamente somente apenas soltanto alleen ' +
    'только',
  if:
    'if when whenever where wherever provided wenn falls sofern wann si quand lorsque cuando quando als wanneer se если когда ' +
    'in-case as-long-as',
  unless: 'unless tenzij',
  except: 'except excepting excluding apart außer ausgenommen sauf hormis salvo excepto exceto tranne behalve кроме other-than',
  before: 'before bevor vor avant antes prima voordat voor до перед',
  after: 'after once nachdem nach sobald après después depois dopo nadat после as-soon-as',
  until: 'until till bis jusque hasta até finché tot пока',
  while: 'while during solange während pendant mientras enquanto mentre terwijl',
  since: 'since seit depuis desde с',
  but: 'but however although though yet aber jedoch obwohl mais pero mas ma maar но',
  than: 'than',
  // "First a, then b" is not "first b, then a".
  then: 'then danach puis luego então poi потом затем',
  more: 'more mehr plus más mais-de più meer больше',
  less: 'less fewer weniger moins menos meno minder меньше',
  least: 'least minimum min mindestens',
  most: 'most maximum max höchstens',
  below: 'below under unter',
  above: 'above over exceeds exceed über',
});
export const NEGATIONS = new Set(['not', 'without']);
/** What holds under them does not hold without, also when it is told in a statement behind. */
export const CONDITIONS = new Set(['only', 'if', 'unless', 'except', 'before', 'after', 'until', 'while', 'since']);
/** How often or how surely; neither comes nor goes. `or` is another claim than `and`. */
export const HEDGES = tableOf({
  sometimes: 'sometimes occasionally manchmal parfois veces vezes talvolta soms иногда',
  often: 'often usually mostly generally typically oft meist meistens souvent généralement vaak часто обычно',
  maybe: 'maybe perhaps may might possibly probably likely vielleicht peut-être quizás talvez forse misschien может',
  some: 'some many few several partly almost nearly einige manche quelques algunos alguns alcuni sommige некоторые',
  or: 'or either oder ou o oppure of-else или',
});
/** What widens: it may go and not come. */
export const UNIVERSALS = tableOf({
  always: 'always ever immer stets toujours siempre sempre altijd всегда',
  all:
    'all every each any everything everywhere everyone anything anywhere entire whole alle alles jede jeder jedes jeden tout ' +
    'toute tous toutes chaque todo toda todos todas cada ogni tutti tutte elk elke все каждый',
});
/** Verbs that tell nothing but that two things belong together: a line may have them of its own. */
export const LIGHT_VERBS: ReadonlySet<string> = new Set(
  'have has had need needs require requires use uses take takes run runs do does make makes get gets go goes set sets'.split(' '),
);
/** Before a name they say which way round it is. */
export const DIRECTIONS = new Set(
  'to into from by than over as via through onto nach zu zum von durch als vers par hacia por в на из от → ->'.split(' '),
);
/** Open a reason or a result, which may go whole. */
export const REASONS = new Set(
  (
    'because so since as which weil denn da sodass parce puisque donc porque pues perché poiché want omdat ' +
    'потому так поэтому'
  ).split(' '),
);
export const ALWAYS_REASON = new Set('because weil parce porque perché omdat потому'.split(' '));
export const PRONOUNS = /^(?:it|they|we|you|he|she|this|that|these|those|there|i)(?:['’]\p{L}+)?$/iu;
export const COORDINATORS = new Set('and or und oder et ou y e o en of и или & +'.split(' '));

export const SEVERAL_WORDS: readonly [RegExp, string][] = [
  [
    /\b(?:instead of|rather than|anstatt|statt|au lieu de|en lugar de|en vez de|em vez de|invece di|in plaats van)\b/giu,
    ' instead-of ',
  ],
  [/\bother than\b/giu, ' other-than '],
  [/\bin case(?: of)?\b/giu, ' in-case '],
  [/\bas long as\b/giu, ' as-long-as '],
  [/\bas soon as\b/giu, ' as-soon-as '],
  [/\bso that\b/giu, ' so '],
];
/** Scripts without blanks: negations and conditions are looked for inside the run. */
export const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/u;
export const RUN_OPERATORS: readonly [string, RegExp][] = [
  ['not', /[不没別别未勿禁无無]|ない|なく|なけ|ません|ずに|않|못|없|마세요|지 ?마/gu],
  ['if', /如果|若|的?时候|当(?![前然地天中下作成])|もし|たら|れば|とき|時|場合|경우|때/gu],
  ['except', /除非|除了|以外|제외/gu],
  ['only', /只|仅|だけ|のみ|しか/gu],
  ['before', /之前|以前|前に|전에/gu],
  ['after', /之后|以后|後に|후에/gu],
  ['until', /直到|まで|까지/gu],
];

function tableOf(classes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(classes).flatMap(([name, words]) => words.split(/\s+/).map((word) => [word, name] as const)));
}
