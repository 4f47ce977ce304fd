import { isCommandSpan, type Entities } from './statement-entities.js';

/** What a statement is about: a tool or service, a command, a file, a setting, or a symbol of the code. */
export type About = 'tool' | 'command' | 'file' | 'setting' | 'symbol' | 'other';

const SYMBOL = /^(?:[\w$.]+\(.*\)|(?:[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)?|_\w+|[a-z]+(?:_[a-z0-9]+)+)(?:[.:#]{1,2}\w+)*|[a-z]\w*(?:\.[a-z]\w*)*\.[A-Z]\w*|<[A-Z]\w*[^>]*>|&?\*?\w+\{.*\})$/;
const FILE = /\/|^\.?[\w-]+\.[a-z]{1,6}$|^(?:Dockerfile|Makefile|[Jj]ustfile|Brewfile|Gemfile|Procfile)$/;
const SETTING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[=:]\s?["'\w]|^["'].+["']:|^--?[a-z]|^[a-z][\w-]*(?:\.[a-z][\w-]*)+$|^\w+-[\w-]+$/;

/** Words of every program's code: alone in a code span they name no tool. */
const GENERIC =
  /^(?:read|write|open|close|get|set|put|add|remove|delete|update|create|find|list|map|filter|reduce|sort|push|pop|call|apply|bind|run|start|stop|init|load|save|send|fetch|parse|format|render|reset|clear|copy|move|check|test|validate|mode|state|status|name|type|kind|values?|keys?|id|index|path|file|dir|data|text|content|config|options|opts|args|params|props|env|input|output|result|error|err|message|event|user|token|session|cache|store|context|scope|level|version|platforms?|concurrency|permissions|needs|steps?|jobs?|on|if|with|strategy|matrix|runs|uses|nil|null|none|true|false|undefined|void|any|string|number|boolean|object|array|int|bool|float|self|this|super|default|public|private|static|const|async|await|import|export|require|return|width|height|size|length|count|limit|offset|page|title|label|color|style|class|body|header|footer|url|host|port|method|query|response|request|handler|callback|source|target|parent|child|children|root|items?|entry|entries|fields?|row|column|table|model|schema|service|client|server|worker|queue|action|command|script|hook|plugin|module|package)$/;

/** What a code span or bare name is. */
function kindOfName(name: string): About {
  if (isCommandSpan(name)) return 'command';
  if (SYMBOL.test(name)) return 'symbol';
  if (FILE.test(name) && !/\s/.test(name)) return 'file';
  if (SETTING.test(name)) return 'setting';
  return 'other';
}

/** Words that open a sentence with a capital and name nothing. */
const COMMON =
  /^(?:the|a|an|this|that|these|those|it|its|there|here|if|when|while|since|because|as|for|from|in|on|at|by|with|without|to|of|and|or|but|so|all|any|each|every|both|no|not|none|only|one|two|three|most|some|many|such|same|other|another|what|which|who|whose|why|how|where|then|than|after|before|until|unless|once|also|even|just|never|always|do|does|don|use|run|keep|make|set|add|remove|check|avoid|prefer|you|we|they|he|she|i|tests?|code|files?|functions?|methods?|class(?:es)?|commits?|changes?|errors?|users?|agents?|values?|names?|types?|lines?|comments?|docs?|builds?|calls?|callers?|results?|output|input|data|state|everything|nothing|something|anything|existing|new|old|current|previous|both|either|neither|instead|otherwise|otherwise|rather|using|running|setting|adding|calling|passing|changing)$/i;

/** The subject's kind: what stands in front of the first verb. */
export function aboutOf(text: string): About {
  const start = text.replace(/^(?:the|a|an|our|any|every|each|all|no|only|both)\s+(?=`|\p{Lu}|[\w.-]+\s*`)/iu, '');
  const code = /^(?:[\w-]+\s){0,2}`([^`]+)`/.exec(start);
  if (code?.[1] && GENERIC.test(code[1])) return 'symbol';
  if (code?.[1]) return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(code[1]) && start.startsWith('`') ? 'tool' : kindOfName(code[1]);
  const word = /^([\p{L}][\w.@/+-]*)/u.exec(start)?.[1] ?? '';
  const named = kindOfName(word);
  if (named === 'file' || (named === 'symbol' && /[a-z][A-Z]|_/.test(word))) return named;
  if (!COMMON.test(word) && /^(?:\p{Lu}[\w.+-]*(?:['’]s)?(?:\s\p{Lu}[\w.+-]*)*|[a-z]+(?:-[a-z]+)+|[a-z]{2,}\d\w*)\s+(?:\([^)]*\)\s+)?(?:[\w-]+\s){0,2}?(?:is|are|does|do|has|have|can|cannot|can['’]t|will|won['’]t|needs?|requires?|only|never|always|silently|also|no|refuses?|rejects?|ignores?|overrides?|expects?|uses?|reads?|writes?|runs?|fails?|treats?|drops?|strips?|keeps?|provides?|supports?|returns?|sends?|shows?|hides?|blocks?|throttles?|caches?|validates?|resolves?|injects?|rewrites?|defaults?|doesn['’]t|don['’]t|isn['’]t|must)(?![\p{L}])/u.test(start)) return 'tool';
  return 'other';
}

/** Names that hold outside the code: commands, files, flags, settings, errors, versions. */
export function hardNames(found: Entities): number {
  const code = found.code.filter((one) => ['command', 'file', 'setting'].includes(kindOfName(one)));
  return new Set([...code, ...found.paths, ...found.flags, ...found.errors, ...found.versions, ...found.names.filter((one) => kindOfName(one) === 'setting')]).size;
}
